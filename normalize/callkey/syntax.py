"""Our syntax tree: what a command says once quotes, blanks and comments are gone.

Frozen, compared by value, without behaviour. Two sources with equal trees do the same in bash; that is the
only reason why a distinction is or is not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# --- words ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand for themselves, quotes gone. ``Text("")`` is a quoted nothing, which is a word too."""

    value: str


@dataclass(frozen=True, slots=True)
class Active:
    """Unquoted source that bash reads as more than text: a glob, a tilde, a brace, the ``name=`` of an argument."""

    source: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$name`` or ``${name}``, and nothing else between the braces. ``quoted`` forbids splitting and globbing."""

    name: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Expansion:
    """Any other expansion, its source kept: ``${x:-y}``, ``$((…))``, ``$"…"``."""

    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(body)``, backticks included, or process substitution; ``opening`` is ``$(``, ``<(`` or ``>(``."""

    opening: str
    body: Script
    quoted: bool


Part: TypeAlias = Text | Active | Parameter | Expansion | Substitution


@dataclass(frozen=True, slots=True)
class Word:
    """One shell word: its parts in order, adjacent texts joined."""

    parts: tuple[Part, ...]


# --- simple commands ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HereDoc:
    """The body of a here-document, as a word of quoted parts: its delimiter says nothing about behaviour."""

    body: Word


@dataclass(frozen=True, slots=True)
class Redirect:
    """``descriptor operator target``; the descriptor is ``""`` (the operator's default), digits, or ``{name}``."""

    descriptor: str
    operator: str
    target: Word | HereDoc


@dataclass(frozen=True, slots=True)
class Array:
    """``(…)`` of an array assignment, its source kept."""

    source: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """``name=value`` before the words of a command; ``name`` includes a subscript, ``operator`` is ``=`` or ``+=``."""

    name: str
    operator: str
    value: Word | Array


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


# --- compound commands ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """``{ body; }``."""

    body: Script
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Subshell:
    """``( body )``."""

    body: Script
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """``if``/``elif`` as (condition, body) pairs, then the ``else`` body if there is one."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    """``while`` or ``until``."""

    keyword: Literal["while", "until"]
    condition: Script
    body: Script
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """``for`` or ``select``; ``words`` is ``None`` where ``in`` is left out."""

    keyword: Literal["for", "select"]
    name: str
    words: tuple[Word, ...] | None
    body: Script
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class ArithmeticFor:
    """``for ((source))``."""

    source: str
    body: Script
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """One ``pattern | pattern) body`` of a ``case``; ``end`` is ``;;``, ``;&`` or ``;;&``."""

    patterns: tuple[Word, ...]
    body: Script
    end: str


@dataclass(frozen=True, slots=True)
class Case:
    """``case word in … esac``."""

    word: Word
    clauses: tuple[Clause, ...]
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """``[[ source ]]``."""

    source: str
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``((source))``."""

    source: str
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """``name() body``; redirects belong to the body."""

    name: str
    body: Compound


Compound: TypeAlias = Group | Subshell | If | While | For | ArithmeticFor | Case | Test | Arithmetic
Stage: TypeAlias = Command | Compound | Function

# --- lists ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages joined by ``|``; ``prefix`` holds ``!``, ``time`` and ``time -p`` in order."""

    stages: tuple[Stage, ...]
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """Pipelines joined by ``&&`` and ``||`` (one operator fewer than pipelines), perhaps in the background."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...] = ()
    background: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """Statements in order. A script without statements is blank or only a comment.

    ``lines`` is ``None`` where it does not show that bash reads a script line by line; else it holds the indexes of the
    statements that a newline ends (see ``lines.py``).
    """

    statements: tuple[Statement, ...]
    lines: tuple[int, ...] | None = None
