"""InterCode results: task number -> ``turn_history`` of ``actions`` and ``observations``. A task is a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from .recording import Draft, Json, Recording, obj, outcome_of, string, words

FORMAT = "intercode"


def recognizes(document: object) -> bool:
    """Say whether there are tasks with a history of actions."""
    return any(True for _ in _tasks(document))


def read(document: object) -> Iterator[Recording]:
    """Read every task."""
    for name, task in _tasks(document):
        history = obj(task["turn_history"])
        tool = "bash" if "bash" in string(task.get("environment")) else string(task.get("environment"))
        actions = cast("list[object]", history["actions"])
        seen = history.get("observations")
        observations = cast("list[object]", seen) if isinstance(seen, list) else []
        draft = Draft()
        draft.turn()
        for place, action in enumerate(actions):
            draft.batch()
            call_id = draft.call(tool, {"command": string(action)})
            if place < len(observations):
                text = words(observations[place])
                draft.result(call_id, text, outcome_of(text))
        yield draft.done(FORMAT, name)


def _tasks(document: object) -> Iterator[tuple[str, Json]]:
    for name, task in obj(document).items():
        if isinstance(obj(obj(task).get("turn_history")).get("actions"), list):
            yield name, obj(task)
