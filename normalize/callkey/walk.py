"""Go through a tree without knowing its types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from .syntax import Script


def walk(script: Script) -> Iterator[Any]:
    """Yield every node of a tree, substitutions and here-documents included, in no order.

    >>> from callkey.parse import parse
    >>> from callkey.syntax import Command
    >>> sum(isinstance(node, Command) for node in walk(parse("a $(b | c) && { d; }")))
    4
    """
    pending: list[Any] = [script]
    while pending:
        node = pending.pop()
        if node.__class__ is tuple:
            pending.extend(cast("tuple[Any, ...]", node))
        elif node.__class__ not in _LEAVES:
            yield node
            pending.extend([getattr(node, name) for name in node.__slots__])


_LEAVES = frozenset([str, bool, int, type(None)])
