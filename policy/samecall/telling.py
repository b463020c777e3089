"""From the books to what the caller and its log see: decisions and events."""

from __future__ import annotations

import json
from dataclasses import dataclass

from callkey import ToolCall

from . import messages
from .books import Noted
from .decisions import Decision, Execute, Follow, Outcome, Reject, Reuse, Warn
from .events import Event, Executed, KeyInfo, ToolCallFinished, ToolCallStarted, ToolRejected, ToolReused, ToolWarned
from .options import ToolPolicy
from .records import Counters, Verdict


@dataclass(frozen=True, slots=True)
class Scene:
    """What every event of one call repeats."""

    ts: float
    session_id: str
    agent: str | None
    call: ToolCall
    key: KeyInfo | None
    input: object
    """The arguments to show, already masked; ``None`` unless they were asked for."""


def decision(noted: Noted, call_id: str, name: str, policy: ToolPolicy) -> Decision:
    """Return the decision that a verdict stands for."""
    verdict = noted.held.verdict
    of, ordinal = verdict.duplicate_of, verdict.ordinal
    match verdict.kind:
        case "execute":
            return Execute(call_id, ordinal, of, verdict.remaining)
        case "warn":
            reason = verdict.reason or "duplicate_tool_call"
            return Warn(call_id, ordinal, reason, messages.warning(verdict, name), of, verdict.remaining)
        case "follow":
            return Follow(call_id, ordinal, of or 0)
        case "reuse" if noted.stored is not None:
            return Reuse(call_id, ordinal, of or 0, json.loads(noted.stored), failed=noted.outcome != "succeeded")
        case _:
            left = messages.budget(verdict, _left(noted.counts, policy))
            reason = verdict.reason or "duplicate_tool_call"
            # A refusal has an outcome only where the call waited for another one's end.
            text = messages.rejection(verdict, name, left, lost=noted.held.outcome == "unknown")
            return Reject(
                call_id,
                ordinal,
                reason,
                text,
                of,
                verdict.limit,
                verdict.count,
                stop=verdict.stop,
                other_view=verdict.other_view,
            )


def decided(noted: Noted, answer: Decision, scene: Scene) -> list[Event]:
    """Return the events of a decision."""
    turn, counts, name = noted.held.turn, noted.counts, scene.call.name
    started = ToolCallStarted(
        duplicate_of=noted.held.verdict.duplicate_of,
        ts=scene.ts,
        session_id=scene.session_id,
        turn=turn,
        agent=scene.agent,
        call_id=answer.call_id,
        name=name,
        ordinal=answer.ordinal,
        key=scene.key,
        counts=counts,
        input=scene.input,
    )
    match answer:
        case Execute():
            return [started]
        case Warn():
            warned = ToolWarned(
                reason=answer.reason,
                duplicate_of=answer.duplicate_of,
                message=answer.message,
                ts=scene.ts,
                session_id=scene.session_id,
                turn=turn,
                agent=scene.agent,
                call_id=answer.call_id,
                name=name,
                ordinal=answer.ordinal,
                key=scene.key,
                counts=counts,
            )
            return [warned, started]
        case Reject():
            return [rejected(answer, scene, turn, counts)]
        case Reuse():
            reused = ToolReused(
                duplicate_of=answer.duplicate_of,
                outcome="failed" if answer.failed else "succeeded",
                ts=scene.ts,
                session_id=scene.session_id,
                turn=turn,
                agent=scene.agent,
                call_id=answer.call_id,
                name=name,
                ordinal=answer.ordinal,
                key=scene.key,
                counts=counts,
                input=scene.input,
            )
            return [reused]
        case Follow():
            return []


def rejected(answer: Reject, scene: Scene, turn: int, counts: Counters) -> ToolRejected:
    """Return the event of a refusal."""
    duplicate = answer.message.startswith(messages.DUPLICATE)
    return ToolRejected(
        reason=answer.reason,
        limit=answer.limit,
        tool_call_count=answer.tool_call_count,
        duplicate_of=answer.duplicate_of,
        message=messages.DUPLICATE if duplicate else answer.message,
        content=answer.message,
        stop=answer.stop,
        ts=scene.ts,
        session_id=scene.session_id,
        turn=turn,
        agent=scene.agent,
        call_id=answer.call_id,
        name=scene.call.name,
        ordinal=answer.ordinal,
        key=scene.key,
        counts=counts,
        input=scene.input,
    )


# Whether a call ran, as far as its outcome tells.
_RAN: dict[Outcome, Executed] = {
    "succeeded": True,
    "failed": True,
    "denied": False,
    "cancelled": "unknown",
    "unknown": "unknown",
}


def finished(noted: Noted, outcome: Outcome, call_id: str, scene: Scene) -> ToolCallFinished:
    """Return the event of a settlement."""
    return ToolCallFinished(
        outcome=outcome,
        ts=scene.ts,
        session_id=scene.session_id,
        turn=noted.held.turn,
        agent=scene.agent,
        call_id=call_id,
        name=scene.call.name,
        ordinal=noted.held.verdict.ordinal,
        key=scene.key,
        executed=_RAN[outcome],
        counts=noted.counts,
    )


def unreachable(call_id: str, name: str, policy: ToolPolicy) -> Execute | Reject:
    """Return the decision for a call while the store cannot be reached."""
    if policy.on_store_error == "open":
        return Execute(call_id, 0)
    verdict = Verdict("reject", 0, "store_unavailable")
    return Reject(call_id, 0, "store_unavailable", messages.rejection(verdict, name))


def unchecked(answer: Execute | Reject, scene: Scene) -> list[Event]:
    """Return the events of that decision: a call that nobody counts still leaves a trace."""
    if isinstance(answer, Reject):
        return [rejected(answer, scene, 0, Counters())]
    warned = ToolWarned(
        reason="store_unavailable",
        message=messages.warning(Verdict("warn", 0, "store_unavailable"), scene.call.name),
        ts=scene.ts,
        session_id=scene.session_id,
        turn=0,
        agent=scene.agent,
        call_id=answer.call_id,
        name=scene.call.name,
        ordinal=0,
        key=scene.key,
        counts=Counters(),
    )
    return [warned]


def _left(counts: Counters, policy: ToolPolicy) -> int | None:
    return None if policy.max_tool_calls is None else max(policy.max_tool_calls - counts.executed, 0)
