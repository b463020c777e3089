"""Copilot CLI events: ``assistant.message`` asks, ``tool.execution_start`` repeats the call, ``…_complete`` answers."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Recording, arguments, identity, items, obj, records, string, words

FORMAT = "copilot"


def recognizes(document: object) -> bool:
    """Say whether there are events of a session, a message or a tool."""
    return any(
        string(record.get("type")).startswith(("session.", "assistant.", "tool.")) and "data" in record
        for record in records(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read one session; a call is told apart by its id."""
    draft = Draft()
    for record in records(document):
        body = obj(record.get("data"))
        call_id = string(body.get("toolCallId"))
        match record.get("type"):
            case "user.message":
                draft.turn()
            case "assistant.message":
                draft.text(string(body.get("content")))
                draft.batch()
                for call in items(body.get("toolRequests")):
                    if not draft.has(string(call.get("toolCallId"))):
                        given = arguments(call.get("arguments"))
                        draft.call(string(call.get("name")), given, identity(call.get("toolCallId")))
            case "tool.execution_start" if not draft.has(call_id):
                draft.batch()
                draft.call(string(body.get("toolName")), arguments(body.get("arguments")), call_id or None)
            case "tool.execution_complete":
                failed = body.get("success") is False
                text = words(obj(body.get("result")).get("content"))
                draft.result(call_id, text, "failed" if failed else "succeeded")
            case _:
                pass
    yield draft.done(FORMAT)
