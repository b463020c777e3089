"""What a tool without a shell command does: what its name promises, and what its arguments ask for beyond that.

The name is one of a table, or has verbs in it; arguments may hold a method, a statement, an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from .footprints.footprint import BOTH, EVERYTHING, FOOTPRINTS, NETWORK, NOTHING, Domain, Footprint
from .footprints.sql import moves_by_itself, only_asks
from .footprints.transfers import SAFE_METHODS, hosts
from .tables import read_table
from .tools import ToolCall, arguments_of

TYPING = Footprint(BOTH, BOTH, varies=True, waits=True)
"""Keystrokes for a running program, or a look at what it has done since: never the same twice."""

_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor"})
_STATEMENTS = ("sql", "statement")
_QUERIES = ("query", "q", "statements", "queries", "text", "command", "cypher", "graphql", "mutation")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SERVER = re.compile(r"\Amcp__(?:(?!__).)*+__")
_JOINING = frozenset({"and", "or", "then"})
_BODIES = ("body", "data", "json", "payload", "form", "files")
_ADDRESSES = frozenset({"url", "urls", "uri", "href", "link", "address"})
_OPERATIONS = ("method", "http_method", "httpMethod", "verb", "action", "op", "operation")

# A text that writes wherever it is sent as a query; prose seldom reads like one. SQL:2016, GraphQL 2021
_OBJECT = (
    r"(?:table|database|schema|(?:materialized\s+)?view|(?:unique\s+)?index|column|user|role|function|trigger"
    r"|procedure)"
)
_STATEMENT = re.compile(
    rf"""
      \b(?: insert\s+(?:or\s+\w+\s+|ignore\s+)?into | delete\s+from | update\s+[^\s]+\s+set
        | (?:merge|replace)\s+into | (?:drop|create|alter)\s+(?:or\s+replace\s+|temp(?:orary)?\s+)?{_OBJECT}
        | truncate\s+table | detach\s+delete )\b
    | \A\s*+(?:exec|execute|call|grant|revoke|truncate)\b
    | \bmutation\b\s*+\w*+\s*+[({{@]
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_DATABASE = frozenset(
    "cypher database databases db duckdb graphql mysql pg postgres postgresql query sql sqlite".split()
)
_CHANGING = re.compile(
    r"\b(?:insert|update|delete|drop|create|alter|truncate|grant|revoke|merge|replace|detach|set|remove|call|exec|execute"
    r"|into|vacuum|attach|pragma|copy|lock|mutation|subscription|foreach|load|kill|upsert|put)\b",
    re.IGNORECASE,
)
_ASKS_SQL = re.compile(r"\s*(?:select|with|explain|values|table)\b|\s*(?:\(|--|/\*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Names:
    known: Mapping[str, Footprint]
    verbs: Mapping[str, frozenset[str]]
    begun: Mapping[str, frozenset[str]]


@cache
def _names() -> _Names:
    table = read_table("tools.toml")
    footprints = {**FOOTPRINTS, "typing": TYPING}
    return _Names(
        known={name: footprints[effect] for effect, names in table["known"].items() for name in names},
        verbs={kind: frozenset(words.split()) for kind, words in table["verbs"].items()},
        begun={verb: frozenset(words.split()) for verb, words in table["begun"].items()},
    )


def footprint_of_tool(call: ToolCall) -> Footprint:
    """Return the footprint of a tool that runs no shell command."""
    arguments = arguments_of(call)
    if call.name in _EDITORS:
        return FOOTPRINTS["read" if arguments.get("command") == "view" else "write"]
    if call.name == "task_tracker":
        return NOTHING if arguments.get("command") == "plan" else Footprint(varies=True)
    known = _known(call.name)
    footprint = known or footprint_of_name(call.name)
    if footprint.changes or (known is not None and known.depends != NETWORK):
        return footprint
    if known is None and (_states(call.name, arguments) or _operates(arguments)):
        return EVERYTHING
    footprint = _transfer(arguments, footprint)
    return replace(footprint, varies=True) if _asks_the_clock(call.name, arguments) else footprint


def _known(name: str) -> Footprint | None:
    """Return what the table says of a name; behind a server's name only that the answer changes by itself."""
    known = _names().known
    plain = known.get(_SERVER.sub("", name))
    return plain if plain is not None and plain.varies else known.get(name)


def _states(name: str, arguments: Mapping[str, object]) -> bool:
    """Say whether an argument is a statement in a query language that may change something."""
    database = not _DATABASE.isdisjoint(_words(name))
    if any(not _is_question(arguments[key]) for key in _STATEMENTS if key in arguments):
        return True
    return any(
        _changes(text, database=database) for key in _QUERIES if key in arguments for text in _texts(arguments[key])
    )


def _is_question(statement: object) -> bool:
    return isinstance(statement, str) and only_asks(statement)


def _changes(text: str, *, database: bool) -> bool:
    if _STATEMENT.search(text):
        return True
    return database and (_CHANGING.search(text) or _ASKS_SQL.match(text)) is not None and not only_asks(text)


def _asks_the_clock(name: str, arguments: Mapping[str, object]) -> bool:
    """Say whether an argument is a query whose answer changes by itself."""
    keys = _STATEMENTS if _DATABASE.isdisjoint(_words(name)) else (*_STATEMENTS, *_QUERIES)
    return any(
        _ASKS_SQL.match(text) is not None and moves_by_itself(text)
        for key in keys
        for text in _texts(arguments.get(key))
    )


def _operates(arguments: Mapping[str, object]) -> bool:
    """Say whether an argument names an operation that is no reading one: ``{"action": "click"}``."""
    writing = _names().verbs["writing"]
    return any(not writing.isdisjoint(_words(text)) for key in _OPERATIONS for text in _texts(arguments.get(key)))


def _transfer(arguments: Mapping[str, object], footprint: Footprint) -> Footprint:
    """Return the footprint with what stands behind the addresses among the arguments."""
    domains: frozenset[Domain] = frozenset()
    addressed = False
    for key, value in arguments.items():
        for text in _texts(value):
            if key in _ADDRESSES or "://" in text[:32]:
                addressed = True
                found = hosts(text)
                domains |= BOTH if found is None else found
    if not addressed and footprint.depends != NETWORK:
        return footprint
    methods = [text for key in _OPERATIONS[:3] for text in _texts(arguments.get(key))]
    if any(method.upper() not in SAFE_METHODS for method in methods) or any(arguments.get(key) for key in _BODIES):
        changes = NETWORK | domains
        return Footprint(footprint.depends | changes, changes)
    return replace(footprint, depends=footprint.depends | domains)


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of an argument that is one, or a list of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:  # pyright: ignore[reportUnknownVariableType]  # JSON
            if isinstance(item, str):
                yield item


def footprint_of_name(name: str) -> Footprint:
    """Return the footprint that the verbs of a name promise; without a promise, everything.

    >>> footprint_of_name("mcp__github__list_issues").changes == frozenset()
    True
    >>> footprint_of_name("getOrCreateUser") == EVERYTHING
    True
    """
    ordered = _words(_SERVER.sub("", name))
    words = frozenset(ordered)
    names = _names()
    # getAndset
    glued = {word.removeprefix(joint) for word in words for joint in ("and", "or") if word.startswith(joint)}
    if words.isdisjoint(names.verbs["reading"]) or not names.verbs["writing"].isdisjoint(words | glued):
        return EVERYTHING
    starts = {word for before, word in zip(("and", *ordered), ordered, strict=False) if before in _JOINING}
    if not names.verbs["leading"].isdisjoint(starts):
        return EVERYTHING
    whole = frozenset(_words(name))  # the server of `mcp__git__fetch` says what is fetched
    if any(verb in words and not nouns.isdisjoint(whole) for verb, nouns in names.begun.items()):
        return EVERYTHING
    return Footprint(depends=BOTH, varies=not names.verbs["moving"].isdisjoint(words))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]
