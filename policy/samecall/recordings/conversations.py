"""Files of whole conversations: an object with ``messages`` or ``traj`` is a session, a bare message belongs to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .values import Json, items

_WHOLE = ("messages", "traj", "trajectory", "history", "context")


def messages_of(record: Json) -> list[Json]:
    """Return the messages of a record that is a conversation."""
    return items(record.get("messages", record.get("traj")))


def are_many(records: Sequence[Json]) -> bool:
    """Say whether there are several whole sessions among a file's first records."""
    return sum(any(name in record for name in _WHOLE) for record in records) > 1


def conversations(records: Sequence[Json]) -> Iterator[list[Json]]:
    """Return the conversations among a file's records; all bare messages are one."""
    bare: list[Json] = []
    for record in records:
        messages = messages_of(record)
        if messages:
            yield messages
        else:
            bare.append(record)
    if bare:
        yield bare


def every_message(records: Sequence[Json]) -> Iterator[Json]:
    """Return the messages of all conversations."""
    for conversation in conversations(records):
        yield from conversation
