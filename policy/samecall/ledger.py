"""Pure transitions: what is known + a call -> a verdict and what is known then. No clock, no I/O.

Every store runs these same functions inside its transaction, so every store decides the same.
"""

from __future__ import annotations

from dataclasses import replace

from .decisions import Outcome
from .judging import Book, failures_now, judge, purse_of
from .options import ToolPolicy
from .records import Bad, Counters, Entry, Epochs, Flight, Good, Proposal, Reservation, Run, Session, Verdict


def admit(book: Book, proposal: Proposal, policy: ToolPolicy, now: float, lease: float) -> tuple[Book, Reservation]:
    """Decide one call and book it: counters, epochs and entry are reserved before anything runs."""
    proposal = _as_seen(book, proposal, policy)
    ordinal = book.session.ordinal + 1
    verdict = judge(book, proposal, policy, now, ordinal)
    book = replace(book, session=replace(book.session, ordinal=ordinal))
    if not proposal.exempt:
        book = _count(book, verdict, proposal)
        if verdict.kind in {"execute", "warn"}:
            book = _take_off(book, proposal, policy, now, lease)
    if verdict.kind in {"execute", "warn"} and policy.max_tool_calls is not None:
        left = policy.max_tool_calls - purse_of(book).in_turn.executed
        verdict = replace(verdict, remaining=max(left, 0))
    turn, generation = book.session.turn, book.session.generation
    return book, Reservation(verdict, proposal, turn, purse_of(book).turn, generation, now + lease)


def settle(  # noqa: PLR0913, PLR0917 - each is one fact
    book: Book, held: Reservation, outcome: Outcome, result: str, policy: ToolPolicy, now: float
) -> tuple[Book, Reservation]:
    """Close a reservation; ``result`` is a digest of the result, ``""`` if it is not known.

    The caller settles a reservation once; it gives the tool's ``limits`` again, since reservations do not keep them.
    After its lease a call counts as unknown: whatever it says then proves nothing about the next one.
    """
    proposal, verdict = held.proposal, held.verdict
    settled = replace(held, outcome=outcome)
    if proposal.exempt:
        return book, settled
    match outcome:
        case "denied":
            book = _give_back(book, held)
        case _:
            book = replace(book, epochs=_bump(book.epochs, proposal.changes))
    if policy.dedupe_tool_calls and proposal.kind == "volatile":
        book = replace(book, session=replace(book.session, run=_observe(book.session.run, proposal, result)))
    if held.generation == book.session.generation:
        proven = outcome if now < held.deadline else "unknown"
        book = replace(book, entry=_land(book.entry, verdict.ordinal, proposal, proven))
    return book, settled


def resolve(
    session: Session, held: Reservation, shared: Outcome | None, *, succeeded: bool
) -> tuple[Session, Reservation]:
    """Answer a follower once its leader is settled: share what was kept of its end, or refuse where nothing was.

    ``succeeded`` tells the two refusals apart: the model has the leader's result elsewhere, or nobody has it.
    """
    if shared is None:
        verdict = replace(held.verdict, kind="reject", in_flight=False)
        counted = Counters(rejected=1)
    else:
        verdict = replace(held.verdict, kind="reuse", reason=None, in_flight=False)
        counted = Counters(reused=1)
    session = replace(
        session,
        in_turn=_sum(session.in_turn, counted) if held.turn == session.turn else session.in_turn,
        in_session=_sum(session.in_session, counted),
    )
    return session, replace(held, verdict=verdict, outcome=shared or ("succeeded" if succeeded else "unknown"))


def is_running(entry: Entry, ordinal: int, now: float) -> bool:
    """Say whether a call is still in flight and within its lease."""
    return any(flight.ordinal == ordinal and now < flight.deadline for flight in entry.flights)


def start_turn(session: Session, turn_id: str, policy: ToolPolicy) -> Session:
    """Begin a turn: its counters are zero, and under turn scope nothing earlier is remembered."""
    session = replace(
        session,
        turn=session.turn + 1,
        turn_id=turn_id,
        before_turn=session.ordinal,
        in_turn=Counters(),
        tools=(),
    )
    return forget(session) if policy.dedupe_scope == "turn" else session


def forget(session: Session) -> Session:
    """Drop what was remembered of earlier calls, not the counters: the model no longer sees their results."""
    return replace(session, generation=session.generation + 1, run=Run())


def _as_seen(book: Book, proposal: Proposal, policy: ToolPolicy) -> Proposal:
    """Return a look at a workspace in which something runs as what it is: its answer may change by itself."""
    moves = book.restless and policy.invalidate and proposal.kind == "read" and proposal.depends & 1
    return replace(proposal, kind="volatile") if moves else proposal


