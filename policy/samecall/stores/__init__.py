"""Where the gate keeps its books: this process, a file, or a Redis server."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .memory import MemoryStore
from .protocol import Cell, Store, Transaction

if TYPE_CHECKING:
    from .redis import RedisStore
    from .sqlite import SQLiteStore

__all__ = ["Cell", "MemoryStore", "RedisStore", "SQLiteStore", "Store", "Transaction"]


def __getattr__(name: str) -> object:
    """Import the stores that need more than memory when they are asked for."""
    modules = {"SQLiteStore": "sqlite", "RedisStore": "redis"}
    if name not in modules:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    store: object = getattr(import_module(f".{modules[name]}", __name__), name)
    return store
