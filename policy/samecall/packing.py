"""Records as bytes, for every store. A remembered call is one entry of about 30 bytes, so that a million stay small."""

from __future__ import annotations

import json
import struct
from typing import cast

from .decisions import Outcome, Reason
from .options import EffectKind
from .records import (
    Bad,
    Counters,
    Entry,
    Epochs,
    Flight,
    Good,
    Proposal,
    Reservation,
    Run,
    Session,
    Verdict,
    VerdictKind,
)

# Places in these tables are what is stored: append only.
VERDICTS: tuple[VerdictKind, ...] = ("execute", "warn", "reject", "reuse", "follow")
REASONS: tuple[Reason | None, ...] = (
    None,
    "max_tool_calls",
    "max_tool_calls_per_session",
    "tool_limit",
    "duplicate_tool_call",
    "repeated_failure",
    "poll_limit",
    "max_rejections",
    "store_unavailable",
)
OUTCOMES: tuple[Outcome | None, ...] = (None, "succeeded", "failed", "denied", "cancelled", "unknown")
KINDS: tuple[EffectKind, ...] = ("read", "write", "volatile")

_ENTRY = struct.Struct("<BB")
_GOOD = struct.Struct("<III8sd")
_BAD = struct.Struct("<IIIdI")
_FLIGHT = struct.Struct("<III8sddI")
_RESERVATION = struct.Struct("<BBBBBBIqqqqIIId16s8s")


def pack_entry(entry: Entry) -> bytes:
    """Write an entry: two bytes, then the success, the failure and the flights as far as there are any."""
    good, bad = entry.good, entry.bad
    parts = [_ENTRY.pack(entry.domains, (good is not None) | (bad is not None) << 1)]
    if good:
        parts.append(_GOOD.pack(good.ordinal, *good.epochs, good.view, good.time))
    if bad:
        parts.append(_BAD.pack(bad.ordinal, *bad.epochs, bad.time, bad.count))
    parts += [_FLIGHT.pack(f.ordinal, *f.epochs, f.view, f.time, f.deadline, f.failures) for f in entry.flights]
    return b"".join(parts)


def unpack_entry(data: bytes) -> Entry:
    """Read what ``pack_entry`` wrote."""
    domains, flags = _ENTRY.unpack_from(data)
    at = _ENTRY.size
    good = bad = None
    if flags & 1:
        ordinal, workspace, network, view, time = _GOOD.unpack_from(data, at)
        good = Good(ordinal, (workspace, network), view.rstrip(b"\0"), time)
        at += _GOOD.size
    if flags & 2:
        ordinal, workspace, network, time, count = _BAD.unpack_from(data, at)
        bad = Bad(ordinal, (workspace, network), time, count)
        at += _BAD.size
    flights = tuple(
        Flight(ordinal, (workspace, network), view.rstrip(b"\0"), time, deadline, failures)
        for ordinal, workspace, network, view, time, deadline, failures in _FLIGHT.iter_unpack(data[at:])
    )
    return Entry(domains, good, bad, flights)


def _number(value: int | None) -> int:
    return -1 if value is None else value


def _optional(value: int) -> int | None:
    return None if value < 0 else value


def pack_reservation(held: Reservation) -> bytes:
    """Write a reservation. Patterns of ``tool_limits`` are left out: the policy knows them."""
    verdict, proposal = held.verdict, held.proposal
    return _RESERVATION.pack(
        VERDICTS.index(verdict.kind),
        REASONS.index(verdict.reason),
        verdict.other_view | verdict.in_flight << 1 | verdict.stop << 2 | proposal.exempt << 3,
        OUTCOMES.index(held.outcome),
        KINDS.index(proposal.kind),
        proposal.depends | proposal.changes << 2,
        verdict.ordinal,
        _number(verdict.duplicate_of),
        _number(verdict.limit),
        _number(verdict.count),
        _number(verdict.remaining),
        held.turn,
        held.purse_turn,
        held.generation,
        held.deadline,
        proposal.digest,
        proposal.view,
    )


def unpack_reservation(data: bytes) -> Reservation:
    """Read what ``pack_reservation`` wrote."""
    parts = cast("tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int, float, bytes, bytes]",
                 _RESERVATION.unpack(data))  # fmt: skip
    kind, reason, flags, outcome, effect, domains, ordinal, duplicate_of, limit, count, remaining = parts[:11]
    turn, purse_turn, generation, deadline, digest, view = parts[11:]
    verdict = Verdict(
        VERDICTS[kind],
        ordinal,
        REASONS[reason],
        _optional(duplicate_of),
        _optional(limit),
        _optional(count),
        other_view=bool(flags & 1),
        in_flight=bool(flags & 2),
        stop=bool(flags & 4),
        remaining=_optional(remaining),
    )
    # A digest of 16 zero bytes does not happen (2**-128), so zeros stand for "none".
    digest = digest if any(digest) else b""
    proposal = Proposal(digest, view.rstrip(b"\0"), KINDS[effect], domains & 3, domains >> 2, exempt=bool(flags & 8))
    return Reservation(verdict, proposal, turn, purse_turn, generation, deadline, OUTCOMES[outcome])


def pack_session(session: Session) -> bytes:
    """Write a session's state as JSON."""
    turn, total, run = session.in_turn, session.in_session, session.run
    fields = (
        session.turn,
        session.turn_id,
        session.generation,
        session.ordinal,
        session.before_turn,
        (turn.attempted, turn.executed, turn.rejected, turn.reused),
        (total.attempted, total.executed, total.rejected, total.reused),
        session.tools,
        (run.digest, run.ordinal, run.length, run.unchanged, run.result),
    )
    return json.dumps(fields, separators=(",", ":")).encode()


def unpack_session(data: bytes) -> Session:
    """Read what ``pack_session`` wrote."""
    turn, turn_id, generation, ordinal, before_turn, in_turn, in_session, tools, run = cast(
        "tuple[int, str, int, int, int, list[int], list[int], list[list[object]], list[object]]", json.loads(data)
    )
    return Session(
        turn,
        turn_id,
        generation,
        ordinal,
        before_turn,
        Counters(*in_turn),
        Counters(*in_session),
        tuple(cast("tuple[str, int]", tuple(pair)) for pair in tools),
        Run(*cast("tuple[str, int, int, int, str]", run)),
    )


def pack_epochs(epochs: Epochs) -> bytes:
    """Write the world's epochs."""
    return struct.pack("<II", *epochs)


def unpack_epochs(data: bytes) -> Epochs:
    """Read what ``pack_epochs`` wrote."""
    workspace, network = struct.unpack("<II", data)
    return workspace, network
