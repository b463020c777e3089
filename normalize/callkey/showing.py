"""Whether the words of a script can be taken for what they say, and whether its messages are looked at."""

from __future__ import annotations

from .syntax import Command, Function, Redirect, Script
from .walk import walk
from .words import literal

_CHANGES_MEANING = frozenset([".", "alias", "enable", "eval", "exec", "set", "shopt", "source", "trap", "unalias"])
"""Builtins after which a name, an exit status or standard output may mean something else (Bash 5.2, 4)."""


def means_what_it_says(script: Script) -> bool:
    """Say whether names of programs, exit statuses and standard output are those of a fresh shell all through."""
    return not any(
        isinstance(node, Function)
        or (isinstance(node, Command) and bool(node.words) and literal(node.words[0]) in _CHANGES_MEANING)
        for node in walk(script)
    )


def shows_errors(script: Script) -> bool:
    """Say whether some standard error of the script is redirected or merged, so that its text may be looked at."""
    return any(
        isinstance(node, Redirect)
        and (node.descriptor not in ("", "0", "1") or node.operator in ("&>", "&>>", ">&", "<&"))
        for node in walk(script)
    )


def texts(command: Command) -> tuple[str, ...] | None:
    """Return the words of a command that are all text, else ``None``."""
    found: list[str] = []
    for word in command.words:
        text = literal(word)
        if text is None:
            return None
        found.append(text)
    return tuple(found)
