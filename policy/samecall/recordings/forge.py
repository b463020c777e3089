"""Forge conversations: ``context.messages`` of ``text`` (with ``tool_calls``) and ``tool`` (results)."""

from __future__ import annotations

from collections.abc import Iterator

from .recording import Draft, Recording, arguments, flagged, identity, items, obj, string, words

FORMAT = "forge"


def recognizes(document: object) -> bool:
    """Say whether the messages are wrapped in ``text`` and ``tool``."""
    messages = items(obj(obj(document).get("context")).get("messages"))
    return any("text" in message or "tool" in message for message in messages)


def read(document: object) -> Iterator[Recording]:
    """Read one conversation. A run of messages of the user's is one turn: the files that he names follow his words."""
    draft = Draft()
    spoke = False
    for message in items(obj(obj(document).get("context")).get("messages")):
        said, tool = obj(message.get("text")), obj(message.get("tool"))
        if said.get("role") == "User":
            if not spoke:
                draft.turn()
            spoke = True
            continue
        spoke = False
        if said.get("role") == "Assistant":
            draft.text(string(said.get("content")))
            draft.batch()
            for call in items(said.get("tool_calls")):
                draft.call(string(call.get("name")), arguments(call.get("arguments")), identity(call.get("call_id")))
        elif tool:
            output = obj(tool.get("output"))
            draft.result(string(tool.get("call_id")), words(output.get("values")), flagged(output.get("is_error")))
    yield draft.done(FORMAT)
