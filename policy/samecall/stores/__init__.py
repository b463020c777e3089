"""Where the gate keeps its books: this process, a file, or a Redis server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .memory import MemoryStore
from .protocol import Cell, Store, Transaction

if TYPE_CHECKING:
    from .redis import RedisStore
    from .sqlite import SQLiteStore

__all__ = ["Cell", "MemoryStore", "RedisStore", "SQLiteStore", "Store", "Transaction"]


def __getattr__(name: str) -> object:
    """Import the stores that need more than the memory when they are asked for."""
    match name:
        case "SQLiteStore":
            from .sqlite import SQLiteStore as store  # noqa: N813, PLC0415 - lazy
        case "RedisStore":
            from .redis import RedisStore as store  # noqa: N813, PLC0415 - lazy
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return store
