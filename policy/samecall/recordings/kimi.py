"""Kimi CLI: ``context.append_loop_event`` with ``tool.call`` and ``tool.result``, turns by ``turn.prompt``.

Its earlier ``wire.jsonl`` has the same things as ``message: {type, payload}``.
"""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Draft, Drafts
from .values import Json, arguments, flagged, identity, instant, kind, obj, string, words

FORMAT = "kimi"

# Records that tell of no call.
_SILENT = ("config.", "context.", "llm.", "metadata", "permission.", "token_counting.", "tools.", "turn.", "usage.")
_WIRE = {"TurnBegin", "StepBegin", "ToolCall", "ToolResult"}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are events of the loop, or prompts."""
    return any(
        kind(record).startswith(("context.", "turn."))
        or "protocol_version" in record
        or kind(obj(record.get("message"))) in _WIRE
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record; the calls of one step are one batch."""
    draft = drafts.get()
    message = obj(record.get("message"))
    if "payload" in message:
        return _read_wire(message, draft, instant(record.get("timestamp")))
    event = obj(record.get("event"))
    at = instant(record.get("time"), 0.001)
    match kind(event) or kind(record):
        case "turn.prompt":
            draft.turn()
        case "tool.call":
            draft.batch(event.get("stepUuid"))
            given, call_id = arguments(event.get("args")), identity(event.get("toolCallId"))
            draft.call(string(event.get("name")), given, call_id, started=at, reuses_ids=True)
        case "tool.result":
            result = obj(event.get("result"))
            outcome = flagged(result.get("isError"))
            draft.result(string(event.get("toolCallId")), words(result.get("output")), outcome, ended=at)
        case "content.part":
            draft.text(string(obj(event.get("part")).get("text")))
        case _:
            return kind(record).startswith(_SILENT)
    return True


def _read_wire(message: Json, draft: Draft, at: float | None) -> bool:
    payload = obj(message.get("payload"))
    match message.get("type"):
        case "TurnBegin":
            draft.turn()
        case "StepBegin":
            draft.batch()
        case "ToolCall":
            function = obj(payload.get("function"))
            given, call_id = arguments(function.get("arguments")), identity(payload.get("id"))
            draft.call(string(function.get("name")), given, call_id, started=at, reuses_ids=True)
        case "ToolResult":
            result = obj(payload.get("return_value"))
            outcome = flagged(result.get("is_error"))
            draft.result(string(payload.get("tool_call_id")), words(result.get("output")), outcome, ended=at)
        case "ContentPart":
            draft.text(string(payload.get("text")))
        case _:
            return False
    return True
