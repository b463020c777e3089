"""Droid's ``stream-json``: ``tool_call`` and ``tool_result`` records with ``toolCallId``."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Recording, arguments, identity, obj, outcome_of, records, string, words

FORMAT = "droid"


def recognizes(document: object) -> bool:
    """Say whether there are calls with these names, or the end of a stream."""
    return any(
        record.get("type") in {"tool_call", "completion"} and ("toolCallId" in record or "finalText" in record)
        for record in records(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read one session."""
    draft = Draft()
    for record in records(document):
        match record.get("type"), record.get("role"):
            case "message", "user":
                draft.turn()
            case ("message", "assistant") | ("completion", _):
                draft.text(string(record.get("text", record.get("finalText"))))
            case "tool_call", _:
                draft.batch()
                given = arguments(record.get("parameters"))
                draft.call(string(record.get("toolName")), given, identity(record.get("toolCallId")))
            case "tool_result", _:
                value = record.get("value")
                text = words(obj(value).get("stdout", value))
                failed = obj(value).get("exitCode") not in {None, 0}
                draft.result(string(record.get("toolCallId")), text, "failed" if failed else outcome_of(text))
            case _:
                pass
    yield draft.done(FORMAT)
