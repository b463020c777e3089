"""A session's books as plain JSON, to be kept with the caller's own checkpoint."""

from __future__ import annotations

from typing import Any, cast

from .errors import SnapshotError
from .stores.protocol import Cell, Transaction

SNAPSHOT_VERSION = 1


def save(transaction: Transaction) -> dict[str, Any]:
    """Return every record of the session."""
    records = [[bucket, key.hex(), value.hex()] for (bucket, key), value in transaction.scan()]
    return {"v": SNAPSHOT_VERSION, "records": records}


def read(snapshot: object) -> dict[Cell, bytes | None]:
    """Return the records of a snapshot. Raises ``SnapshotError`` for anything else."""
    try:
        body = cast("dict[str, Any]", snapshot)
        if body["v"] != SNAPSHOT_VERSION:
            raise SnapshotError(f"made by another version: {body['v']}")
        return {(bucket, bytes.fromhex(key)): bytes.fromhex(value) for bucket, key, value in body["records"]}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"not a snapshot: {type(error).__name__}") from None


def load(transaction: Transaction, records: dict[Cell, bytes | None]) -> bool:
    """Put a snapshot's records in place of the session's: what was spent after it was taken does not count."""
    for bucket in {bucket for (bucket, _), _ in transaction.scan()}:
        transaction.drop(bucket)
    transaction.write(records)
    return True
