"""Read a sed script far enough to know that it only prints. GNU sed 4.9, sections 3 to 5."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .facts import Usage
from .footprint import Footprint
from .usage import Reading

if TYPE_CHECKING:
    from .execution import Runner

_BLANK = re.compile(r"[\s;]*")
_ADDRESS = re.compile(r"\d+(?:~\d+)?|\$|[+~]\d+")
_REGEX_FLAGS = re.compile(r"[IM]*")
_BARE = frozenset("=dDgGhHnNpPxzF{}")
_NUMBERED = re.compile(r"[lLqQ]\s*\d*")
_LABEL = re.compile(r"[:btTrR][^\n;}]*")  # r and R read a file
_TEXT = re.compile(r"[aic](?:\\\n|[^\n\\]|\\.)*", re.DOTALL)
_END = re.compile(r"\s*(?:[;\n}#]|\Z)")
_PRINTING_FLAGS = re.compile(r"[gpiIMm0-9]*")  # not e (run) nor w (write)


def run_sed(usage: Usage, reading: Reading, _: Runner) -> Footprint | None:
    """Judge a sed command by its scripts."""
    scripts = reading.values("-e", "--expression") or list(reading.operands[:1])
    if scripts and all(isinstance(script, str) and only_prints(script) for script in scripts):
        return usage.footprint
    return None


def only_prints(script: str) -> bool:
    """Say whether a sed script neither writes files nor runs commands.

    >>> only_prints("/a/,$s/b/c/g;p"), only_prints("s/b/c/w out"), only_prints("1e date")
    (True, False, False)
    """
    at = _skip(script, 0)
    while at < len(script):
        after = _command(script, at)
        if after is None:
            return False
        at = _skip(script, after)
    return True


def _skip(script: str, at: int) -> int:
    match = _BLANK.match(script, at)
    return match.end() if match else at


def _command(script: str, start: int) -> int | None:
    at: int | None = start
    if script[start] == "#":
        return _line_end(script, start)
    at = _address(script, start)
    if at is not None and script.startswith(",", at):
        at = _address(script, _spaces(script, at + 1))
    if at is None:
        return None
    at = _spaces(script, at)
    while script.startswith("!", at):
        at = _spaces(script, at + 1)
    letter = script[at : at + 1]
    if letter in _BARE and letter:
        return _ended(script, at + 1, block=letter in "{}")
    if letter in {"s", "y"}:
        return _substitution(script, at)
    for pattern in (_NUMBERED, _LABEL, _TEXT):
        match = pattern.match(script, at)
        if match:
            return match.end()
    return None


def _ended(script: str, at: int, *, block: bool) -> int | None:
    if block:
        return at
    match = _END.match(script, at)
    return at if match else None


def _substitution(script: str, at: int) -> int | None:
    delimiter = script[at + 1 : at + 2]
    if not delimiter or delimiter in "\\\n":
        return None
    middle = _delimited(script, at + 2, delimiter, pattern=True)
    end = None if middle is None else _delimited(script, middle, delimiter, pattern=False)
    if end is None:
        return None
    flags = _PRINTING_FLAGS.match(script, end) if script[at] == "s" else None
    return _ended(script, flags.end() if flags else end, block=False)


def _address(script: str, at: int) -> int | None:
    match = _ADDRESS.match(script, at)
    if match:
        return _spaces(script, match.end())
    delimiter = script[at : at + 1]
    if delimiter == "\\":
        at += 1
        delimiter = script[at : at + 1]
    elif delimiter != "/":
        return at
    if not delimiter:
        return None
    end = _delimited(script, at + 1, delimiter, pattern=True)
    if end is None:
        return None
    flags = _REGEX_FLAGS.match(script, end)
    return _spaces(script, flags.end() if flags else end)


def _delimited(script: str, at: int, delimiter: str, *, pattern: bool) -> int | None:
    """Return the offset after the next unescaped delimiter.

    Whether a delimiter inside ``[…]`` ends the pattern is not the same everywhere, so such a script is not read.
    """
    start = at
    while at < len(script):
        character = script[at]
        if character == "\\":
            at += 2
        elif character == delimiter:
            if pattern and _opens_bracket(script[start:at]):
                return None
            return at + 1
        else:
            at += 1
    return None


_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CLOSED = re.compile(r"(?:[^\[]|\[\^?+\]?+(?:[^\]\[]|\[[:.=][^\]\[]++(?<=[:.=])\]|\[(?![:.=]))*+\])*+")


def _opens_bracket(text: str) -> bool:
    return _CLOSED.fullmatch(_ESCAPE.sub("x", text)) is None


def _spaces(script: str, at: int) -> int:
    while script.startswith((" ", "\t"), at):
        at += 1
    return at


def _line_end(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end
