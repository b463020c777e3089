"""One agent's books in a store: which records an operation reads and writes. All of it runs inside a transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from . import ledger
from .decisions import Outcome
from .judging import Book
from .options import ToolPolicy
from .packing import (
    OUTCOMES,
    pack_entry,
    pack_epochs,
    pack_reservation,
    pack_session,
    unpack_entry,
    unpack_epochs,
    unpack_reservation,
    unpack_session,
)
from .records import Counters, Entry, Epochs, Proposal, Reservation, Session
from .stores.protocol import Cell, Transaction

CHUNK = 1024
"""A decided call is known by its id for at least this many calls more; then ids are let go, so they do not pile up."""

_WORLD: Cell = ("state", b"world")
_RESTLESS: Cell = ("state", b"restless")
_RUNS = {"execute", "warn"}


@dataclass(frozen=True, slots=True)
class Desk:
    """Whose books: the agent (``""`` is the session's own), and the agent whose counters the limits look at."""

    agent: str
    purse: str
    policy: ToolPolicy
    lease: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as far as the books need it."""

    call_id: str
    name: str
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Noted:
    """A call in the books after an operation, and whether the operation changed anything (``new``)."""

    held: Reservation
    counts: Counters
    new: bool
    stored: bytes | None = None
    """What a reused call is answered with (JSON)."""
    outcome: Outcome | None = None
    """How the reused call ended."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The session's turn after an operation, and whether the operation started it."""

    turn: int
    turn_id: str
    new: bool


class _Page:
    """The records that one operation has read, and what it will write."""

    def __init__(self, transaction: Transaction, desk: Desk) -> None:
        self._transaction = transaction
        self._desk = desk
        self._dropped: list[str] = []
        self._records: dict[Cell, bytes | None] = {}
        self._changes: dict[Cell, bytes | None] = {}
        self.read([_WORLD, _RESTLESS, _state(desk.agent), _state(desk.purse)])
        world, own = self.get(_WORLD), self.get(_state(desk.agent))
        self.epochs: Epochs = unpack_epochs(world) if world else (0, 0)
        self.restless = self.get(_RESTLESS) is not None
        self.session = unpack_session(own) if own else Session()
        self.purse: Session | None = None
        if desk.purse != desk.agent:
            paying = self.get(_state(desk.purse))
            self.purse = unpack_session(paying) if paying else Session()
        self.first_ordinal = self.session.ordinal

    def read(self, cells: Sequence[Cell]) -> None:
        self._records.update(zip(cells, self._transaction.read(cells), strict=True))

    def get(self, cell: Cell) -> bytes | None:
        return self._records.get(cell)

    def put(self, cell: Cell, value: bytes | None) -> None:
        if self._records.get(cell) == value:
            return
        self._records[cell] = self._changes[cell] = value

    def drop(self, bucket: str) -> None:
        self._dropped.append(bucket)

    def book(self, proposal: Proposal) -> Book:
        entry = self.get(self.entry_cell(proposal))
        kept = self.stored(proposal)
        return Book(
            self.session,
            self.purse,
            self.epochs,
            self.restless,
            unpack_entry(entry) if entry else Entry(),
            kept[0] if kept and kept[1] == "succeeded" else 0,
        )

    def take(self, book: Book, proposal: Proposal) -> None:
        self.session, self.purse, self.epochs = book.session, book.purse, book.epochs
        self.restless = book.restless
        if book.entry != Entry():
            self.put(self.entry_cell(proposal), pack_entry(book.entry))

    def stored(self, proposal: Proposal) -> tuple[int, Outcome | None, bytes] | None:
        data = self.get(self.result_cell(proposal))
        return None if data is None else (int.from_bytes(data[:4], "little"), OUTCOMES[data[4]], data[5:])

    def entry_cell(self, proposal: Proposal) -> Cell:
        return f"{self._desk.agent}:entries:{self.session.generation}", proposal.digest

    def result_cell(self, proposal: Proposal) -> Cell:
        return f"{self._desk.agent}:results:{self.session.generation}", proposal.digest

    def open_cell(self, ticket: bytes) -> Cell:
        return f"{self._desk.agent}:open", ticket

    def done_cells(self, ticket: bytes) -> list[Cell]:
        chunk = self.first_ordinal // CHUNK
        return [(f"{self._desk.agent}:done:{part}", ticket) for part in (chunk + 1, chunk, chunk - 1)]

    def find(self, ticket: bytes) -> Reservation | None:
        cells = [self.open_cell(ticket), *self.done_cells(ticket)]
        return next((unpack_reservation(data) for cell in cells if (data := self.get(cell)) is not None), None)

    def file(self, ticket: bytes, held: Reservation) -> None:
        """Put a reservation where it belongs: open while something is still to come, else among the decided."""
        waits = held.outcome is None and held.verdict.kind in {*_RUNS, "follow"}
        self.put(self.open_cell(ticket), pack_reservation(held) if waits else None)
        if not waits:
            bucket = f"{self._desk.agent}:done:{self.session.ordinal // CHUNK}"
            self.put((bucket, ticket), pack_reservation(held))

    def start_turn(self, turn_id: str | None, *, always: bool = False) -> Opened:
        """Start a turn: where there is none yet, where the id names another, or ``always`` where there is no id."""
        session = self.session
        new = session.turn == 0 or (always if turn_id is None else turn_id != session.turn_id)
        if new:
            self.session = ledger.start_turn(session, turn_id or turn_digest(f"#{session.turn + 1}"), self._desk.policy)
            self.let_go(session)
        if self.purse is not None and self.purse.turn == 0:
            # A child may be the first to spend: its parent is in its first turn from here on.
            self.purse = ledger.start_turn(self.purse, turn_digest("#1"), self._desk.policy)
        return Opened(self.session.turn, self.session.turn_id, new)

    def forget(self) -> None:
        old = self.session
        self.session = ledger.forget(old)
        self.let_go(old)

    def let_go(self, old: Session) -> None:
        if old.generation != self.session.generation:
            self.drop(f"{self._desk.agent}:entries:{old.generation}")
            self.drop(f"{self._desk.agent}:results:{old.generation}")

    def close(self) -> None:
        for part in range(self.first_ordinal // CHUNK - 1, self.session.ordinal // CHUNK - 1):
            self.drop(f"{self._desk.agent}:done:{part}")
        for bucket in self._dropped:
            self._transaction.drop(bucket)
        self.put(_WORLD, pack_epochs(self.epochs))
        self.put(_RESTLESS, b"1" if self.restless else None)
        self.put(_state(self._desk.agent), pack_session(self.session))
        if self.purse is not None:
            self.put(_state(self._desk.purse), pack_session(self.purse))
        self._transaction.write({cell: value for cell, value in self._changes.items() if cell[0] not in self._dropped})


def turn_digest(turn: str | int) -> str:
    """Return what the books keep of a turn's id.

    >>> turn_digest("prompt 1") == turn_digest("prompt 2")
    False
    """
    return hashlib.blake2b(str(turn).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def admit(
    transaction: Transaction, desk: Desk, asked: Sequence[Asked], turn_id: str | None, now: float
) -> tuple[Opened, list[Noted]]:
    """Decide a batch in its order, and start a turn first where the id says so or there was none."""
    page = _Page(transaction, desk)
    opened = page.start_turn(turn_id)
    tickets = [_ticket(page.session.turn_id, call) for call in asked]
    page.read([cell for call, ticket in zip(asked, tickets, strict=True) for cell in _cells(page, desk, call, ticket)])
    noted: list[Noted] = []
    for call, ticket in zip(asked, tickets, strict=True):
        held, proposal = page.find(ticket), call.proposal
        if held is not None and held.outcome is not None and held.verdict.kind in _RUNS:
            # It ran and ended. Whoever asks again, a model that reuses an id or a step done over, runs it again.
            held = None
        new = held is None
        if held is None:
            book, held = ledger.admit(page.book(proposal), proposal, desk.policy, now, desk.lease)
            page.take(book, proposal)
            page.file(ticket, held)
        stored = page.stored(proposal) if held.verdict.kind == "reuse" else None
        noted.append(Noted(held, page.session.in_turn, new, stored and stored[2], stored and stored[1]))
    page.close()
    return opened, noted


def settle(  # noqa: PLR0913, PLR0917 - each is one fact
    transaction: Transaction,
    desk: Desk,
    call: Asked,
    turn_id: str | None,
    outcome: Outcome,
    result: str,
    stored: bytes | None,
    now: float,
) -> Noted | None:
    """Close a reservation, once. ``None``: no such call is known. ``stored`` is the result to keep (JSON), if any."""
    page = _Page(transaction, desk)
    ticket = _ticket(turn_id or page.session.turn_id, call)
    page.read([*_cells(page, desk, call, ticket)])
    held = page.find(ticket)
    if held is None or held.outcome is not None or held.verdict.kind not in _RUNS:
        return None if held is None else Noted(held, page.session.in_turn, new=False)
    proposal = replace(held.proposal, limits=call.proposal.limits)
    book, held = ledger.settle(page.book(proposal), replace(held, proposal=proposal), outcome, result, desk.policy, now)
    page.take(book, proposal)
    page.file(ticket, held)
    keeps = outcome in {"succeeded", "failed"} and held.generation == page.session.generation and now < held.deadline
    if stored is not None and keeps and proposal.digest and proposal.kind != "volatile":
        head = held.verdict.ordinal.to_bytes(4, "little") + bytes([OUTCOMES.index(outcome)])
        page.put(page.result_cell(proposal), head + stored)
    page.close()
    return Noted(held, page.session.in_turn, new=True)


def resolve(transaction: Transaction, desk: Desk, call: Asked, turn_id: str | None, now: float) -> Noted | None:
    """Answer a follower if its leader is settled; else it is returned unchanged. ``None``: no such call is known."""
    page = _Page(transaction, desk)
    ticket = _ticket(turn_id or page.session.turn_id, call)
    page.read([*_cells(page, desk, call, ticket)])
    held = page.find(ticket)
    if held is None:
        return None
    leader, stored = held.verdict.duplicate_of or 0, page.stored(call.proposal)
    shared = stored if stored and stored[0] == leader and held.generation == page.session.generation else None
    entry = page.book(call.proposal).entry
    new = held.verdict.kind == "follow" and not ledger.is_running(entry, leader, now)
    if new:
        succeeded = entry.good is not None and entry.good.ordinal >= leader
        page.session, held = ledger.resolve(page.session, held, shared and shared[1], succeeded=succeeded)
        page.file(ticket, held)
        page.close()
    return Noted(held, page.session.in_turn, new, shared and shared[2], shared and shared[1])


def look(transaction: Transaction, desk: Desk, call: Asked, turn_id: str | None) -> Reservation | None:
    """Return what is known of a call."""
    page = _Page(transaction, desk)
    ticket = _ticket(turn_id or page.session.turn_id, call)
    page.read([*_cells(page, desk, call, ticket)])
    return page.find(ticket)


def start_turn(transaction: Transaction, desk: Desk, turn_id: str | None) -> Opened:
    """Start a turn, unless the session is in the one with this id."""
    page = _Page(transaction, desk)
    opened = page.start_turn(turn_id, always=True)
    page.close()
    return opened


def forget(transaction: Transaction, desk: Desk) -> None:
    """Drop what is remembered of earlier calls, not the counters."""
    page = _Page(transaction, desk)
    page.forget()
    page.close()


def session(transaction: Transaction, desk: Desk) -> Session:
    """Return the agent's state."""
    return _Page(transaction, desk).session


def _state(agent: str) -> Cell:
    return "state", f"agent:{agent}".encode()


def _ticket(turn_id: str, call: Asked) -> bytes:
    """Name a call: ids repeat across turns, and a model may reuse one within a turn for other arguments."""
    text = f"{turn_id}\0{call.call_id}\0{call.name}".encode(errors="surrogatepass")
    return hashlib.blake2b(text + b"\0" + call.proposal.digest, digest_size=16).digest()


def _cells(page: _Page, desk: Desk, call: Asked, ticket: bytes) -> Iterable[Cell]:
    yield page.open_cell(ticket)
    yield from page.done_cells(ticket)
    if desk.policy.dedupe_tool_calls and call.proposal.digest:
        yield page.entry_cell(call.proposal)
        if desk.policy.on_duplicate_tool_call == "reuse":
            yield page.result_cell(call.proposal)
