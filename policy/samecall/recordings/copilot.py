"""Copilot CLI events: ``assistant.message`` asks, ``tool.execution_start`` repeats the call, ``…_complete`` answers."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Drafts
from .values import Json, arguments, identity, instant, items, kind, obj, string, words

FORMAT = "copilot"

# Events that tell of no call.
_SILENT = ("session.", "assistant.", "hook.", "subagent.", "system.")


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are events of a session, a message or a tool."""
    return any(kind(record).startswith(("session.", "assistant.", "tool.")) and "data" in record for record in records)


def read(record: Json, drafts: Drafts) -> bool:
    """Read an event; a call is told apart by its id."""
    draft = drafts.get()
    body = obj(record.get("data"))
    call_id = string(body.get("toolCallId"))
    at = instant(record.get("timestamp"))
    match record.get("type"):
        case "user.message":
            draft.turn()
        case "assistant.message":
            draft.text(string(body.get("content")))
            draft.batch()
            for call in items(body.get("toolRequests")):
                given = arguments(call.get("arguments"))
                draft.call(string(call.get("name")), given, identity(call.get("toolCallId")), started=at)
        case "tool.execution_start":
            if not draft.has(call_id):
                draft.batch()
                draft.call(string(body.get("toolName")), arguments(body.get("arguments")), call_id or None, started=at)
        case "tool.execution_complete":
            failed = body.get("success") is False
            text = words(obj(body.get("result")).get("content"))
            draft.result(call_id, text, "failed" if failed else "succeeded", ended=at)
        case _:
            return kind(record).startswith(_SILENT)
    return True
