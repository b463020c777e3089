"""Tables of programs, read from ``data/effects/*.toml`` when the first command is judged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from .footprint import EVERYTHING, FOOTPRINTS, Footprint

Value: TypeAlias = Literal["none", "attached", "next"]
"""Whether an option takes no value, one that must touch it, or one that may be the next word."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One way to run a program, and its footprint where ``options`` and operands stay within it.

    ``options`` are harmless. Where ``closed``, any other option is unknown and the footprint is ``otherwise``;
    where not, ``writers`` are all the options that write, by the manual. ``varying`` options make the result change
    by itself. ``operands`` is their greatest number, ``least`` the smallest, ``operand`` what each of them must match, ``needs`` options of
    which one must be there. ``permutes`` says that options may follow operands. ``language`` names the judge of what
    no table can describe; ``skips`` operands stand before a wrapped command.
    ``bundled`` says that the first word may be letters of options without a dash. ``clauses`` are options that a command
    follows, up to ``;``, and ``inner`` says which: ``path`` and ``name`` for one with ``{}``, ``module`` for Python's; ``values`` is what the value of an option must match.
    """

    footprint: Footprint
    otherwise: Footprint = EVERYTHING
    options: Mapping[str, Value] = field(default_factory=dict)
    writers: frozenset[str] = frozenset()
    varying: frozenset[str] = frozenset()
    closed: bool = False
    operands: int | None = None
    least: int = 0
    operand: re.Pattern[str] | None = None
    needs: frozenset[str] = frozenset()
    permutes: bool = True
    clusters: bool = True
    language: str = ""
    skips: int = 0
    bundled: bool = False
    clauses: frozenset[str] = frozenset()
    inner: str = ""
    values: Mapping[str, re.Pattern[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Node:
    """A place in the tree of subcommands: the usages that end here, and what may follow."""

    usages: tuple[Usage, ...] = ()
    words: dict[str, Node] = field(default_factory=dict)
    globs: list[tuple[str, Node]] = field(default_factory=list)

    def following(self, word: str) -> Iterator[Node]:
        """Yield the nodes that a word leads to, the named one first."""
        if word in self.words:
            yield self.words[word]
        for pattern, node in self.globs:
            if fnmatchcase(word, pattern):
                yield node


@dataclass(frozen=True, slots=True)
class Program:
    """A program: ``before`` are the harmless options before a subcommand, ``root`` the tree of subcommands.

    ``alone`` says that it may be run without any argument; where a subcommand is missing, most explain themselves,
    some do their default work (``yarn`` installs).
    """

    before: Usage
    root: Node
    alone: bool = True


@cache
def programs() -> Mapping[str, Program]:
    """Return every program of the tables by its name."""
    table: dict[str, Program] = {}
    for entry in sorted(files(__package__).joinpath("../data/effects").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            for name, program in _read(tomllib.loads(entry.read_text("utf-8"))):
                if name in table:
                    raise ValueError(f"{entry.name}: {name} is described twice")
                table[name] = program
    return table


def _read(document: dict[str, Any]) -> Iterator[tuple[str, Program]]:
    simple: dict[str, list[str]] = document.pop("simple", {})
    for effect, names in simple.items():
        usage = Usage(FOOTPRINTS[effect], FOOTPRINTS[effect])
        for name in names:
            yield name, Program(usage, Node((usage,)))
    for names, table in document.items():
        if names != "source":
            program = _program(table)
            for name in names.split():
                yield name, program


def _program(table: dict[str, Any]) -> Program:
    table = dict(table)
    details: dict[str, Any] = table.pop("usage", {})
    lists = {effect: table.pop(effect) for effect in FOOTPRINTS if effect in table}
    anywhere = table.pop("anywhere", "")
    alone = table.pop("alone", not (lists or details))
    alternatives: list[dict[str, Any]] = table.pop("or", [])
    if lists or details:
        table["operands"] = 0  # a word that is no subcommand of ours
        table["options"] = f"{anywhere} {table.get('options', '')}"
    before = _usage(table)
    shared = _options(anywhere)
    root = Node((before, *map(_usage, alternatives)))
    for effect, paths in lists.items():
        usage = Usage(FOOTPRINTS[effect], FOOTPRINTS[effect], shared)
        for path in paths:
            for node in _places(root, path.split()):
                node.usages = (usage,)
    for paths, detail in details.items():
        usages = tuple(map(_usage, detail if isinstance(detail, list) else [detail]))
        usages = tuple(replace(usage, options={**shared, **usage.options}) for usage in usages)
        for path in paths.split(", "):
            for node in _places(root, path.split()):
                node.usages = usages
    for child in _children(root):
        _forbid_strays(child)
    return Program(before, root, alone)


def _children(node: Node) -> list[Node]:
    return [*node.words.values(), *(child for _, child in node.globs)]


def _forbid_strays(node: Node) -> None:
    """Where a subcommand may follow, any other word is one that we do not know."""
    children = _children(node)
    if children:
        node.usages = tuple(
            usage if usage.operands is not None else replace(usage, operands=0) for usage in node.usages
        )
    for child in children:
        _forbid_strays(child)


def _places(node: Node, words: list[str]) -> Iterator[Node]:
    """Yield the nodes of a path such as ``image|volume ls``, made where they are missing."""
    if not words:
        yield node
        return
    for word in words[0].split("|"):
        if "*" in word:
            known = next((child for pattern, child in node.globs if pattern == word), None)
            child = known or Node()
            if known is None:
                node.globs.append((word, child))
        else:
            child = node.words.setdefault(word, Node())
        yield from _places(child, words[1:])


def _usage(table: dict[str, Any]) -> Usage:
    return Usage(
        footprint=FOOTPRINTS[table.get("effect", "read")],
        otherwise=FOOTPRINTS[table.get("otherwise", "everything")],
        options=_options(table.get("options", "")),
        writers=frozenset(table.get("writers", "").split()),
        varying=frozenset(table.get("varying", "").split()),
        closed=table.get("closed", "options" in table and "writers" not in table),
        operands=table.get("operands"),
        least=table.get("least", 0),
        operand=re.compile(table["operand"], re.DOTALL) if "operand" in table else None,
        needs=frozenset(table.get("needs", "").split()),
        permutes=table.get("permutes", True),
        clusters=table.get("clusters", True),
        language=table.get("language", ""),
        skips=table.get("skips", 0),
        bundled=table.get("bundled", False),
        inner=table.get("inner", ""),
        clauses=frozenset(table.get("clauses", "").split()),
        values={option: re.compile(pattern, re.DOTALL) for option, pattern in table.get("values", {}).items()},
    )


def _options(text: str) -> Mapping[str, Value]:
    """Read ``-a -b= --color?``: no value, a value, a value only where it touches.

    >>> dict(_options("-a -b= --color?"))
    {'-a': 'none', '-b': 'next', '--color': 'attached'}
    """
    options: dict[str, Value] = {}
    for option in text.split():
        if option.endswith("="):
            options[option[:-1]] = "next"
        elif option.endswith("?"):
            options[option[:-1]] = "attached"
        else:
            options[option] = "none"
    return options
