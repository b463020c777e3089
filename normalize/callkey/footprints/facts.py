"""What a table says of a program: the ways to run it that are understood, and what each does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from .footprint import EVERYTHING, Footprint

Value: TypeAlias = Literal["none", "attached", "next"]
"""Whether an option takes no value, one that must touch it, or one that may be the next word."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One way to run a program: its ``footprint`` while the arguments keep within it, and ``otherwise`` if they do not.

    ``options`` are harmless. Where ``closed``, any other option leaves the usage; where not, ``writers`` are all that
    do, by the manual. ``varying`` options make the result change by itself, and so does an argument that ``clock``
    matches; ``waiting`` ones let time pass.
    ``clock`` sees an option with its value as ``--option=value``, however they are written.
    ``values`` is what the value of an option must match. ``needs`` names options of which one must be there.

    ``operands`` is the greatest number of operands, ``least`` the smallest, ``operand`` what each must match.
    ``permutes`` says that options may follow operands, ``clusters`` that ``-ab`` is ``-a -b``, ``bundled`` that the
    first word may be options without a dash (``tar xf``).

    ``language`` names the judge of what no table can describe. ``skips`` operands stand before a wrapped command.
    ``clauses`` are options that a command follows, up to ``;``, and ``inner`` says how it names what was found
    (``path``, ``name``), or that it is a Python ``module``.
    """

    footprint: Footprint
    otherwise: Footprint = EVERYTHING
    options: Mapping[str, Value] = field(default_factory=dict[str, Value])
    writers: frozenset[str] = frozenset()
    varying: frozenset[str] = frozenset()
    clock: re.Pattern[str] | None = None
    waiting: frozenset[str] = frozenset()
    values: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    needs: frozenset[str] = frozenset()
    closed: bool = False
    operands: int | None = None
    least: int = 0
    operand: re.Pattern[str] | None = None
    permutes: bool = True
    clusters: bool = True
    bundled: bool = False
    language: str = ""
    skips: int = 0
    clauses: frozenset[str] = frozenset()
    inner: str = ""


@dataclass(slots=True)
class Node:
    """A place in the tree of subcommands: the usages that end here, the first that fits counts, and what may follow."""

    usages: tuple[Usage, ...] = ()
    words: dict[str, Node] = field(default_factory=dict[str, "Node"])
    globs: list[tuple[str, Node]] = field(default_factory=list[tuple[str, "Node"]])

    def following(self, word: str) -> Iterator[Node]:
        """Yield the nodes that a word leads to, the named one first."""
        if word in self.words:
            yield self.words[word]
        for pattern, node in self.globs:
            if fnmatchcase(word, pattern):
                yield node

    def children(self) -> Iterator[Node]:
        """Yield the nodes one word on."""
        yield from self.words.values()
        yield from (node for _, node in self.globs)


@dataclass(frozen=True, slots=True)
class Program:
    """A program: ``before`` are the harmless options before a subcommand, ``root`` the tree of subcommands.

    ``alone`` says that it may be run without any argument: where a subcommand is missing, most programs explain
    themselves, but some do their default work (``yarn`` installs).
    """

    before: Usage
    root: Node
    alone: bool = True
