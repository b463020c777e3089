"""A store in a file, for many processes on one machine: SQLite with a write-ahead log."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import StoreError
from .protocol import Cell, Result, Transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    session TEXT NOT NULL, bucket TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (session, bucket, key)
) WITHOUT ROWID
"""


class SQLiteStore:
    """Keeps sessions in a file. Safe among threads and processes; what is committed outlives the process."""

    blocking = True

    def __init__(self, path: str | Path, *, timeout: float = 30.0) -> None:
        """Use the file at ``path``, made where it is missing; wait ``timeout`` seconds for other writers."""
        self._path = str(path)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        """Run ``work`` while this connection holds the file's write lock. Raises ``StoreError``."""
        with self._lock:
            try:
                connection = self._connect()
                # IMMEDIATE takes the write lock before the first read: two readers would both decide, then collide.
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                raise StoreError(f"{type(error).__name__}: {error}") from error
            try:
                result = work(_SQLiteTransaction(connection, session_id))
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back(connection)
                raise StoreError(f"{type(error).__name__}: {error}") from error
            except BaseException:
                self._roll_back(connection)
                raise
            return result

    def forget(self, session_id: str) -> None:
        """Drop a session that is over."""

        def drop(transaction: Transaction) -> None:
            for bucket in {bucket for (bucket, _), _ in transaction.scan()}:
                transaction.drop(bucket)

        self.transact(session_id, drop)

    def close(self) -> None:
        """Close the file; the next transaction opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None or self._owner != os.getpid():  # a connection must not cross a fork
            connection = sqlite3.connect(
                self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False
            )
            # The log survives a killed process; only a machine that loses power may lose the last transactions.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_SCHEMA)
            self._connection, self._owner = connection, os.getpid()
        return self._connection

    @staticmethod
    def _roll_back(connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


class _SQLiteTransaction:
    def __init__(self, connection: sqlite3.Connection, session_id: str) -> None:
        self._connection = connection
        self._session = session_id

    def read(self, cells: Sequence[Cell]) -> list[bytes | None]:
        # One by one: for a list of pairs SQLite 3.40 goes through the whole session.
        query = "SELECT value FROM records WHERE session = ? AND bucket = ? AND key = ?"
        found = (self._connection.execute(query, (self._session, *cell)).fetchone() for cell in cells)
        return [row and row[0] for row in found]

    def write(self, changes: Mapping[Cell, bytes | None]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
            [(self._session, *cell, value) for cell, value in changes.items() if value is not None],
        )
        self._connection.executemany(
            "DELETE FROM records WHERE session = ? AND bucket = ? AND key = ?",
            [(self._session, *cell) for cell, value in changes.items() if value is None],
        )

    def drop(self, bucket: str) -> None:
        self._connection.execute("DELETE FROM records WHERE session = ? AND bucket = ?", (self._session, bucket))

    def scan(self) -> Iterable[tuple[Cell, bytes]]:
        query = "SELECT bucket, key, value FROM records WHERE session = ?"
        return [((bucket, key), value) for bucket, key, value in self._connection.execute(query, (self._session,))]
