"""A recorded session through a gate: what would have been decided, and whether a refusal would have lost anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .decisions import Decision, Execute, Follow, Outcome, Reason, Reject, Warn
from .events import Sink
from .gate import ToolCallGate
from .options import ToolPolicy
from .recordings import Batch, RecordedCall, Recording, Turn
from .totals import BUDGETS, Totals, most_first

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
    earlier: RecordedCall | None = None
    """The call that ``duplicate_of`` names."""

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
class SessionReplay:
    """One session under one policy."""

    title: str
    """The file, with ``#session`` where it holds several."""
    format: str
    rows: tuple[Row, ...]
    totals: Totals


class Player:
    """Plays one session, turn by turn, to a gate of its own."""

    def __init__(
        self,
        policy: ToolPolicy,
        *,
        session_id: str = "recording",
        on_event: Sink | None = None,
        settled_as: Outcome | None = None,
    ) -> None:
        """Open the gate. ``settled_as`` is how every call that ran is said to have ended, whatever was recorded."""
        self._gate = ToolCallGate(policy, session_id=session_id, on_event=on_event)
        self._settled_as: Outcome | None = settled_as
        self._number = 0
        self._compares = policy.dedupe_tool_calls
        self._forgets = policy.dedupe_scope == "turn"
        self._earlier: dict[int, RecordedCall] = {}

    def play(self, turn: Turn) -> Iterator[Row]:
        """Take the next turn's calls through the gate, in order: each batch is admitted, then what ran is settled."""
        self._number += 1
        self._gate.new_turn(self._number)
        if self._forgets:
            # No later call can name these. Kept, they would be the whole session's results.
            self._earlier.clear()
        for batch in turn.batches:
            yield from self._batch(batch)
        self._gate.finish_turn(turn.text, complete=bool(turn.text))

    def _batch(self, batch: Batch) -> Iterator[Row]:
        decisions = self._gate.admit([recorded.call for recorded in batch])
        for recorded, decision in zip(batch, decisions, strict=True):
            if isinstance(decision, Execute | Warn):
                outcome = recorded.outcome if self._settled_as is None else self._settled_as
                self._gate.settle(recorded.call, outcome, recorded.result)
            if self._compares:
                self._earlier[decision.ordinal] = recorded
        for recorded, decision in zip(batch, decisions, strict=True):
            final = self._gate.resolve(recorded.call) if isinstance(decision, Follow) else decision
            earlier = None if final.duplicate_of is None else self._earlier.get(final.duplicate_of)
            yield Row(self._number, recorded, final, _compare(final, recorded, earlier), earlier)


def replay(
    recording: Recording, policy: ToolPolicy, *, session_id: str = "recording", on_event: Sink | None = None
) -> Iterator[Row]:
    """Take every recorded call through a gate, in order."""
    player = Player(policy, session_id=session_id, on_event=on_event)
    for turn in recording.turns:
        yield from player.play(turn)


def replay_session(title: str, recording: Recording, policy: ToolPolicy) -> SessionReplay:
    """Replay a session whole."""
    rows = tuple(replay(recording, policy, session_id=title))
    return SessionReplay(title, recording.format, rows, total(rows))


def _compare(decision: Decision, recorded: RecordedCall, earlier: RecordedCall | None) -> Sameness | None:
    if isinstance(decision, Execute | Warn) or decision.duplicate_of is None:
        return None
    if earlier is None or earlier.result is None or recorded.result is None:
        return "unknown"
    if earlier.result == recorded.result:
        return "same"
    return "view" if isinstance(decision, Reject) and decision.other_view else "other"


class Tally:
    """Counts the rows of one session as they come."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._verdicts: Counter[str] = Counter()
        self._results: Counter[str | None] = Counter()
        self._reasons: Counter[str] = Counter()
        self._turns = self._cut_turns = self._duplicates = self._over_budget = 0
        self._milliseconds = self._characters = 0
        self._turn = self._cut_turn = 0

    def add(self, row: Row) -> None:
        """Count one call. Rows come in their order."""
        verdict, reason = row.verdict, row.reason
        self._verdicts[verdict] += 1
        self._results[row.result] += 1
        if row.turn != self._turn:
            self._turns, self._turn = self._turns + 1, row.turn
        if verdict in {"run", "warn"}:
            return
        self._milliseconds += round((row.recorded.seconds or 0) * 1000)
        self._characters += len(row.recorded.result or "")
        if reason is not None:
            self._reasons[reason] += 1
        if reason in {None, "duplicate_tool_call"}:
            self._duplicates += 1
        elif reason in BUDGETS:
            self._over_budget += 1
            if row.turn != self._cut_turn:
                self._cut_turns, self._cut_turn = self._cut_turns + 1, row.turn

    def totals(self) -> Totals:
        """Return what was counted."""
        verdicts, results = self._verdicts, self._results
        return Totals(
            calls=verdicts.total(),
            run=verdicts["run"],
            warned=verdicts["warn"],
            refused=verdicts["reject"],
            reused=verdicts["reuse"],
            reasons=most_first(self._reasons),
            same_result=results["same"],
            other_view=results["view"],
            other_result=results["other"],
            unknown_result=results["unknown"],
            duplicates=self._duplicates,
            over_budget=self._over_budget,
            sessions=1,
            turns=self._turns,
            cut_turns=self._cut_turns,
            saved_milliseconds=self._milliseconds,
            saved_characters=self._characters,
        )


def total(rows: Iterable[Row]) -> Totals:
    """Count the rows of one session."""
    tally = Tally()
    for row in rows:
        tally.add(row)
    return tally.totals()
