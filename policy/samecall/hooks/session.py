"""What happens in a coding agent, through a gate: books in a file, since every hook is a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace

from callkey import ToolCall

from ..decisions import Decision, Execute, Warn
from ..gate import ToolCallGate
from ..options import ToolPolicy
from ..stores.protocol import Cell, Result, Transaction
from ..stores.sqlite import SQLiteStore
from .happenings import CallEnded, CallProposed, Happening, SessionBegan, TurnBegan

LEASE = 600.0
"""Seconds after which a call that never ended counts as unknown.

Agents do not tell when the user denies a call: until then an equal one is refused, because the first seems to run.
Ten minutes are the longest that Claude Code lets a command take.
"""

TIMEOUT = 5.0
"""Seconds to wait for other processes of the session. Longer, and the agent would wait for a file."""

_BUCKET = "hooks"
"""Ours beside the gate's own buckets, which are called ``state`` or hold a colon."""


class WatchedStore:
    """A file, and how it failed if it did: the gate goes on, and the hook says why nothing was checked."""

    blocking = True

    def __init__(self, path: str) -> None:
        """Use the file at ``path``."""
        self._file = SQLiteStore(path, timeout=TIMEOUT)
        self.failure: Exception | None = None

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        """Run ``work`` alone on the session. Raises what the file raises."""
        try:
            return self._file.transact(session_id, work)
        except Exception as error:
            self.failure = error
            raise


class AgentSession:
    """One session of a coding agent."""

    def __init__(self, session_id: str, policy: ToolPolicy, store: WatchedStore) -> None:
        """Open the session's books."""
        self._id = session_id
        self._store = store
        self._gate = ToolCallGate(policy, store=store, session_id=session_id, lease=LEASE)

    def take(self, happening: Happening) -> Decision | str | None:
        """Book what happened. Return the decision on a proposed call; of one that ended, what it was warned of."""
        match happening:
            case SessionBegan(cleared):
                if cleared:
                    self._gate.note_context_cleared()
                return None
            case TurnBegan(turn):
                self._gate.new_turn(turn)
                return None
            case CallProposed(call, turn, agent):
                return self._propose(call, turn, agent)
            case CallEnded(call, outcome, turn, agent, result):
                warned = ""
                if call.id is None:
                    call, warned = self._latest(call, agent)
                if call.id is not None:
                    self._of(agent).settle(call, outcome, result, turn=turn)
                return warned

    def _of(self, agent: str) -> ToolCallGate:
        return self._gate.child(name=agent) if agent else self._gate

    def _propose(self, call: ToolCall, turn: str | None, agent: str) -> Decision:
        named = call if call.id is not None else replace(call, id=f"call-{os.urandom(8).hex()}")
        (decision,) = self._of(agent).admit([named], turn=turn)
        if call.id is None and isinstance(decision, Execute | Warn):
            self._note(named, agent, decision.message if isinstance(decision, Warn) else "")
        return decision

    def _note(self, call: ToolCall, agent: str, warned: str) -> None:
        """Remember the id that a call without one was given, so that its end can be told from others."""
        cell = _cell(call, agent)

        def note(transaction: Transaction) -> None:
            transaction.write({cell: json.dumps([*_open(transaction, cell), [call.id, warned, time.time()]]).encode()})

        self._store.transact(self._id, note)

    def _latest(self, call: ToolCall, agent: str) -> tuple[ToolCall, str]:
        """Return the latest open call with this tool and input, and what it was warned of; it is open no more."""
        cell = _cell(call, agent)

        def take(transaction: Transaction) -> tuple[str | None, str]:
            calls = _open(transaction, cell)
            if not calls:
                return None, ""
            call_id, warned, _ = calls.pop()
            transaction.write({cell: json.dumps(calls).encode() if calls else None})
            return call_id, warned

        call_id, warned = self._store.transact(self._id, take)
        return replace(call, id=call_id), warned


def _cell(call: ToolCall, agent: str) -> Cell:
    said = json.dumps([agent, call.name, call.input], sort_keys=True)
    return _BUCKET, hashlib.blake2b(said.encode(), digest_size=16).digest()


def _open(transaction: Transaction, cell: Cell) -> list[tuple[str, str, float]]:
    (data,) = transaction.read([cell])
    calls: list[tuple[str, str, float]] = json.loads(data) if data else []
    return [entry for entry in calls if time.time() - entry[2] < LEASE]
