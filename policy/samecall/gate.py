"""ToolCallGate: admit the calls of a batch, then settle each. The ledger decides, a store keeps, a sink is told."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from callkey import ToolCall

from . import books, telling
from .books import Desk, Noted
from .decisions import Answer, Decision, Execute, Follow, Outcome, Reject, Reuse, Warn
from .discretion import mask_input
from .errors import ToolFailedError
from .events import Event, Sink, TurnFinished, TurnStarted
from .options import ToolPolicy
from .proposals import Keyed, fingerprint, propose, storable
from .records import Counters
from .snapshots import load, save
from .stores.memory import MemoryStore
from .stores.protocol import Store, Transaction

log = logging.getLogger("samecall")

Result = TypeVar("Result")

LEASE = 3600.0
RESULT_LIMIT = 1_000_000
_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Counts:
    """Counters of the current turn and of the session."""

    turn: Counters
    session: Counters


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
        """
        self.policy = policy or ToolPolicy()
        self.session_id = session_id or uuid.uuid4().hex
        self._store: Store = store or MemoryStore()
        self._desk = Desk("", "", self.policy, lease)
        self._clock = clock
        self._result_limit = result_limit
        self._include_input = include_input
        self._teller = _Teller(on_event)
        self._lock = threading.Lock()
        # Turns of the calls that this gate admitted and that are not settled: a late one belongs to its own turn.
        self._turns: dict[tuple[str, str, bytes], list[str]] = {}
        self._unsettled: deque[Callable[[], bool]] = deque()

    def __repr__(self) -> str:
        """Name the session; no call is shown."""
        return f"ToolCallGate(session_id={self.session_id!r}, agent={self._desk.agent!r})"

    def admit(self, calls: Sequence[ToolCall], *, turn: str | int | None = None) -> list[Decision]:
        """Decide the calls of one model response, in their order, in one step; reserve what may run.

        A call without id is given one: ``decision.call_id``. Admitting a call again within its turn returns the
        decision that it got. ``turn`` starts that turn if the session is not in it.
        """
        self._catch_up()
        keyed = [self._key(call) for call in calls]
        turn_id = None if turn is None else books.turn_digest(turn)
        now = self._clock()
        done = self._transact(
            lambda transaction: (
                books.admit(transaction, self._desk, [call.asked for call in keyed], turn_id, now),
                books.session(transaction, self._desk).turn_id,
            )
        )
        if done is None:
            return [self._unreachable(call, now) for call in keyed]
        (opened, noted), _ = done
        events: list[Event] = [self._turn_started(opened.turn, now)] if opened.new else []
        decisions: list[Decision] = []
        for call, note in zip(keyed, noted, strict=True):
            answer = telling.decision(note, call.asked.call_id, call.call.name, self.policy)
            decisions.append(answer)
            if note.new:
                events += telling.decided(note, answer, self._scene(call, now))
        self._teller.tell(events)
        return decisions
