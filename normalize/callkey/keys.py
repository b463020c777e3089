"""STUB with the final interface: keys of tool calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .tools import ToolCall

KEY_VERSION = 1


@dataclass(frozen=True, slots=True)
class Key:
    """Says which calls are one. ``digest`` alone decides equality of work; ``view`` tells other showings apart.

    ``strategy`` is the one that made the key (``exact`` after a fallback), ``version`` is ``KEY_VERSION``,
    ``digest`` is 32 hexadecimal digits (BLAKE2b, 128 bits) over strategy, version and text,
    ``text`` is the canonical text (may hold arguments: never store or log it), ``view`` the dropped display stages
    (also text), ``view_digest`` its digest (``""`` where there is none), ``notes`` the names of the rules that
    changed something, ``problem`` why a fallback was taken (``""`` if none).
    """

    strategy: str
    version: int
    digest: str
    text: str
    view: str = ""
    view_digest: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""


KeyStrategy: TypeAlias = "str | Callable[[ToolCall], str | bytes | None]"


def key(call: ToolCall | str, strategy: KeyStrategy = "normalized") -> Key | None:
    """Return the key of a call (a string is a bash command); ``None`` only where a callable strategy says so."""
    text = call if isinstance(call, str) else json.dumps([call.name, call.input], sort_keys=True, default=repr)
    return Key("exact", KEY_VERSION, hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest(), text)
