"""What speaks against a call, and what follows from it: tables and pure functions over what is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .decisions import Reason
from .options import OnDuplicate, ToolPolicy
from .records import Entry, Epochs, Proposal, Session, Verdict, VerdictKind

POLL_CEILING = 3
"""An unbroken run ends at this many times ``poll_limit``, even while its results change.

A clock asked for over and over changes its answer each time: a rule that looks at results alone never ends it.
"""


@dataclass(frozen=True, slots=True)
class Book:
    """All that one decision reads and writes.

    ``purse`` is the session whose executed calls the limits count: the agent's own, or, for a child that shares its
    parent's budget, the parent's; ``None`` means the agent's own.
    """

    session: Session
    purse: Session | None
    epochs: Epochs
    restless: bool
    """Whether a call left something running: from then on a look at the workspace is a poll."""
    entry: Entry
    kept: int = 0
    """Ordinal of the call whose result is stored, to be given back; 0 if there is none."""


@dataclass(frozen=True, slots=True)
class _Finding:
    """Why a call may not simply run. ``kind`` picks the row in ``_ANSWERS``."""

    reason: Reason
    kind: str
    duplicate_of: int | None = None
    limit: int | None = None
    count: int | None = None
    other_view: bool = False
    in_flight: bool = False


# What a finding leads to under each setting of ``on_duplicate_tool_call``.
_ANSWERS: dict[tuple[str, OnDuplicate], VerdictKind] = {
    ("spent", "reject"): "reject",
    ("spent", "warn"): "reject",
    ("spent", "allow"): "reject",
    ("spent", "reuse"): "reject",
    ("settled", "reject"): "reject",
    ("settled", "warn"): "warn",
    ("settled", "allow"): "execute",
    ("settled", "reuse"): "reuse",
    ("running", "reject"): "reject",
    ("running", "warn"): "warn",
    ("running", "allow"): "execute",
    ("running", "reuse"): "follow",
    # Another view, a repeated failure, a poll: there is no earlier result that may be given back.
    ("unusable", "reject"): "reject",
    ("unusable", "warn"): "warn",
    ("unusable", "allow"): "execute",
    ("unusable", "reuse"): "reject",
}


def judge(book: Book, proposal: Proposal, policy: ToolPolicy, now: float, ordinal: int) -> Verdict:
    """Decide one call as it stands; nothing is booked."""
    if proposal.exempt:
        return Verdict("execute", ordinal)
    finding = next(_findings(book, proposal, policy, now), None)
    kind: VerdictKind = "execute" if finding is None else _ANSWERS[finding.kind, policy.on_duplicate_tool_call]
    rejected, most = book.session.in_turn.rejected, policy.max_rejections
    if kind != "reject" and most is not None and rejected >= max(most, 1):
        finding, kind = _Finding("max_rejections", "spent", limit=most, count=rejected), "reject"
    if finding is None:
        return Verdict("execute", ordinal)
    return Verdict(
        kind,
        ordinal,
        finding.reason if kind != "execute" else None,
        finding.duplicate_of,
        finding.limit,
        finding.count,
        other_view=finding.other_view,
        in_flight=finding.in_flight,
        stop=kind == "reject" and most is not None and rejected + 1 >= most,
    )


def _findings(book: Book, proposal: Proposal, policy: ToolPolicy, now: float) -> Iterator[_Finding]:
    """Everything that speaks against the call, the first that counts first."""
    purse = purse_of(book)
    tools = dict(purse.tools)
    limits: list[tuple[Reason, int | None, int]] = [
        ("max_tool_calls_per_session", policy.max_tool_calls_per_session, purse.in_session.executed),
        ("max_tool_calls", policy.max_tool_calls, purse.in_turn.executed),
        *(("tool_limit", policy.tool_limits[name], tools.get(name, 0)) for name in proposal.limits),
    ]
    for reason, limit, count in limits:
        if limit is not None and count >= limit:
            yield _Finding(reason, "spent", limit=limit, count=count)
    if not (policy.dedupe_tool_calls and proposal.digest):
        return
    repeat = _poll if proposal.kind == "volatile" else _repeat
    yield from repeat(book, proposal, policy, now)


def _poll(book: Book, proposal: Proposal, policy: ToolPolicy, _now: float) -> Iterator[_Finding]:
    run, limit = book.session.run, policy.poll_limit
    if limit is None or run.digest != proposal.digest.hex():
        return
    if run.unchanged > limit:
        yield _Finding("poll_limit", "unusable", run.ordinal, limit, run.unchanged)
    elif run.length > limit * POLL_CEILING:
        yield _Finding("poll_limit", "unusable", run.ordinal, limit * POLL_CEILING, run.length)


def _repeat(book: Book, proposal: Proposal, policy: ToolPolicy, now: float) -> Iterator[_Finding]:
    """Find the latest equal call that succeeded or runs while nothing changed, else too many failures."""
    entry = book.entry
    # What an earlier turn left in flight was most likely given up with it, and says nothing now.
    running = [
        flight
        for flight in entry.flights
        if flight.ordinal > book.session.before_turn
        and now < flight.deadline
        and _fresh(book, flight.epochs, proposal, policy)
    ]
    good = entry.good
    if good is not None and (_expired(good.time, policy, now) or not _fresh(book, good.epochs, proposal, policy)):
        good = None
    if running and (good is None or running[-1].ordinal > good.ordinal):
        other = running[-1].view != proposal.view
        yield _Finding(
            "duplicate_tool_call",
            "unusable" if other else "running",
            running[-1].ordinal,
            other_view=other,
            in_flight=True,
        )
    elif good is not None:
        other = good.view != proposal.view
        kind = "unusable" if other or good.ordinal != book.kept else "settled"
        yield _Finding("duplicate_tool_call", kind, good.ordinal, other_view=other)
    failures, bad = failures_now(book, proposal, policy, now), entry.bad
    if bad is not None and policy.retry_failures is not None and failures > policy.retry_failures:
        yield _Finding("repeated_failure", "unusable", bad.ordinal, policy.retry_failures, failures)


def _fresh(book: Book, epochs: Epochs, proposal: Proposal, policy: ToolPolicy) -> bool:
    """Say whether nothing that the call depends on or changes may have changed since ``epochs``."""
    mask = book.entry.domains | proposal.depends | proposal.changes
    return not policy.invalidate or all(
        then == now for bit, then, now in zip((1, 2), epochs, book.epochs, strict=True) if mask & bit
    )


def _expired(time: float, policy: ToolPolicy, now: float) -> bool:
    return policy.duplicate_ttl is not None and now - time >= policy.duplicate_ttl


def failures_now(book: Book, proposal: Proposal, policy: ToolPolicy, now: float) -> int:
    """Count the failures in a row that still say something: nothing changed since the latest."""
    bad = book.entry.bad
    if bad is None or _expired(bad.time, policy, now) or not _fresh(book, bad.epochs, proposal, policy):
        return 0
    return bad.count


def purse_of(book: Book) -> Session:
    """Return the session whose executed calls the limits count."""
    return book.session if book.purse is None else book.purse
