"""ToolCallGate: admit the calls of a batch, then settle each. The ledger decides, a store keeps, a sink is told."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from callkey import ToolCall

from . import books, running, snapshots, telling
from .arguments import check_callable, check_number, check_policy, check_store, check_text
from .books import Desk, Noted
from .decisions import Answer, Decision, Execute, Follow, Outcome, Reject, Warn
from .discretion import mask_input
from .events import Event, Sink, TurnFinished, TurnStarted
from .options import ToolPolicy
from .proposals import Keyed, fingerprint, new_id, propose, storable
from .records import Counters
from .sinks import Teller
from .stores.memory import MemoryStore
from .stores.protocol import Result, Store, Transaction

log = logging.getLogger("samecall")

LEASE = 3600.0
RESULT_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Counts:
    """Counters of the current turn and of the session."""

    turn: Counters
    session: Counters


@dataclass(frozen=True, slots=True)
class _Open:
    """A call that waits for its settlement, and its turn (``None``: the current one)."""

    keyed: Keyed
    turn_id: str | None


class ToolCallGate:
    """Decides on the tool calls of one agent in one session. Safe among threads; nothing here raises into the agent.

    >>> gate = ToolCallGate(ToolPolicy(maxToolCalls=1))
    >>> first, second = gate.admit([ToolCall("ls", {}, "c1"), ToolCall("pwd", {}, "c2")])
    >>> type(first).__name__, second.message
    ('Execute', 'Tool-call budget exhausted: 1/1. Write the best answer from gathered sources.')
    >>> gate.settle(ToolCall("ls", {}, "c1"), "succeeded", "README.md")
    True
    """

    def __init__(  # noqa: PLR0913 - independent settings, by keyword
        self,
        policy: ToolPolicy | None = None,
        *,
        store: Store | None = None,
        session_id: str | None = None,
        on_event: Sink | None = None,
        clock: Callable[[], float] = time.time,
        lease: float = LEASE,
        result_limit: int = RESULT_LIMIT,
        include_input: bool = False,
    ) -> None:
        """Open the books of a session: a new one in memory, unless ``store`` and ``session_id`` name another.

        ``clock`` gives seconds; ``lease`` is after how many of them an unsettled call counts as unknown;
        ``result_limit`` is the size in bytes up to which a result is kept to be given back;
        ``include_input`` puts arguments, credentials masked, into events.

        Raises ``TypeError`` or ``ValueError`` for what is none of these.
        """
        self.policy = ToolPolicy() if policy is None else policy
        check_policy(self.policy)
        check_store(store)
        check_text("session_id", session_id)
        check_callable("on_event", on_event)
        check_callable("clock", clock)
        check_number("lease", lease)
        check_number("result_limit", result_limit)
        self.session_id = session_id or new_id("")
        self._store: Store = MemoryStore() if store is None else store
        self._desk = Desk("", "", self.policy, lease)
        self._clock = clock
        self._result_limit = result_limit
        self._include_input = include_input
        self._teller = Teller(on_event)
        self._lock = threading.Lock()
        # Calls that this gate admitted and that are not settled, by id and name: a late one belongs to its own turn.
        self._open: dict[tuple[str | None, str], list[_Open]] = {}
        self._unsettled: deque[tuple[_Open, Outcome, object]] = deque()

    def __repr__(self) -> str:
        """Name the session; no call is shown."""
        return f"ToolCallGate(session_id={self.session_id!r}, agent={self._desk.agent!r})"

    def admit(self, calls: Sequence[ToolCall], *, turn: str | int | None = None) -> list[Decision]:
        """Decide the calls of one model response, in their order, in one step; reserve what may run.

        A call without id is given one: ``decision.call_id``. Admitting a call again within its turn returns the
        decision that it got, unless it has run and been settled: then it is another call. ``turn`` starts that turn if
        the session is not in it.
        """
        self._catch_up()
        keyed = [self._key(call, call.id or new_id()) for call in calls]
        asked = [call.asked for call in keyed]
        turn_id = None if turn is None else books.turn_digest(turn)
        now = self._clock()
        done = self._transact(lambda transaction: books.admit(transaction, self._desk, asked, turn_id, now))
        if done is None:
            return [self._unreachable(call, now) for call in keyed]
        opened, noted = done
        events: list[Event] = [self._turn_started(opened.turn, now)] if opened.new else []
        decisions: list[Decision] = []
        for call, note in zip(keyed, noted, strict=True):
            answer = telling.decision(note, call.asked.call_id, call.call.name, self.policy)
            decisions.append(answer)
            if note.new:
                events += telling.decided(note, answer, self._scene(call, now))
                if isinstance(answer, Execute | Warn | Follow):
                    self._remember(_Open(call, opened.turn_id))
        self._teller.tell(events)
        return decisions

    def settle(self, call: ToolCall, outcome: Outcome, result: object = None, *, turn: str | int | None = None) -> bool:
        """Close the reservation of a call that ran. ``False``: it was settled before, or is not known.

        ``turn`` is the caller's id of the turn that the call belongs to; this gate knows it for calls that it
        admitted. Calls that were refused or answered need no settlement. ``result`` is compared by digest only,
        and kept whole only under ``reuse``. Raises ``ValueError`` for another outcome than those.
        """
        if outcome not in get_args(Outcome):
            raise ValueError(f"no outcome {outcome!r}; there are {', '.join(get_args(Outcome))}")
        self._catch_up()
        return self._settle(self._find(call, turn), outcome, result)

    def resolve(self, call: ToolCall, *, turn: str | int | None = None) -> Decision:
        """Answer a call that was told to follow another: ``Reuse`` or ``Reject``; ``Follow`` while that still runs."""
        one = self._find(call, turn)
        keyed, now = one.keyed, self._clock()
        note = self._transact(lambda transaction: books.resolve(transaction, self._desk, keyed.asked, one.turn_id, now))
        if note is None:
            return self._unreachable(keyed, now)
        answer = telling.decision(note, keyed.asked.call_id, call.name, self.policy)
        if note.new:
            self._forget(one)
            self._teller.tell(telling.decided(note, answer, self._scene(keyed, now)))
        return answer

    def run(
        self,
        name: str,
        input: object,  # noqa: A002 - the name that tool calls use
        execute: Callable[[object], object],
        *,
        call_id: str | None = None,
    ) -> Answer:
        """Admit one call, run ``execute(input)`` if it may run, settle it, and return its one result.

        What ``execute`` raises becomes a failed result (``Answer.exception``); ``ToolFailedError`` carries one.
        ``KeyboardInterrupt`` and the like settle the call as cancelled and pass.
        """
        return running.run(self, ToolCall(name, input, call_id), execute)

    async def arun(
        self,
        name: str,
        input: object,  # noqa: A002 - the name that tool calls use
        execute: Callable[[object], Awaitable[object]],
        *,
        call_id: str | None = None,
    ) -> Answer:
        """Do what ``run`` does with an asynchronous tool. A store that may wait runs in a thread."""
        return await running.arun(self, ToolCall(name, input, call_id), execute, blocking=self._store.blocking)

    def new_turn(self, turn: str | int | None = None) -> int | None:
        """Start a turn, unless the session is in the one with this id; return its number (``None``: store down)."""
        self._catch_up()
        turn_id = None if turn is None else books.turn_digest(turn)
        opened = self._transact(lambda transaction: books.start_turn(transaction, self._desk, turn_id))
        if opened is None:
            return None
        if opened.new:
            self._teller.tell([self._turn_started(opened.turn, self._clock())])
        return opened.turn

    def finish_turn(self, text: str = "", *, complete: bool = True) -> None:
        """Say that the turn is over, with the final answer: the last event of a turn."""
        state = self._transact(lambda transaction: books.session(transaction, self._desk))
        self._teller.tell(
            [
                TurnFinished(
                    text=text,
                    complete=complete,
                    ts=self._clock(),
                    session_id=self.session_id,
                    turn=state.turn if state else 0,
                    agent=self._desk.agent or None,
                    counts=state.in_turn if state else Counters(),
                )
            ]
        )

    def note_context_cleared(self) -> None:
        """Forget earlier calls, not the counters: the model no longer sees their results."""
        self._transact(lambda transaction: books.forget(transaction, self._desk))

    def child(self, share: int | Literal["pool"] | None = "pool", *, name: str | None = None) -> ToolCallGate:
        """Return a gate for a subagent: its own history, the same world (its writes make our results stale).

        With ``"pool"`` its executed calls count against this agent's budget; with a number it has a budget of its
        own (``None``: none) that this agent cannot use up. ``name`` must be the same to find its books again.
        """
        gate = object.__new__(ToolCallGate)
        gate.__dict__.update(self.__dict__)
        agent = f"{self._desk.agent}/{name or new_id('')}"
        pooled = share == "pool"
        gate.policy = self.policy if share == "pool" else self.policy.with_budget(share)
        gate._desk = replace(self._desk, agent=agent, purse=self._desk.purse if pooled else agent, policy=gate.policy)
        gate._lock, gate._open, gate._unsettled = threading.Lock(), {}, deque()
        return gate

    def counts(self) -> Counts | None:
        """Return the counters; ``None`` while the store cannot be reached."""
        state = self._transact(lambda transaction: books.session(transaction, self._desk))
        return Counts(state.in_turn, state.in_session) if state else None

    def outcome(self, call: ToolCall, *, turn: str | int | None = None) -> Outcome | Literal["running"] | None:
        """Return how a call that was admitted ended; ``None`` if it never ran, ``"unknown"`` past its lease."""
        one = self._find(call, turn)
        held = self._transact(lambda transaction: books.look(transaction, self._desk, one.keyed.asked, one.turn_id))
        if held is None or held.verdict.kind not in {"execute", "warn"}:
            return None
        return held.outcome or ("running" if self._clock() < held.deadline else "unknown")

    def snapshot(self) -> dict[str, object] | None:
        """Return the session's books as JSON, subagents included; ``None`` while the store cannot be reached."""
        return self._transact(snapshots.save)

    def restore(self, snapshot: object) -> bool:
        """Replace the session's books. Raises ``SnapshotError``; ``False`` while the store cannot be reached."""
        records = snapshots.read(snapshot)
        return self._transact(lambda transaction: snapshots.load(transaction, records)) is True

    @property
    def undelivered(self) -> tuple[Event, ...]:
        """Events that ``on_event`` has not taken yet, because it raised."""
        return self._teller.waiting

    def _settle(self, one: _Open, outcome: Outcome, result: object) -> bool:
        digest = fingerprint(result)
        reuses = self.policy.dedupe_tool_calls and self.policy.on_duplicate_tool_call == "reuse"
        stored = storable(result, self._result_limit) if reuses else None
        keyed, now = one.keyed, self._clock()

        def close(transaction: Transaction) -> tuple[Noted | None]:
            return (books.settle(transaction, self._desk, keyed.asked, one.turn_id, outcome, digest, stored, now),)

        done = self._transact(close)
        if done is None:
            self._unsettled.append((one, outcome, result))
            return False
        self._forget(one)
        (note,) = done
        if note is None or not note.new:
            return False
        self._teller.tell([telling.finished(note, outcome, keyed.asked.call_id, self._scene(keyed, now))])
        return True

    def _catch_up(self) -> None:
        """Settle what could not be settled while the store was down."""
        for _ in range(len(self._unsettled)):
            self._settle(*self._unsettled.popleft())

    def _transact(self, work: Callable[[Transaction], Result]) -> Result | None:
        try:
            return self._store.transact(self.session_id, work)
        except Exception as error:  # noqa: BLE001 - whatever a store raises must not reach the agent
            log.warning("the store failed (%s)", type(error).__name__)
            return None

    def _unreachable(self, keyed: Keyed, now: float) -> Execute | Reject:
        answer = telling.unreachable(keyed.asked.call_id, keyed.call.name, self.policy)
        self._teller.tell(telling.unchecked(answer, self._scene(keyed, now)))
        return answer

    def _key(self, call: ToolCall, call_id: str) -> Keyed:
        return propose(call, call_id, self.policy)

    def _find(self, call: ToolCall, turn: str | int | None) -> _Open:
        """Return a call as it was admitted here, the latest that matches; else as another gate may have admitted it.

        A call without id is the oldest of those that were given an id for the same work.
        """
        with self._lock:
            held = list(self._open.get((call.id, call.name), ()))
        turn_id = None if turn is None else books.turn_digest(turn)
        keyed: Keyed | None = None
        for one in held if call.id is None else reversed(held):
            if turn_id not in {None, one.turn_id}:
                continue
            if one.keyed.call.input is call.input:
                return one
            keyed = keyed or self._key(call, call.id or "")
            if one.keyed.asked.proposal.digest == keyed.asked.proposal.digest:
                return one
        return _Open(keyed or self._key(call, call.id or ""), turn_id)

    def _remember(self, one: _Open) -> None:
        with self._lock:
            self._open.setdefault((one.keyed.call.id, one.keyed.call.name), []).append(one)

    def _forget(self, one: _Open) -> None:
        place = one.keyed.call.id, one.keyed.call.name
        with self._lock:
            left = [other for other in self._open.pop(place, ()) if other is not one]
            if left:
                self._open[place] = left

    def _scene(self, keyed: Keyed, now: float) -> telling.Scene:
        shown = mask_input(keyed.call.input) if self._include_input else None
        return telling.Scene(now, self.session_id, self._desk.agent or None, keyed.call, keyed.key, shown)

    def _turn_started(self, turn: int, now: float) -> TurnStarted:
        return TurnStarted(ts=now, session_id=self.session_id, turn=turn, agent=self._desk.agent or None)
