"""OpenAI chat messages with ``tool_calls``: a list, an object with ``messages``, or objects with ``traj``."""

from __future__ import annotations

from collections.abc import Sequence

from .conversations import conversations, messages_of
from .draft import Draft, Drafts
from .values import Json, arguments, identity, items, obj, outcome_of, string, words

FORMAT = "openai_messages"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether a message has the calls or the role of this format, or all are plain text under a role."""
    found = list(conversations(records))
    return any(
        message.get("role") == "tool"
        or obj(message.get("function_call"))
        or any("function" in call for call in items(message.get("tool_calls")))
        for conversation in found
        for message in conversation
    ) or any(
        all(
            isinstance(message.get("role"), str) and isinstance(message.get("content"), str) for message in conversation
        )
        for conversation in found
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a message, or a conversation: a session."""
    messages = messages_of(record)
    if not messages:
        return read_message(record, drafts.get())
    draft = drafts.next()
    for message in messages:
        read_message(message, draft)
    return True


def read_message(message: Json, draft: Draft) -> bool:
    """Read one message: a turn is a message of the user's, a batch is one of the model's.

    Servers may count the ids from the beginning for each answer, so a known id is another call.
    """
    match message.get("role"):
        case "user":
            draft.turn()
        case "assistant":
            draft.text(words(message.get("content")))
            draft.batch()
            for call in items(message.get("tool_calls")):
                function = obj(call.get("function")) or obj(call.get("custom"))
                given = arguments(function.get("arguments", function.get("input")))
                draft.call(string(function.get("name")), given, identity(call.get("id")), reuses_ids=True)
            function = obj(message.get("function_call"))
            if function:
                # Before there were several calls in a message, they had no id.
                draft.waiting = [draft.call(string(function.get("name")), arguments(function.get("arguments")))]
        case "tool":
            text = words(message.get("content"))
            draft.result(string(message.get("tool_call_id")), text, outcome_of(text))
        case "function":
            if draft.waiting:
                text = words(message.get("content"))
                draft.result(draft.waiting.pop(), text, outcome_of(text))
        case _:
            return message.get("role") in ("system", "developer")
    return True
