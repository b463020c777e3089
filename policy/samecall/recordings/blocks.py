"""Messages of content blocks without Claude Code's envelope: Cursor, Droid's store, Cline, OpenClaw, Pi."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Json, Recording, arguments, flagged, identity, items, obj, records, string, words

FORMAT = "blocks"

_CALLS = {"tool_use", "toolCall"}


def recognizes(document: object) -> bool:
    """Say whether there are messages made of typed blocks."""
    return any("type" in block for record in records(document) for block in items(_message(record).get("content")))


def read(document: object) -> Iterator[Recording]:
    """Read one session."""
    draft = Draft()
    waiting: list[str] = []
    for record in records(document):
        message = _message(record)
        content = message.get("content")
        match message.get("role", record.get("role")):
            case "user":
                _read_user(message, draft, waiting)
            case "assistant":
                draft.batch()
                for block in items(content):
                    if block.get("type") in _CALLS:
                        given = arguments(block.get("input", block.get("arguments", {})))
                        waiting.append(draft.call(string(block.get("name")), given, identity(block.get("id"))))
                    else:
                        draft.text(string(block.get("text")))
            case "toolResult":
                call_id = string(message.get("toolCallId"))
                draft.result(call_id, words(content), flagged(message.get("isError")))
            case _:
                pass
    yield draft.done(FORMAT)


def _read_user(message: Json, draft: Draft, waiting: list[str]) -> None:
    content = message.get("content")
    results = [block for block in items(content) if block.get("type") == "tool_result"]
    if not results:
        draft.turn()
    for block in results:
        call_id = string(block.get("tool_use_id"))
        if not draft.has(call_id) and waiting:
            call_id = waiting[0]  # Cursor's calls have no id: results come in the order of the calls
        if call_id in waiting:
            waiting.remove(call_id)
        draft.result(call_id, words(block.get("content")), flagged(block.get("is_error")))


def _message(record: Json) -> Json:
    return obj(record.get("message")) if "message" in record else record
