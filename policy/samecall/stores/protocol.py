"""What the gate needs of a store: run a piece of work alone on one session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

Result = TypeVar("Result")

Cell: TypeAlias = tuple[str, bytes]
"""A record's place in its session: a bucket, and a key within it."""


class Transaction(Protocol):
    """One session's records while nobody else changes them."""

    def read(self, cells: Sequence[Cell]) -> list[bytes | None]:
        """Return the records in these cells, ``None`` where there is none. One round trip."""
        ...

    def write(self, changes: Mapping[Cell, bytes | None]) -> None:
        """Set records, or remove them (``None``). A transaction reads before it writes."""
        ...

    def drop(self, bucket: str) -> None:
        """Remove a whole bucket."""
        ...

    def scan(self) -> Iterable[tuple[Cell, bytes]]:
        """Return every record of the session."""
        ...


class Store(Protocol):
    """Where sessions live. Raises ``StoreError`` when it cannot be reached."""

    @property
    def blocking(self) -> bool:
        """Whether a transaction may wait for others: async callers then run it in a thread."""
        ...

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        """Run ``work`` alone on one session: all of its changes are seen, or none.

        A store may run ``work`` again after a conflict, so ``work`` has no effects but on its transaction.
        """
        ...
