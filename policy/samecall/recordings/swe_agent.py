"""SWE-agent ``.traj``: a ``trajectory`` of actions and observations, or only the ``history`` of the messages."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Draft, Drafts
from .values import Json, arguments, identity, items, obj, outcome_of, string, strings, words

FORMAT = "swe_agent"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are actions with observations, or messages of the kind."""
    return any(
        any("action" in step for step in items(record.get("trajectory")))
        or any("message_type" in message for message in items(record.get("history")))
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read one run: one turn. Native calls are used where the history has them, else the text of the action."""
    steps, history = items(record.get("trajectory")), items(record.get("history"))
    if not steps and not history:
        return False
    draft = drafts.next()
    draft.turn()
    if any(message.get("tool_calls") for message in history):
        for message in history:
            _read_message(message, draft)
        return True
    for step in steps:
        draft.text(string(step.get("thought")))
        draft.batch()
        text = words(step.get("observation"))
        seconds = step.get("execution_time")
        draft.result(
            draft.call("bash", {"command": string(step.get("action"))}),
            text,
            outcome_of(text),
            seconds=seconds if isinstance(seconds, float) else None,
        )
    return True


def _read_message(message: Json, draft: Draft) -> None:
    if message.get("role") == "assistant":
        draft.text(string(message.get("thought")))
        draft.batch()
        for call in items(message.get("tool_calls")):
            function = obj(call.get("function"))
            given, call_id = arguments(function.get("arguments")), identity(call.get("id"))
            draft.call(string(function.get("name")), given, call_id, reuses_ids=True)
    elif message.get("role") == "tool":
        text = words(message.get("content"))
        for call_id in strings(message.get("tool_call_ids")):
            draft.result(call_id, text, outcome_of(text))
