"""OpenAI chat messages with ``tool_calls``: a list, an object with ``messages``, or a list of objects with ``traj``."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Json, Recording, arguments, identity, items, obj, outcome_of, string, words

FORMAT = "openai_messages"


def recognizes(document: object) -> bool:
    """Say whether a message has the calls or the role of this format, or all are plain text under a role."""
    return any(
        message.get("role") == "tool" or any("function" in call for call in items(message.get("tool_calls")))
        for conversation in _conversations(document)
        for message in conversation
    ) or any(
        all(
            isinstance(message.get("role"), str) and isinstance(message.get("content"), str) for message in conversation
        )
        for conversation in _conversations(document)
        if conversation
    )


def read(document: object) -> Iterator[Recording]:
    """Read every conversation of the file."""
    conversations = _conversations(document)
    for number, conversation in enumerate(conversations, 1):
        yield read_messages(conversation).done(FORMAT, str(number) if len(conversations) > 1 else "")


def read_messages(messages: list[Json]) -> Draft:
    """Read one conversation: a turn is a message of the user's, a batch is one of the model's."""
    draft = Draft()
    for message in messages:
        match message.get("role"):
            case "user":
                draft.turn()
            case "assistant":
                draft.text(words(message.get("content")))
                draft.batch()
                for call in items(message.get("tool_calls")):
                    function = obj(call.get("function"))
                    draft.call(
                        string(function.get("name")), arguments(function.get("arguments")), identity(call.get("id"))
                    )
            case "tool":
                text = words(message.get("content"))
                draft.result(string(message.get("tool_call_id")), text, outcome_of(text))
            case _:
                pass
    return draft


def _conversations(document: object) -> list[list[Json]]:
    body = obj(document)
    messages = items(body.get("messages", body.get("traj")))
    if messages:
        return [messages]
    parts = items(document)
    if any("messages" in part or "traj" in part for part in parts):
        return [found for part in parts for found in _conversations(part)]
    return [parts] if any(isinstance(part.get("role"), str) for part in parts) else []
