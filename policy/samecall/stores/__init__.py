"""Where the gate keeps its books: this process, a file, or a Redis server."""

from .memory import MemoryStore
from .protocol import Cell, Store, Transaction

__all__ = ["Cell", "MemoryStore", "Store", "Transaction"]
