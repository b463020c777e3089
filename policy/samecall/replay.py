"""A recorded session through a gate: what would have been decided, and whether a refusal would have lost anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .decisions import Decision, Execute, Follow, Reason, Reject, Warn
from .events import Sink
from .gate import ToolCallGate
from .options import ToolPolicy
from .recordings import RecordedCall, Recording, Turn

Sameness: TypeAlias = Literal["same", "view", "other", "unknown"]
"""Whether a refused call's recorded result is the earlier one's. ``view``: the earlier call showed the same data
another way; ``other``: the refusal was false, or the result changes by itself."""


@dataclass(frozen=True, slots=True)
class Row:
    """One recorded call and what the gate said."""

    turn: int
    recorded: RecordedCall
    decision: Decision
    result: Sameness | None
    """Set where an earlier call is named and this one would not have run."""

    @property
    def verdict(self) -> str:
        """The decision in one word."""
        words = {"execute": "run", "follow": "reuse"}
        return words.get(self.decision.kind, self.decision.kind)

    @property
    def reason(self) -> Reason | None:
        """Why the call was refused or warned about."""
        return self.decision.reason if isinstance(self.decision, Reject | Warn) else None


@dataclass(frozen=True, slots=True)
class Totals:
    """How many calls were decided how; of those refused as repeats, how many had the earlier result again."""

    calls: int = 0
    run: int = 0
    warned: int = 0
    refused: int = 0
    reused: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    """Refusals by reason, the most frequent first."""
    same_result: int = 0
    other_view: int = 0
    other_result: int = 0
    unknown_result: int = 0


def replay(
    recording: Recording, policy: ToolPolicy, *, session_id: str = "recording", on_event: Sink | None = None
) -> Iterator[Row]:
    """Take every recorded call through a gate, in order: each batch is admitted, then what ran is settled."""
    gate = ToolCallGate(policy, session_id=session_id, on_event=on_event)
    results: dict[int, str | None] = {}
    for number, turn in enumerate(recording.turns, 1):
        gate.new_turn(number)
        yield from _replay_turn(gate, number, turn, results)
        gate.finish_turn(turn.text, complete=bool(turn.text))


def _replay_turn(gate: ToolCallGate, number: int, turn: Turn, results: dict[int, str | None]) -> Iterator[Row]:
    for batch in turn.batches:
        decisions = gate.admit([recorded.call for recorded in batch])
        for recorded, decision in zip(batch, decisions, strict=True):
            results[decision.ordinal] = recorded.result
            if isinstance(decision, Execute | Warn):
                gate.settle(recorded.call, recorded.outcome, recorded.result)
        for recorded, decision in zip(batch, decisions, strict=True):
            final = gate.resolve(recorded.call) if isinstance(decision, Follow) else decision
            yield Row(number, recorded, final, _compare(final, recorded, results))


def _compare(decision: Decision, recorded: RecordedCall, results: dict[int, str | None]) -> Sameness | None:
    if isinstance(decision, Execute | Warn) or decision.duplicate_of is None:
        return None
    earlier = results.get(decision.duplicate_of)
    if earlier is None or recorded.result is None:
        return "unknown"
    if earlier == recorded.result:
        return "same"
    return "view" if isinstance(decision, Reject) and decision.other_view else "other"


def total(rows: Iterable[Row]) -> Totals:
    """Count the rows of one session, or of many."""
    verdicts: Counter[str] = Counter()
    results: Counter[str | None] = Counter()
    reasons: Counter[str] = Counter()
    for row in rows:
        verdicts[row.verdict] += 1
        results[row.result] += 1
        if row.reason is not None and row.verdict == "reject":
            reasons[row.reason] += 1
    return Totals(
        verdicts.total(),
        verdicts["run"],
        verdicts["warn"],
        verdicts["reject"],
        verdicts["reuse"],
        tuple(reasons.most_common()),
        results["same"],
        results["view"],
        results["other"],
        results["unknown"],
    )
