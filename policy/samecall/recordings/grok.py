"""Grok CLI: records of ``type`` user, assistant (with flat ``tool_calls``) and tool_result."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import Drafts
from .values import Json, arguments, identity, items, kind, outcome_of, string, words

FORMAT = "grok"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether an assistant's record has calls without the ``function`` that OpenAI puts around them."""
    return any(
        kind(record) == "assistant" and any("name" in call for call in items(record.get("tool_calls")))
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record."""
    draft = drafts.get()
    match record.get("type"):
        case "user":
            if "synthetic_reason" not in record:
                draft.turn()
        case "assistant":
            draft.text(words(record.get("content")))
            draft.batch()
            for call in items(record.get("tool_calls")):
                given, call_id = arguments(call.get("arguments")), identity(call.get("id"))
                draft.call(string(call.get("name")), given, call_id, reuses_ids=True)
        case "tool_result":
            text = words(record.get("content"))
            draft.result(string(record.get("tool_call_id")), text, outcome_of(text))
        case _:
            return False
    return True
