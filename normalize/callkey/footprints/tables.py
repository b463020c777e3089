"""Read the tables of programs, ``data/effects/*.toml``, when the first command is judged.

Each file names its sources. A table is one program, or several that are alike:

* ``options = "-a -b= --color?"`` are harmless: without a value, with one, with one that must touch. An option that is
  not among them leaves the usage, unless ``writers`` is there: then these are all that write. A table with neither
  describes a program that no option makes write.
* a list named by a footprint (``read = ["log", "image ls|inspect"]``) holds subcommands that any option but the
  program's ``writers`` leaves what they are (its ``waiting`` ones make them wait);
  ``[program.usage."sub command"]`` describes one more closely, as a list
  of alternatives where several ways to run it read.
* ``anywhere`` are options that may stand before the subcommand and behind it, ``or`` further alternatives.
* ``[simple]`` lists programs that need no table, by footprint.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from .facts import Node, Program, Usage, Value
from .footprint import EVERYTHING, FOOTPRINTS

# Of a program with subcommands, what may stand alone. Other options leave it to do what it does without any.
_EXPLAINING = "-h --help -help -v -V --version -version"


@cache
def programs() -> Mapping[str, Program]:
    """Return every program of the tables by its name."""
    table: dict[str, Program] = {}
    for entry in Path(__file__).parents[1].joinpath("data", "effects").iterdir():
        for name, program in _read(tomllib.loads(entry.read_text("utf-8"))):
            if name in table:
                raise ValueError(f"{entry.name}: {name} is described twice")
            table[name] = program
    return table


def _read(document: dict[str, Any]) -> Iterator[tuple[str, Program]]:
    simple: dict[str, list[str]] = document.pop("simple", {})
    for effect, listed in simple.items():
        usage = Usage(FOOTPRINTS[effect], FOOTPRINTS[effect])
        for name in listed:
            yield name, Program(usage, Node((usage,)))
    del document["source"]
    for names, described in document.items():
        program = _program(described)
        for name in names.split():
            yield name, program


def _program(table: dict[str, Any]) -> Program:
    table = dict(table)
    details: dict[str, Any] = table.pop("usage", {})
    lists: dict[str, list[str]] = {effect: table.pop(effect) for effect in FOOTPRINTS if effect in table}
    alternatives: list[dict[str, Any]] = table.pop("or", [])
    anywhere: str = table.pop("anywhere", "")
    alone: bool = table.pop("alone", not (lists or details))
    writers = waiting = ""
    if lists or details:
        writers = table.pop("writers", "")
        waiting = table.pop("waiting", "")
        table["operands"] = 0  # a word that is no subcommand of ours
        table["options"] = f"{anywhere} {table.get('options', '')}"
        if not alone:
            table.setdefault("needs", _EXPLAINING)
    before = _usage(table)
    root = Node((before, *map(_usage, alternatives)))
    shared = _options(anywhere)
    for effect, paths in lists.items():
        footprint = FOOTPRINTS[effect]
        otherwise = footprint if footprint.changes else EVERYTHING
        usage = Usage(
            footprint,
            otherwise,
            shared,
            frozenset(writers.split()),
            waiting=frozenset() if footprint.changes else frozenset(waiting.split()),
        )
        for path in paths:
            for node in _places(root, path.split()):
                node.usages = (usage,)
    for named, described in details.items():
        ways = cast("list[dict[str, Any]]", described if isinstance(described, list) else [described])
        usages = tuple(replace(usage, options={**shared, **usage.options}) for usage in map(_usage, ways))
        for path in named.split(", "):
            for node in _places(root, path.split()):
                node.usages = usages
    for child in root.children():
        _forbid_strays(child)
    return Program(before, root, alone)


def _forbid_strays(node: Node) -> None:
    """Where a subcommand may follow, any other word is one that we do not know."""
    children = tuple(node.children())
    if children:
        node.usages = tuple(replace(usage, operands=0) if usage.operands is None else usage for usage in node.usages)
    for child in children:
        _forbid_strays(child)


def _places(node: Node, words: list[str]) -> Iterator[Node]:
    """Yield the nodes of a path such as ``image|volume ls``, made where they are missing."""
    if not words:
        yield node
        return
    for word in words[0].split("|"):
        if "*" in word:
            child = next((child for pattern, child in node.globs if pattern == word), None)
            if child is None:
                child = Node()
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
        clock=re.compile(table["clock"]) if "clock" in table else None,
        waiting=frozenset(table.get("waiting", "").split()),
        values={option: re.compile(pattern, re.DOTALL) for option, pattern in table.get("values", {}).items()},
        needs=frozenset(table.get("needs", "").split()),
        closed="options" in table and "writers" not in table,
        operands=table.get("operands"),
        least=table.get("least", 0),
        operand=re.compile(table["operand"], re.DOTALL) if "operand" in table else None,
        permutes=table.get("permutes", True),
        clusters=table.get("clusters", True),
        bundled=table.get("bundled", False),
        language=table.get("language", ""),
        skips=table.get("skips", 0),
        clauses=frozenset(table.get("clauses", "").split()),
        inner=table.get("inner", ""),
    )


def _options(text: str) -> Mapping[str, Value]:
    """Read ``-a -b= --color?``.

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
