"""What is known of a session, as frozen values. Digests and numbers only, never an argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .decisions import Outcome, Reason
from .options import EffectKind

Epochs: TypeAlias = tuple[int, int]
"""How often something may have changed the workspace, and the network."""

DOMAINS = ("workspace", "network")

VerdictKind: TypeAlias = Literal["execute", "warn", "reject", "reuse", "follow"]


@dataclass(frozen=True, slots=True)
class Counters:
    """What happened so far: calls asked for, run, refused, answered with an earlier result."""

    attempted: int = 0
    executed: int = 0
    rejected: int = 0
    reused: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """The unbroken run of equal calls that the session is in; ``digest`` is ``""`` between runs."""

    digest: str = ""
    ordinal: int = 0
    """Its latest call."""
    length: int = 0
    unchanged: int = 0
    """Calls since the result last changed."""
    result: str = ""
    """Digest of the latest result."""


@dataclass(frozen=True, slots=True)
class Session:
    """The state of one agent in one session: small, and read and written by each admission."""

    turn: int = 0
    turn_id: str = ""
    """Digest of the caller's turn id."""
    generation: int = 0
    """Entries of an earlier generation are forgotten."""
    ordinal: int = 0
    """How many calls there were."""
    before_turn: int = 0
    """How many of them before the current turn."""
    in_turn: Counters = field(default_factory=Counters)
    in_session: Counters = field(default_factory=Counters)
    tools: tuple[tuple[str, int], ...] = ()
    """Pattern of ``tool_limits`` -> executed calls in this turn."""
    run: Run = field(default_factory=Run)


@dataclass(frozen=True, slots=True)
class Good:
    """The latest success of a call: still good while ``epochs`` are those of the world."""

    ordinal: int
    epochs: Epochs
    view: bytes
    time: float
    """When the call was admitted: the result is at least that new."""


@dataclass(frozen=True, slots=True)
class Bad:
    """The latest failure of a call, and how many came in a row while nothing changed."""

    ordinal: int
    epochs: Epochs
    time: float
    count: int


@dataclass(frozen=True, slots=True)
class Flight:
    """A call that was admitted and not settled yet."""

    ordinal: int
    epochs: Epochs
    view: bytes
    time: float
    deadline: float
    failures: int
    """Failures in a row that the call saw when it was admitted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """All that is remembered of the calls with one key. ``domains`` is a mask: what their result depends on."""

    domains: int = 0
    good: Good | None = None
    bad: Bad | None = None
    flights: tuple[Flight, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the ledger needs to know of a call: nothing of what it says."""

    digest: bytes = b""
    """16 bytes; empty: never a duplicate."""
    view: bytes = b""
    """8 bytes; empty: the whole output."""
    kind: EffectKind = "write"
    depends: int = 3
    changes: int = 3
    limits: tuple[str, ...] = ()
    """Patterns of ``tool_limits`` that the tool's name matches."""
    exempt: bool = False
    lingers: bool = False
    """The call leaves something running, which may write after the call has ended."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision as numbers."""

    kind: VerdictKind
    ordinal: int
    reason: Reason | None = None
    duplicate_of: int | None = None
    limit: int | None = None
    count: int | None = None
    other_view: bool = False
    in_flight: bool = False
    stop: bool = False
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """A decided call. ``outcome`` is ``None`` until it is settled; after ``deadline`` that means unknown."""

    verdict: Verdict
    proposal: Proposal
    turn: int
    purse_turn: int
    """Turn of the session that pays; another one's only for a child that shares its parent's budget."""
    generation: int
    deadline: float
    outcome: Outcome | None = None
