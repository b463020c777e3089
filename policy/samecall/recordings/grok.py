"""Grok CLI: records of ``type`` user, assistant (with flat ``tool_calls``) and tool_result."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Recording, arguments, identity, items, outcome_of, records, string, words

FORMAT = "grok"


def recognizes(document: object) -> bool:
    """Say whether an assistant's record has calls without the ``function`` that OpenAI puts around them."""
    return any(
        record.get("type") == "assistant" and any("name" in call for call in items(record.get("tool_calls")))
        for record in records(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read one session."""
    draft = Draft()
    for record in records(document):
        match record.get("type"):
            case "user" if "synthetic_reason" not in record:
                draft.turn()
            case "assistant":
                draft.text(words(record.get("content")))
                draft.batch()
                for call in items(record.get("tool_calls")):
                    draft.call(string(call.get("name")), arguments(call.get("arguments")), identity(call.get("id")))
            case "tool_result":
                text = words(record.get("content"))
                draft.result(string(record.get("tool_call_id")), text, outcome_of(text))
            case _:
                pass
    yield draft.done(FORMAT)
