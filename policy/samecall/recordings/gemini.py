"""Gemini CLI: saved chats (``toolCalls``) and ``stream-json``; and Qwen Code, which writes ``parts``."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import (
    Draft,
    Json,
    Recording,
    arguments,
    flagged,
    identity,
    items,
    obj,
    outcome_of,
    records,
    string,
    words,
)

FORMAT = "gemini"


def recognizes(document: object) -> bool:
    """Say whether there are records of one of the three kinds."""
    return any(
        record.get("type") in {"gemini", "init"}
        or "tool_name" in record
        or any("functionCall" in part or "text" in part for part in _parts(record))
        for record in _messages(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read the file's sessions: a second ``init`` starts another."""
    draft, number = Draft(), 1
    for record in _messages(document):
        if record.get("type") == "init" and draft.turns:
            yield draft.done(FORMAT, str(number))
            draft, number = Draft(), number + 1
        _read_record(record, draft)
    yield draft.done(FORMAT, str(number) if number > 1 else "")


def _read_record(record: Json, draft: Draft) -> None:
    match record.get("type"), record.get("role"):
        case ("user", _) | ("message", "user"):
            if record.get("subtype") is None:
                draft.turn()
        case "tool_use", _:
            draft.batch()
            given = arguments(record.get("parameters"))
            draft.call(string(record.get("tool_name")), given, identity(record.get("tool_id")))
        case "tool_result", _ if "tool_id" in record:
            failed = record.get("status") == "error"
            text = words(record.get("output") or record.get("error"))
            draft.result(string(record.get("tool_id")), text, "failed" if failed else outcome_of(text))
        case (("gemini" | "model" | "message" | "assistant" | "tool_result"), _):
            draft.text(words(record.get("content")))
            draft.batch()
            for call in items(record.get("toolCalls")):
                call_id = draft.call(string(call.get("name")), arguments(call.get("args")), identity(call.get("id")))
                if "result" in call:
                    text = "\n".join(_response(part) for part in items(call["result"]))
                    failed = call.get("status") in {"error", "cancelled"}
                    draft.result(call_id, text, "failed" if failed else outcome_of(text))
            _read_parts(record, draft)
        case _:
            pass


def _read_parts(record: Json, draft: Draft) -> None:
    for part in _parts(record):
        call, response = obj(part.get("functionCall")), obj(part.get("functionResponse"))
        if call:
            draft.call(string(call.get("name")), arguments(call.get("args")), identity(call.get("id")))
        elif response:
            failed = obj(record.get("toolCallResult")).get("status") == "error"
            draft.result(string(response.get("id")), _response(part), flagged(failed))
        elif part.get("thought") is not True:
            draft.text(string(part.get("text")))


def _response(part: Json) -> str:
    response = obj(obj(part.get("functionResponse")).get("response"))
    return words(response.get("output", response.get("error", response)))


def _parts(record: Json) -> list[Json]:
    return items(obj(record.get("message")).get("parts")) or items(record.get("parts"))


def _messages(document: object) -> list[Json]:
    inside = items(obj(document).get("messages"))
    return inside or records(document)
