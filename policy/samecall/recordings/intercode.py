"""InterCode results: task number -> ``turn_history`` of ``actions`` and ``observations``. A task is a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from .draft import Drafts
from .values import Json, obj, outcome_of, string, words

FORMAT = "intercode"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are tasks with a history of actions."""
    return any(True for record in records for _ in _tasks(record))


def read(record: Json, drafts: Drafts) -> bool:
    """Read every task."""
    understood = False
    for name, task in _tasks(record):
        understood = True
        history = obj(task["turn_history"])
        tool = "bash" if "bash" in string(task.get("environment")) else string(task.get("environment"))
        actions = cast("list[object]", history["actions"])
        seen = history.get("observations")
        observations = cast("list[object]", seen) if isinstance(seen, list) else []
        draft = drafts.next(name)
        draft.turn()
        for place, action in enumerate(actions):
            draft.batch()
            call_id = draft.call(tool, {"command": string(action)})
            if place < len(observations):
                text = words(observations[place])
                draft.result(call_id, text, outcome_of(text))
    return understood


def _tasks(record: Json) -> Iterator[tuple[str, Json]]:
    for name, task in record.items():
        if isinstance(obj(obj(task).get("turn_history")).get("actions"), list):
            yield name, obj(task)
