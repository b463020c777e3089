"""Go through a tree without knowing its types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
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
        kind = node.__class__
        if kind is tuple:
            pending.extend(cast("tuple[Any, ...]", node))
        elif kind not in _LEAVES:
            yield node
            if kind not in _BRANCHES:
                _BRANCHES[kind] = tuple(field.name for field in fields(kind) if field.type not in _TEXTS)
            for name in _BRANCHES[kind]:
                pending.append(getattr(node, name))  # noqa: PERF401 - a list for each node takes longer


_LEAVES = frozenset([str, bool, int, type(None)])
_TEXTS = frozenset(["str", "bool"])
_BRANCHES: dict[type, tuple[str, ...]] = {}
"""Type of node -> its fields that may hold nodes, once it was met."""
