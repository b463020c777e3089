"""Antigravity CLI steps: ``tool_calls`` whose text arguments are JSON twice over; the next steps hold the results."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Drafts
from .values import Json, arguments, instant, items, kind, obj, outcome_of, string, words

FORMAT = "antigravity"

_NOT_RESULTS = {"PLANNER_RESPONSE", "GENERIC", "CHECKPOINT", "SYSTEM_MESSAGE"}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether the records are numbered steps."""
    return any("step_index" in record for record in records)


def read(record: Json, drafts: Drafts) -> bool:
    """Read a step. Calls have no id: results come in the order of the calls."""
    draft = drafts.get()
    if kind(record) == "USER_INPUT":
        draft.turn()
    elif kind(record) == "PLANNER_RESPONSE":
        draft.text(string(record.get("content")))
        draft.batch()
        started = instant(record.get("created_at"))
        draft.waiting = [
            draft.call(string(call.get("name")), _input(call), started=started)
            for call in items(record.get("tool_calls"))
        ]
    elif record.get("source") == "MODEL" and kind(record) not in _NOT_RESULTS and draft.waiting:
        text = words(record.get("content"))
        draft.result(draft.waiting.pop(0), text, outcome_of(text))
    else:
        return False
    return True


def _input(call: Json) -> dict[str, object]:
    return {name: arguments(value) for name, value in obj(call.get("args")).items()}
