"""What the words of a command tell about a program's arguments before the shell has run: a text, or its beginning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from ..syntax import Active, Expansion, Parameter, Part, Substitution, Text, Word


@dataclass(frozen=True, slots=True)
class Opaque:
    """Words that only the shell knows: each begins with ``prefix``; ``single`` says that there is exactly one."""

    prefix: str
    single: bool


Argument: TypeAlias = str | Opaque

ANYTHING = Opaque("", single=False)
"""Any number of any words."""

OPERAND = Opaque("./", single=True)
"""One word of which we know only that it is no option."""

_NAME = re.compile(r"[A-Za-z_]\w*\+?=\Z")  # the active name= of export, declare, env
_ACTIVE = re.compile(r"[*?\[{~$]")
_NUMBERS = frozenset("#?$!")


def argument(word: Word) -> Argument:
    """Return what is known of a word before expansion.

    >>> argument(Word((Text("src/"), Active("*"), Text(".py"))))
    Opaque(prefix='src/', single=False)
    >>> argument(Word((Text("src/"), Parameter("x", quoted=False)))) == ANYTHING
    True
    """
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].value
    if any(_splits(part) for part in parts):
        return ANYTHING
    prefix: list[str] = []
    for index, part in enumerate(parts):
        known, whole = _beginning(part, first=index == 0)
        prefix.append(known)
        if not whole:
            return Opaque("".join(prefix), single=all(map(_is_single, parts)))
    return "".join(prefix)


def _splits(part: Part) -> bool:
    """Say whether the part may become several words of which only the first begins like the word."""
    match part:
        case Parameter(name, quoted):
            return name in {"@", "*"} or not (quoted or name in _NUMBERS)
        case Expansion(source, quoted):
            return not (quoted or source.startswith("$((")) or "@" in source
        case Substitution(opening, _, quoted):
            return opening == "$(" and not quoted
        case Active(source):
            return "$" in source  # $'…' of an unknown locale, or an expansion between braces
        case Text():
            return False


def _beginning(part: Part, *, first: bool) -> tuple[str, bool]:
    """Return the text with which the part begins, and whether that is all of it."""
    match part:
        case Text(value):
            return value, True
        case Active(source) if _NAME.match(source):
            return source, True
        case Active(source) if first and source.startswith("~"):
            return "/", False  # a home directory; where there is none, "~", which is no option either
        case Active(source):
            return _ACTIVE.split(source, maxsplit=1)[0], False
        case Substitution(opening) if opening != "$(":
            return "/dev/fd/", False
        case Parameter(name) if name in _NUMBERS:
            return "0", False
        case _:
            return "", False


def _is_single(part: Part) -> bool:
    return not isinstance(part, Active) or part.source.startswith("~") or _NAME.match(part.source) is not None


def may_be_option(argument: Argument) -> bool:
    """Say whether a program may take the argument for an option.

    >>> may_be_option("-n"), may_be_option("-"), may_be_option(Opaque("src/", single=True))
    (True, False, False)
    """
    if isinstance(argument, str):
        return len(argument) > 1 and argument[0] == "-"
    return not argument.prefix or argument.prefix[0] == "-"
