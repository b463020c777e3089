"""OpenCode: parts of messages, a call and its result in one ``tool`` part.

Its storage has one part a file; ``opencode export`` has ``messages`` with their parts; ``run --format json`` has a part
in each event.
"""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Draft, Drafts
from .values import Json, arguments, identity, instant, items, kind, obj, outcome_of, string, words

FORMAT = "opencode"

# Parts that tell of no call.
_SILENT = {"reasoning", "step-start", "step-finish", "file", "patch", "snapshot", "compaction"}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether these are parts of a message, alone or in an export or an event."""
    return any(
        ("messageID" in part and "type" in part)
        for record in records
        for part in [record, obj(record.get("part")), *_parts(record)]
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a part, an event, or an export: a session."""
    messages = items(record.get("messages"))
    if messages:
        draft = drafts.next()
        for message in messages:
            if obj(message.get("info")).get("role") == "user":
                draft.turn()
                continue
            draft.batch(obj(message.get("info")).get("id"))
            for part in items(message.get("parts")):
                _read_part(part, draft)
        return True
    return _read_part(obj(record.get("part")) or record, drafts.get())


def _read_part(part: Json, draft: Draft) -> bool:
    state = obj(part.get("state"))
    time = obj(state.get("time"))
    if kind(part) == "text":
        draft.text(string(part.get("text")))
    elif kind(part) == "tool":
        draft.batch(part.get("messageID"))
        given = arguments(state.get("input"))
        started, ended = instant(time.get("start"), 0.001), instant(time.get("end"), 0.001)
        call_id = draft.call(string(part.get("tool")), given, identity(part.get("callID")), started=started)
        if "output" in state or "error" in state:
            text = words(state.get("output", state.get("error")))
            status = obj(state.get("metadata")).get("exit")
            failed = state.get("status") == "error" or (isinstance(status, int) and status != 0)
            draft.result(call_id, text, "failed" if failed else outcome_of(text), ended=ended)
    else:
        return kind(part) in _SILENT
    return True


def _parts(record: Json) -> list[Json]:
    return [part for message in items(record.get("messages")) for part in items(message.get("parts"))]
