"""Our own events, as ``samecall run --json`` and ``on_event`` write them.

They hold digests unless arguments were asked for: then the digest stands for the arguments, so that equal calls stay
equal. A call that was refused or answered from an earlier one was made all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..decisions import Outcome
from .draft import Draft, Drafts
from .values import Json, instant, kind, obj, string

FORMAT = "samecall"

_CALLS = {"tool_call_started", "tool_rejected", "tool_reused"}
_OUTCOMES: dict[str, Outcome] = {
    "succeeded": "succeeded",
    "failed": "failed",
    "denied": "denied",
    "cancelled": "cancelled",
}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are events of a turn or a call of ours."""
    return any(
        (kind(record) in _CALLS and "ordinal" in record)
        or (kind(record) in {"turn_started", "turn"} and "session_id" in record)
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read an event. Sessions may be mixed; an agent in one is a session of its own."""
    session, agent = string(record.get("session_id")), string(record.get("agent"))
    draft = drafts.get(f"{session}/{agent}" if agent else session)
    # Ids of calls are the turn's own.
    call_id = f"{string(record.get('call_id'))}@{record.get('turn')}"
    at = instant(record.get("ts"))
    if kind(record) == "turn_started":
        draft.turn()
    elif kind(record) == "turn":
        draft.text(string(record.get("text")))
    elif kind(record) in _CALLS:
        _read_call(record, draft, call_id, at)
    elif kind(record) == "tool_call_finished":
        outcome = _OUTCOMES.get(string(record.get("outcome")), "unknown")
        draft.result(call_id, None, outcome, ended=at)
    elif kind(record) == "model_call_finished":
        draft.batch()
    else:
        return kind(record) in {"tool_warned", "model_call_started"}
    return True


def _read_call(record: Json, draft: Draft, call_id: str, at: float | None) -> None:
    digest = string(obj(record.get("key")).get("digest"))
    given = record.get("input", {"digest": digest} if digest else {})
    draft.call(string(record.get("name")), given, call_id, started=at)
    if kind(record) == "tool_rejected":
        draft.result(call_id, None, "denied")
