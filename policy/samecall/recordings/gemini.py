"""Gemini CLI: saved chats (``toolCalls``) and ``stream-json``; and Qwen Code, which writes ``parts``."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Draft, Drafts
from .values import Json, arguments, flagged, identity, instant, items, kind, obj, outcome_of, string, words

FORMAT = "gemini"

_SPOKEN = {"gemini", "model", "message", "assistant", "tool_result"}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are records of one of the three kinds."""
    return any(
        kind(message) in {"gemini", "init"}
        or "tool_name" in message
        or any("functionCall" in part or "text" in part for part in _parts(message))
        for record in records
        for message in items(record.get("messages")) or [record]
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record, or a chat with its messages. A second ``init`` starts another session."""
    messages = items(record.get("messages"))
    if messages:
        draft = drafts.next()
        for message in messages:
            _read_record(message, draft)
        return True
    if kind(record) == "init":
        drafts.next()
        return True
    return _read_record(record, drafts.get())


def _read_record(record: Json, draft: Draft) -> bool:
    at = instant(record.get("timestamp"))
    match record.get("type"), record.get("role"):
        case ("user", _) | ("message", "user"):
            if record.get("subtype") is None:
                draft.turn()
        case "tool_use", _:
            draft.batch()
            given = arguments(record.get("parameters"))
            draft.call(string(record.get("tool_name")), given, identity(record.get("tool_id")), started=at)
        case "tool_result", _ if "tool_id" in record:
            failed = record.get("status") == "error"
            text = words(record.get("output") or record.get("error"))
            outcome = "failed" if failed else outcome_of(text)
            draft.result(string(record.get("tool_id")), text, outcome, ended=at)
        case _ if kind(record) in _SPOKEN:
            draft.text(words(record.get("content")))
            draft.batch()
            for call in items(record.get("toolCalls")):
                _read_saved_call(call, draft)
            _read_parts(record, draft, at)
        case _:
            return False
    return True


def _read_saved_call(call: Json, draft: Draft) -> None:
    started = instant(call.get("timestamp"))
    given = arguments(call.get("args"))
    call_id = draft.call(string(call.get("name")), given, identity(call.get("id")), started=started)
    # A chat that is written while the call runs has it again, with its result.
    if "result" in call:
        text = "\n".join(_response(part) for part in items(call["result"]))
        failed = call.get("status") in ("error", "cancelled")
        draft.result(call_id, text, "failed" if failed else outcome_of(text))


def _read_parts(record: Json, draft: Draft, at: float | None) -> None:
    for part in _parts(record):
        call, response = obj(part.get("functionCall")), obj(part.get("functionResponse"))
        if call:
            draft.call(string(call.get("name")), arguments(call.get("args")), identity(call.get("id")), started=at)
        elif response:
            failed = obj(record.get("toolCallResult")).get("status") == "error"
            draft.result(string(response.get("id")), _response(part), flagged(failed), ended=at)
        elif part.get("thought") is not True:
            draft.text(string(part.get("text")))


def _response(part: Json) -> str:
    response = obj(obj(part.get("functionResponse")).get("response"))
    return words(response.get("output", response.get("error", response)))


def _parts(record: Json) -> list[Json]:
    return items(obj(record.get("message")).get("parts")) or items(record.get("parts"))
