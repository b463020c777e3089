"""SWE-agent ``.traj``: a ``trajectory`` of actions and observations, or only the ``history`` of the messages."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Json, Recording, arguments, identity, items, obj, outcome_of, string, strings, words

FORMAT = "swe_agent"


def recognizes(document: object) -> bool:
    """Say whether there are actions with observations, or messages of the kind."""
    body = obj(document)
    return any("action" in step for step in items(body.get("trajectory"))) or any(
        "message_type" in message for message in items(body.get("history"))
    )


def read(document: object) -> Iterator[Recording]:
    """Read one run: one turn. Native calls are used where the history has them, else the text of the action."""
    body = obj(document)
    steps, history = items(body.get("trajectory")), items(body.get("history"))
    draft = Draft()
    draft.turn()
    if any(message.get("tool_calls") for message in history):
        _read_history(history, draft)
    else:
        for step in steps:
            draft.text(string(step.get("thought")))
            draft.batch()
            text = words(step.get("observation"))
            draft.result(draft.call("bash", {"command": string(step.get("action"))}), text, outcome_of(text))
    yield draft.done(FORMAT)


def _read_history(history: list[Json], draft: Draft) -> None:
    for message in history:
        if message.get("role") == "assistant":
            draft.text(string(message.get("thought")))
            draft.batch()
            for call in items(message.get("tool_calls")):
                function = obj(call.get("function"))
                draft.call(string(function.get("name")), arguments(function.get("arguments")), identity(call.get("id")))
        elif message.get("role") == "tool":
            text = words(message.get("content"))
            for call_id in strings(message.get("tool_call_ids")):
                draft.result(call_id, text, outcome_of(text))
