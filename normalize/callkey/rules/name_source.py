"""``source`` is a synonym of ``.`` (Bash 5.2, 4.2); the one that is a word reads better."""

from __future__ import annotations

from dataclasses import replace

from ..syntax import Command, Text, Word

exact = True

_DOT = Word((Text("."),))
_SOURCE = Word((Text("source"),))


def name_source(command: Command) -> Command:
    """Write ``. f`` as ``source f``.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize(". ./env").exact
    'source ./env'
    """
    if len(command.words) > 1 and command.words[0] == _DOT:
        return replace(command, words=(_SOURCE, *command.words[1:]))
    return command