def _count(book: Book, verdict: Verdict, proposal: Proposal) -> Book:
    """Charge the call: executed calls to the purse, too, where that is another session's."""
    executed = verdict.kind in {"execute", "warn"}
    counted = Counters(1, int(executed), int(verdict.kind == "reject"), int(verdict.kind == "reuse"))
    session = _charge(book.session, counted, proposal.limits if executed else ())
    purse = book.purse
    if purse is not None and executed:
        purse = _charge(purse, Counters(executed=1), proposal.limits)
    return replace(book, session=session, purse=purse)


def _charge(session: Session, counted: Counters, limits: tuple[str, ...], sign: int = 1) -> Session:
    tools = dict(session.tools)
    for name in limits:
        tools[name] = max(tools.get(name, 0) + sign, 0)
    return replace(
        session,
        in_turn=_sum(session.in_turn, counted),
        in_session=_sum(session.in_session, counted),
        tools=tuple(tools.items()),
    )


def _give_back(book: Book, held: Reservation) -> Book:
    """Undo the charge of a call that somebody else denied: it never ran."""
    session = _uncharge(book.session, held, held.turn)
    purse = book.purse and _uncharge(book.purse, held, held.purse_turn)
    return replace(book, session=session, purse=purse)


def _uncharge(session: Session, held: Reservation, turn: int) -> Session:
    counted = Counters(executed=-1)
    if turn == session.turn:
        return _charge(session, counted, held.proposal.limits, -1)
    return replace(session, in_session=_sum(session.in_session, counted))


def _take_off(book: Book, proposal: Proposal, policy: ToolPolicy, now: float, lease: float) -> Book:
    """Book a call that is about to run: what it may change counts as changed from here on."""
    session, entry, ordinal = book.session, book.entry, book.session.ordinal
    epochs = _bump(book.epochs, proposal.changes)
    if policy.dedupe_tool_calls:
        session = replace(session, run=_extend(session.run, proposal, ordinal))
    if policy.dedupe_tool_calls and proposal.digest and proposal.kind != "volatile":
        failures = failures_now(book, proposal, policy, now)
        # What has run out, or would be stale for ever, can never be a duplicate again.
        live = tuple(f for f in entry.flights if now < f.deadline)
        flight = Flight(ordinal, epochs, proposal.view, now, now + lease, failures)
        domains = entry.domains | proposal.depends | proposal.changes
        entry = replace(entry, domains=domains, flights=(*live, flight))
    return replace(book, session=session, epochs=epochs, restless=book.restless or proposal.lingers, entry=entry)


def _land(entry: Entry, ordinal: int, proposal: Proposal, outcome: Outcome) -> Entry:
    """Turn a flight into what it proved: a success, a failure, or nothing."""
    flight = next((f for f in entry.flights if f.ordinal == ordinal), None)
    if flight is None:
        return entry
    # The call's own two bumps do not make it stale: the first is in the flight's epochs, the second is added here.
    epochs = _bump(flight.epochs, proposal.changes)
    good, bad = entry.good, entry.bad
    match outcome:
        case "succeeded":
            if good is None or good.ordinal < ordinal:
                good = Good(ordinal, epochs, flight.view, flight.time)
            if bad is not None and bad.ordinal < ordinal:
                bad = None
        case "failed" if max(good.ordinal if good else 0, bad.ordinal if bad else 0) < ordinal:
            bad = Bad(ordinal, epochs, flight.time, flight.failures + 1)
        case _:
            pass
    return replace(entry, good=good, bad=bad, flights=tuple(f for f in entry.flights if f is not flight))


def _extend(run: Run, proposal: Proposal, ordinal: int) -> Run:
    digest = proposal.digest.hex()
    if digest and digest == run.digest:
        return replace(run, ordinal=ordinal, length=run.length + 1, unchanged=run.unchanged + 1)
    return Run(digest, ordinal, 1, 1) if digest else Run()


def _observe(run: Run, proposal: Proposal, result: str) -> Run:
    """Take in the result of a poll: a changed one starts the count again, a missing one proves nothing."""
    if not result or run.digest != proposal.digest.hex():
        return run
    changed = bool(run.result) and run.result != result
    return replace(run, result=result, unchanged=1 if changed else run.unchanged)


def _bump(epochs: Epochs, changes: int) -> Epochs:
    return epochs[0] + (changes & 1), epochs[1] + (changes >> 1 & 1)


def _sum(left: Counters, right: Counters) -> Counters:
    return Counters(
        left.attempted + right.attempted,
        left.executed + right.executed,
        left.rejected + right.rejected,
        left.reused + right.reused,
    )
