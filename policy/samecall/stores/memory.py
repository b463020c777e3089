"""A store in this process: a lock and a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from .protocol import Cell, Result, Transaction


class MemoryStore:
    """Keeps sessions in this process, for as long as the store lives. Safe among threads."""

    blocking = False

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self._sessions: dict[str, dict[str, dict[bytes, bytes]]] = {}

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        """Run ``work`` under the lock; its writes are applied when it has returned."""
        with self._lock:
            transaction = _MemoryTransaction(self._sessions.get(session_id, {}))
            result = work(transaction)
            self._sessions[session_id] = transaction.commit()
            return result

    def forget(self, session_id: str) -> None:
        """Drop a session that is over."""
        with self._lock:
            self._sessions.pop(session_id, None)


class _MemoryTransaction:
    def __init__(self, buckets: dict[str, dict[bytes, bytes]]) -> None:
        self._buckets = buckets
        self._changes: dict[Cell, bytes | None] = {}
        self._dropped: set[str] = set()

    def read(self, cells: Sequence[Cell]) -> list[bytes | None]:
        return [self._buckets.get(bucket, {}).get(key) for bucket, key in cells]

    def write(self, changes: Mapping[Cell, bytes | None]) -> None:
        self._changes.update(changes)

    def drop(self, bucket: str) -> None:
        self._dropped.add(bucket)

    def scan(self) -> Iterable[tuple[Cell, bytes]]:
        return [((bucket, key), value) for bucket, records in self._buckets.items() for key, value in records.items()]

    def commit(self) -> dict[str, dict[bytes, bytes]]:
        """Apply the changes: only now, so that work that raises leaves everything as it was."""
        for bucket in self._dropped:
            self._buckets.pop(bucket, None)
        for (bucket, key), value in self._changes.items():
            if value is None:
                self._buckets.get(bucket, {}).pop(key, None)
            else:
                self._buckets.setdefault(bucket, {})[key] = value
        return self._buckets
