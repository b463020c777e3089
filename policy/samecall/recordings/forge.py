"""Forge conversations: ``context.messages`` of ``text`` (with ``tool_calls``) and ``tool`` (results)."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Draft, Drafts
from .values import Json, arguments, flagged, identity, items, obj, string, words

FORMAT = "forge"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether the messages are wrapped in ``text`` and ``tool``."""
    return any(
        obj(message.get("text")) or obj(message.get("tool")) for record in records for message in _messages(record)
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a conversation. A run of messages of the user's is one turn: the files that he names follow his words."""
    messages = _messages(record)
    if not messages:
        return False
    draft = drafts.next()
    spoke = False
    for message in messages:
        said = obj(message.get("text"))
        if said.get("role") != "User":
            _read_message(message, draft)
        elif not spoke:
            draft.turn()
        spoke = said.get("role") == "User"
    return True


def _read_message(message: Json, draft: Draft) -> None:
    said, tool = obj(message.get("text")), obj(message.get("tool"))
    if said.get("role") == "Assistant":
        draft.text(string(said.get("content")))
        draft.batch()
        for call in items(said.get("tool_calls")):
            given, call_id = arguments(call.get("arguments")), identity(call.get("call_id"))
            draft.call(string(call.get("name")), given, call_id, reuses_ids=True)
    elif tool:
        output = obj(tool.get("output"))
        draft.result(string(tool.get("call_id")), words(output.get("values")), flagged(output.get("is_error")))


def _messages(record: Json) -> list[Json]:
    return items(obj(record.get("context")).get("messages"))
