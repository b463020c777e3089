"""Any input of a tool -> bytes that say which input it is. JSON goes by RFC 8785, the rest by its own notation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

MAX_NODES = 1_000_000


def canonical_bytes(value: Any) -> tuple[bytes, str]:
    """Return the bytes of an input and, where it is not JSON as RFC 8785 has it, why. Raises nothing.

    Key order and the spelling of numbers do not count; everything else does.

    >>> canonical_bytes({"b": 1.0, "a": "x"})
    (b'{"a":"x","b":1}', '')
    >>> canonical_bytes(float("nan"))
    (b'not json: float nan', 'nan is not representable in JCS')
    """
    import rfc8785  # noqa: PLC0415  # 3 ms at import, which commands given as text never need

    try:
        return rfc8785.dumps(value), ""
    except RecursionError:
        problem = "nested too deeply for JSON"
    except Exception as error:  # noqa: BLE001  # whatever an input holds, it gets a key
        problem = str(error) or type(error).__name__
    return b"not json: " + _tagged(value).encode("utf-8", "surrogatepass"), problem


def _tagged(value: Any) -> str:
    """Write a structure with the types of its leaves, without recursion."""
    pieces: list[str] = []
    pending: list[Any] = [value]
    while pending:
        if len(pieces) > MAX_NODES:
            # Endless, as a list that holds itself: like nothing else, so that it is never a duplicate.
            return f"endless {os.urandom(16).hex()}"
        node = pending.pop()
        if isinstance(node, _Sign):
            pieces.append(node)
        elif isinstance(node, Mapping):
            table = cast("Mapping[Any, Any]", node)
            pieces.append(f"map {len(table)} ")
            for name in sorted(table, key=_name, reverse=True):
                pending += [table[name], _Sign(" "), name]
        elif isinstance(node, list | tuple):
            items = cast("Sequence[Any]", node)
            pieces.append(f"list {len(items)} ")
            for item in reversed(items):
                pending += [_Sign(" "), item]
        else:
            pieces.append(_leaf(node))
    return "".join(pieces)


class _Sign(str):
    """Notation between nodes, as against a string that is a node."""

    __slots__ = ()


def _name(name: object) -> tuple[str, str]:
    return type(name).__name__, str(name)


def _leaf(node: object) -> str:
    if isinstance(node, float) and node.is_integer() and abs(node) < 1e300:  # noqa: PLR2004  # 1.0 and 1 are one number
        node = int(node)
    if isinstance(node, str):
        return f"str {len(node)} {node}"
    try:
        text = repr(node)
    except Exception:  # noqa: BLE001  # a foreign __repr__
        text = " at 0x"
    if " at 0x" in text:
        # An address says nothing once the object is gone: like nothing else, so that it is never a duplicate.
        text = os.urandom(16).hex()
    return f"{type(node).__name__} {text}"
