"""What a generated command means, apart from how it is spelled.

Independent of callkey's own tree on purpose: the judge must not learn the rules from the judged. One model renders in
many spellings (``spelling``), and one change of a model is another command (``near_misses``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

# --- words ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lit:
    """Characters that stand for themselves, whatever quotes that takes."""

    text: str


@dataclass(frozen=True, slots=True)
class Active:
    """Unquoted source that bash acts on: a glob, a tilde prefix, braces."""

    source: str


@dataclass(frozen=True, slots=True)
class Param:
    """``$name``."""

    name: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Fixed:
    """An expansion with one spelling, such as ``${x:-a b}``."""

    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arith:
    """``$((tokens))``; blanks between tokens mean nothing."""

    tokens: tuple[str, ...]
    quoted: bool


@dataclass(frozen=True, slots=True)
class Sub:
    """``$(body)``."""

    body: Script
    quoted: bool


@dataclass(frozen=True, slots=True)
class ProcSub:
    """``<(body)``."""

    body: Script


Atom: TypeAlias = Lit | Active | Param | Fixed | Arith | Sub | ProcSub


@dataclass(frozen=True, slots=True)
class Word:
    """At least one atom."""

    atoms: tuple[Atom, ...]


# --- simple commands ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """``name=value``, or ``name=(words)``; ``operator`` is ``=`` or ``+=``."""

    name: str
    operator: str
    value: Word | tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """``fd operator target``; ``fd`` is ``""`` for the operator's own."""

    fd: str
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Both:
    """Output and errors to one file: ``&>f``, ``>f 2>&1``, ``>&f``."""

    append: bool
    target: Word


@dataclass(frozen=True, slots=True)
class HereDoc:
    """Lines of standard input. Source where ``expands``, else text."""

    fd: str
    lines: tuple[str, ...]
    expands: bool


AnyRedirect: TypeAlias = Redirect | Both | HereDoc


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command; without words it only assigns or opens files."""

    assigns: tuple[Assign, ...] = ()
    words: tuple[Word, ...] = ()
    redirects: tuple[AnyRedirect, ...] = ()


# --- compound commands ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """``{ body; }``."""

    body: Script
    redirects: tuple[AnyRedirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Subshell:
    """``( body )``."""

    body: Script
    redirects: tuple[AnyRedirect, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """(condition, body) pairs, then the ``else`` body."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None
    redirects: tuple[AnyRedirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """``while`` or ``until``; the body always ends in ``break``."""

    keyword: str
    condition: Script
    body: Script
    redirects: tuple[AnyRedirect, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """``for``/``select``; ``words`` is ``None`` for the positional parameters."""

    keyword: str
    name: str
    words: tuple[Word, ...] | None
    body: Script
    redirects: tuple[AnyRedirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """``pattern | pattern) body end``."""

    patterns: tuple[Word, ...]
    body: Script
    end: str


@dataclass(frozen=True, slots=True)
class Case:
    """``case word in … esac``."""

    word: Word
    clauses: tuple[Clause, ...]
    redirects: tuple[AnyRedirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """``[[ tokens ]]``."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArithCommand:
    """``((tokens))``."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A definition; a later ``Simple`` calls it."""

    name: str
    body: Group | Subshell


Stage: TypeAlias = Simple | Group | Subshell | If | Loop | For | Case | Test | ArithCommand | Function

# --- lists ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages with a pipe after each but the last; ``merged[i]`` sends stage i's errors along."""

    stages: tuple[Stage, ...]
    merged: tuple[bool, ...] = ()
    inverted: bool = False
    timed: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    """Pipelines with ``&&`` or ``||`` between them."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...] = ()
    background: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """Statements in order."""

    statements: tuple[AndOr, ...]


Node: TypeAlias = Atom | Word | Assign | Redirect | Both | HereDoc | Stage | Clause | Pipeline | AndOr | Script
