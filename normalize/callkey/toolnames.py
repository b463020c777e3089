"""What a tool without a shell command does, judged by its name: a table of known tools, else the verbs in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .footprints.footprint import BOTH, EVERYTHING, FOOTPRINTS, Footprint
from .footprints.sql import only_asks
from .tables import read_table
from .tools import ToolCall, arguments_of

TYPING = Footprint(BOTH, BOTH, varies=True, waits=True)
"""Keystrokes for a running program, or a look at what it has done since: never the same twice."""

_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor"})
_STATEMENTS = ("sql", "statement")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SERVER = re.compile(r"mcp__(?:(?!__).)*__")


@dataclass(frozen=True, slots=True)
class _Names:
    known: Mapping[str, Footprint]
    verbs: Mapping[str, frozenset[str]]


@cache
def _names() -> _Names:
    table = read_table("tools.toml")
    footprints = {**FOOTPRINTS, "typing": TYPING}
    return _Names(
        known={name: footprints[effect] for effect, names in table["known"].items() for name in names},
        verbs={kind: frozenset(words.split()) for kind, words in table["verbs"].items()},
    )


def footprint_of_tool(call: ToolCall) -> Footprint:
    """Return the footprint of a tool that runs no shell command."""
    arguments = arguments_of(call)
    if call.name in _EDITORS:
        return FOOTPRINTS["read" if arguments.get("command") == "view" else "write"]
    known = _names().known.get(call.name)
    if known is not None:
        return known
    if any(not _is_question(arguments[name]) for name in _STATEMENTS if name in arguments):
        return EVERYTHING
    return footprint_of_name(call.name)


def _is_question(statement: object) -> bool:
    return isinstance(statement, str) and only_asks(statement)


def footprint_of_name(name: str) -> Footprint:
    """Return the footprint that the verbs of a name promise; without a promise, everything.

    >>> footprint_of_name("mcp__github__list_issues").changes == frozenset()
    True
    >>> footprint_of_name("getOrCreateUser") == EVERYTHING
    True
    """
    words = frozenset(word.lower() for word in _WORD.findall(_SERVER.sub("", name)))
    verbs = _names().verbs
    forbidden = verbs["writing"] | (verbs["opened"] if "open" in words else frozenset[str]())
    if not words & verbs["reading"] or words & forbidden:
        return EVERYTHING
    return Footprint(depends=BOTH, varies=bool(words & verbs["moving"]))
