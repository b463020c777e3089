"""Droid's ``stream-json``: ``tool_call`` and ``tool_result`` records with ``toolCallId``."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Drafts
from .values import Json, arguments, by_status, identity, instant, kind, obj, string, words

FORMAT = "droid"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are calls with these names, or the end of a stream."""
    return any(
        kind(record) in {"tool_call", "completion"} and ("toolCallId" in record or "finalText" in record)
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record."""
    draft = drafts.get()
    at = instant(record.get("timestamp"), 0.001)
    match record.get("type"), record.get("role"):
        case "message", "user":
            draft.turn()
        case ("message", "assistant") | ("completion", _):
            draft.text(string(record.get("text", record.get("finalText"))))
        case "tool_call", _:
            draft.batch()
            given = arguments(record.get("parameters"))
            draft.call(string(record.get("toolName")), given, identity(record.get("toolCallId")), started=at)
        case "tool_result", _:
            value = record.get("value")
            text = words(obj(value).get("stdout", value))
            outcome = by_status(obj(value).get("exitCode"), text)
            draft.result(string(record.get("toolCallId")), text, outcome, ended=at)
        case _:
            return False
    return True
