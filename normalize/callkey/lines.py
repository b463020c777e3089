"""Whether it shows that bash reads a script line by line, so that a newline is more than a ``;``.

An error in an expansion gives up the rest of its line, and the next line runs all the same; what bash cannot read in
a line keeps only that line and those after it from running (measured, Bash 5.2). So ``a; b`` and ``a``, newline, ``b``
are one only where neither can happen.
"""

from __future__ import annotations

import re
from typing import Any

from .syntax import Active, ArithmeticFor, Array, Assignment, Command, Expansion, Script, Test
from .walk import walk
from .words import literal

# Forms that cannot fail whatever the variables hold: no arithmetic, no indirection, no ${x?}, no element of $1.
_SAFE = re.compile(
    r"""\$\{ (?:
        \# [A-Za-z_][A-Za-z0-9_]* (?:\[(?:[@*]|0|[1-9][0-9]*)\])?
      | (?: [A-Za-z_][A-Za-z0-9_]* (?:\[(?:[@*]|0|[1-9][0-9]*)\])? | [0-9]+ | [@*] )
        (?: :?[-+][^$`]* | [\#%]{1,2}[^$`]* | /{1,2}[^$`]* | [\^,]{1,2}[^$`]*
          | :(?:0|[1-9][0-9]*)(?::(?:0|[1-9][0-9]*))? )?
    ) \}""",
    re.VERBOSE,
)
_LOCKS = frozenset(". builtin command declare enable eval local readonly shopt source trap typeset".split())
"""Commands after which assignments or globs may fail: read-only variables, ``failglob``, and what may set them."""
_READ_ONLY = frozenset("BASHOPTS BASH_VERSINFO EUID FUNCNEST PPID SHELLOPTS UID".split())
"""Variables that cannot be set from the start, and one that makes calls of functions fail (Bash 5.2, 5.2)."""


# What the source of everything that may fail holds.
_HINT = re.compile(r"[$`*?~{]|\[\[|\(\(|=\(|\]\+?=|(?:^|\s)\.|" + "|".join(sorted(_READ_ONLY | (_LOCKS - {"."}))))


def shows_lines(script: Script, text: str) -> bool:
    """Say whether a line of the script may fail as a line; ``text`` is its source."""
    if len(script.statements) < 2 or not (script.lines or "<<" in text):  # noqa: PLR2004  # one line in any case
        return False
    if _HINT.search(text) is None:
        return False
    # After the last statement there is nothing left of its line to give up.
    *others, last = script.statements
    return any(_may_fail(node) or _may_be_refused(node) for node in walk(Script(tuple(others)))) or any(
        _may_be_refused(node) for node in walk(Script((last,)))
    )


def _may_be_refused(node: Any) -> bool:
    """Say whether bash may not be able to read it, which keeps all of its line from running."""
    match node:
        case Test() | ArithmeticFor() | Array():
            return True
        case Active(source):
            return source.startswith("(")
        case _:
            return False


def _may_fail(node: Any) -> bool:
    """Say whether it may give up the rest of its line."""
    match node:
        case Expansion(source):
            return _SAFE.fullmatch(source) is None
        case Active(source):
            return "$" in source or "`" in source
        case Assignment(name):
            return name.endswith("]") or name in _READ_ONLY
        case Command(_, words):
            command = literal(words[0]) if words else ""
            return command is None or command in _LOCKS
        case _:
            return False
