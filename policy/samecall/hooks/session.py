"""What happens in a coding agent, as one session's books: in a file, since every hook is a process of its own.

A proposed call goes through the gate. A call that may run leaves a note of its key under its id. When it has ended, the
note says which reservation to close: by then the agent may tell another input, since other hooks can rewrite it, or be
in another turn. So only a proposed call is ever keyed, and only then is the gate loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from callkey import ToolCall

from .. import books
from ..books import Asked, Desk
from ..decisions import Decision, Execute, Outcome, Warn
from ..options import ToolPolicy
from ..records import Proposal
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
            import logging  # noqa: PLC0415 - loaded where something failed

            # The gate's own word on this would be a second line: the process tells the reason.
            logging.getLogger("samecall").addHandler(logging.NullHandler())
            self.failure = error
            raise


@dataclass(frozen=True, slots=True)
class AgentSession:
    """One session of a coding agent. Subagents have histories of their own and share the session's budget."""

    session_id: str
    policy: ToolPolicy
    store: WatchedStore

    def take(self, happening: Happening) -> Decision | str | None:
        """Book what happened. Return the decision on a proposed call; of one that ended, what it was warned of.

        Raises ``StoreError``.
        """
        match happening:
            case SessionBegan(cleared):
                if cleared:
                    self._transact(lambda transaction: books.forget(transaction, self._desk()))
                return None
            case TurnBegan(turn):
                turn_id = None if turn is None else books.turn_digest(turn)
                self._transact(lambda transaction: books.start_turn(transaction, self._desk(), turn_id))
                return None
            case CallProposed(call, turn, agent):
                return self._propose(call, turn, agent)
            case CallEnded(call, outcome, agent, result):
                return self._end(call, outcome, agent, result)

    def _propose(self, call: ToolCall, turn: str | None, agent: str) -> Decision:
        from ..gate import ToolCallGate  # noqa: PLC0415 - see above

        gate = ToolCallGate(self.policy, store=self.store, session_id=self.session_id, lease=LEASE)
        named = call if call.id is not None else replace(call, id=f"call-{os.urandom(8).hex()}")
        (decision,) = (gate.child(name=agent) if agent else gate).admit([named], turn=turn)
        if self.store.failure is not None:
            raise self.store.failure
        if isinstance(decision, Execute | Warn):
            self._note(call, decision, agent)
        return decision

    def _note(self, call: ToolCall, decision: Execute | Warn, agent: str) -> None:
        from ..proposals import propose  # noqa: PLC0415 - see above

        cell = _cell(call, agent)
        digest = propose(call, decision.call_id, self.policy).asked.proposal.digest.hex()
        warned = decision.message if isinstance(decision, Warn) else ""

        def note(transaction: Transaction) -> None:
            turn_id = books.session(transaction, self._desk(agent)).turn_id
            notes = [*_notes(transaction, cell), (decision.call_id, digest, turn_id, warned, time.time())]
            transaction.write({cell: json.dumps(notes).encode()})

        self._transact(note)

    def _end(self, call: ToolCall, outcome: Outcome, agent: str, result: object) -> str:
        """Close the latest open call that this one may be; return what it was warned of."""
        cell, seen = _cell(call, agent), _fingerprint(result)

        def end(transaction: Transaction) -> str:
            notes = _notes(transaction, cell)
            if not notes:
                return ""
            call_id, digest, turn_id, warned, _ = notes.pop()
            proposal = Proposal(bytes.fromhex(digest), limits=self.policy.limits_of(call.name))
            asked = Asked(call_id, call.name, proposal)
            books.settle(transaction, self._desk(agent), asked, turn_id, outcome, seen, None, time.time())
            transaction.write({cell: json.dumps(notes).encode() if notes else None})
            return warned

        return self._transact(end)

    def _transact(self, work: Callable[[Transaction], Result]) -> Result:
        return self.store.transact(self.session_id, work)

    def _desk(self, agent: str = "") -> Desk:
        """Return the books of the session, or of a subagent: those that ``ToolCallGate.child`` opens by its name."""
        return Desk(f"/{agent}" if agent else "", "", self.policy, LEASE)


def _cell(call: ToolCall, agent: str) -> Cell:
    """Return the place of the notes on a call: by its id, else by all that is known of it."""
    said = [agent, call.id] if call.id is not None else [agent, call.name, call.input]
    return _BUCKET, bytes.fromhex(_fingerprint(said))


def _fingerprint(value: object) -> str:
    """Return a digest of JSON, ``""`` for ``None``: there is nothing to compare."""
    if value is None:
        return ""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).hexdigest()


def _notes(transaction: Transaction, cell: Cell) -> list[tuple[str, str, str, str, float]]:
    """Return the open calls in a place: id, key, turn, warning, time of each. What outlived its lease is let go."""
    (data,) = transaction.read([cell])
    notes: list[tuple[str, str, str, str, float]] = json.loads(data) if data else []
    return [note for note in notes if time.time() - note[-1] < LEASE]
