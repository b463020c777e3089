"""Kimi CLI: ``context.append_loop_event`` with ``tool.call`` and ``tool.result``, turns by ``turn.prompt``."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Recording, arguments, flagged, identity, obj, records, string, words

FORMAT = "kimi"


def recognizes(document: object) -> bool:
    """Say whether there are events of the loop, or prompts."""
    return any(
        string(record.get("type")).startswith(("context.", "turn.")) or "protocol_version" in record
        for record in records(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read one session; the calls of one step are one batch."""
    draft = Draft()
    step: object = None
    for record in records(document):
        event = obj(record.get("event"))
        if record.get("type") == "turn.prompt":
            draft.turn()
        elif event.get("type") == "tool.call":
            if event.get("stepUuid") != step:
                draft.batch()
                step = event.get("stepUuid")
            draft.call(string(event.get("name")), arguments(event.get("args")), identity(event.get("toolCallId")))
        elif event.get("type") == "tool.result":
            result = obj(event.get("result"))
            draft.result(string(event.get("toolCallId")), words(result.get("output")), flagged(result.get("isError")))
        elif event.get("type") == "content.part":
            draft.text(string(obj(event.get("part")).get("text")))
    yield draft.done(FORMAT)
