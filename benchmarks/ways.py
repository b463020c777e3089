"""Which way a command takes through the engine."""

from __future__ import annotations

from callkey import canonicalize
from callkey.fast_path import print_plain
from callkey.parse import read_commands
from callkey.plain import is_plain
from callkey.regions import Source
from callkey.tokens import tokenize


def way(command: str) -> str:
    """Return ``raw``, ``text to text``, ``short`` (without bashlex) or ``masked`` (bashlex reads the skeleton)."""
    if canonicalize(command).raw:
        return "raw"
    if print_plain(command) is not None:
        return "text to text"
    tokens = tokenize(Source(command, 0, read_commands), 0, closing="")[0]
    return "short" if is_plain(tokens) else "masked"
