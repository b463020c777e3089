"""Antigravity CLI steps: ``tool_calls`` whose text arguments are JSON twice over; the next steps hold the results."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Json, Recording, arguments, items, obj, outcome_of, records, string, words

FORMAT = "antigravity"

_NOT_RESULTS = {"PLANNER_RESPONSE", "GENERIC", "CHECKPOINT", "SYSTEM_MESSAGE"}


def recognizes(document: object) -> bool:
    """Say whether the records are numbered steps."""
    return any("step_index" in record for record in records(document))


def read(document: object) -> Iterator[Recording]:
    """Read one session. Calls have no id: results come in the order of the calls."""
    draft = Draft()
    waiting: list[str] = []
    for record in records(document):
        if record.get("type") == "USER_INPUT":
            draft.turn()
            waiting.clear()
        elif record.get("source") == "MODEL" and record.get("type") not in _NOT_RESULTS and waiting:
            text = words(record.get("content"))
            draft.result(waiting.pop(0), text, outcome_of(text))
        elif record.get("type") == "PLANNER_RESPONSE":
            draft.text(string(record.get("content")))
            draft.batch()
            waiting = [draft.call(string(call.get("name")), _input(call)) for call in items(record.get("tool_calls"))]
    yield draft.done(FORMAT)


def _input(call: Json) -> dict[str, object]:
    return {name: arguments(value) for name, value in obj(call.get("args")).items()}
