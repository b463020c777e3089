"""OpenCode storage: one part a file, a call and its result in one ``tool`` part."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Recording, arguments, identity, obj, outcome_of, records, string, words

FORMAT = "opencode"


def recognizes(document: object) -> bool:
    """Say whether these are parts of a message."""
    return any("messageID" in record and "type" in record for record in records(document))


def read(document: object) -> Iterator[Recording]:
    """Read the parts as one session."""
    draft = Draft()
    for part in records(document):
        state = obj(part.get("state"))
        if part.get("type") == "text":
            draft.text(string(part.get("text")))
        elif part.get("type") == "tool":
            draft.batch()
            call_id = draft.call(string(part.get("tool")), arguments(state.get("input")), identity(part.get("callID")))
            if "output" in state or "error" in state:
                text = words(state.get("output", state.get("error")))
                status = obj(state.get("metadata")).get("exit")
                failed = state.get("status") == "error" or (isinstance(status, int) and status != 0)
                draft.result(call_id, text, "failed" if failed else outcome_of(text))
    yield draft.done(FORMAT)
