"""Cursor CLI's ``stream-json``: ``tool_call`` records, ``started`` and ``completed``, with the tool's name as a key.

Its saved sessions are content blocks: ``blocks`` reads them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..decisions import Outcome
from .draft import Drafts
from .values import Json, arguments, by_status, identity, instant, kind, obj, string, words

FORMAT = "cursor"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether a record has a call in this form."""
    return any(kind(record) == "tool_call" and isinstance(record.get("tool_call"), dict) for record in records)


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record; a call is told apart by its id."""
    draft = drafts.get()
    match record.get("type"):
        case "user":
            draft.turn()
        case "assistant":
            draft.text(words(obj(record.get("message")).get("content")))
        case "tool_call":
            at = instant(record.get("timestamp_ms"), 0.001)
            name, call = _call(obj(record.get("tool_call")))
            given = arguments(call.get("args", call.get("arguments")))
            draft.batch(record.get("model_call_id"))
            made = draft.call(name, given, identity(record.get("call_id")), started=at)
            if record.get("subtype") == "completed" or "result" in call:
                text, outcome = _result(obj(call.get("result")))
                draft.result(made, text, outcome, ended=at)
        case _:
            return kind(record) in {"system", "thinking", "result"}
    return True


def _call(wrapped: Json) -> tuple[str, Json]:
    """Return the name and the body: ``shellToolCall`` is ``shell``, and ``function`` has its name inside."""
    key = next((key for key, value in wrapped.items() if isinstance(value, dict)), "")
    body = obj(wrapped.get(key))
    return string(body.get("name")) or key.removesuffix("ToolCall"), body


def _result(result: Json) -> tuple[str, Outcome]:
    if "rejected" in result:
        return words(result["rejected"]), "denied"
    success = obj(result.get("success"))
    if not success:
        return words(next(iter(result.values()), "")), "failed" if result else "unknown"
    text = "\n".join(string(success.get(part)) for part in ("stdout", "stderr") if success.get(part))
    text = text or words(success.get("content")) or words(success)
    return text, by_status(success.get("exitCode"), "")
