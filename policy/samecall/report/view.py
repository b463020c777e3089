"""What the page says of one session: plain text of bounded size, so that the recording itself can be let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..decisions import Reject, Warn
from ..options import ToolPolicy
from ..recordings import RecordedCall
from ..replay import Row, SessionReplay
from .kinds import BUDGET, DIFFERS, KEPT, NOTED, Kind, kind_of, reason_of
from .twins import explanation
from .wording import arguments, command_of, contrasted, one_line, shown

MAX_SESSION_CHIPS = 1_000
"""Calls of one session that get a chip: those that are not simply kept first, then those at its beginning."""
MAX_SESSION_DETAILS = 300
"""Calls of one session whose texts and results are on the page, false refusals first."""
COMMAND_LIMIT = 2_000
"""Characters of a command, and of a call's other arguments."""
RESULT_LIMIT = 1_000
"""Characters of a result."""
_LINE = 120
_NAME = 80
_TITLE = 300
_SENTENCE = 1_000


@dataclass(frozen=True, slots=True)
class Side:
    """One call of a pair, in full as far as the limits go. ``result`` is ``None`` where nothing was recorded."""

    number: int
    tool: str
    command: str
    arguments: str
    outcome: str
    result: str | None


@dataclass(frozen=True, slots=True)
class Detail:
    """What a click on a chip shows: the call, the earlier one that it repeats, if any, and why they are one."""

    explanation: str
    message: str
    """What the model reads."""
    results: str
    """How the two results compare, in words; ``""`` where there is no earlier call."""
    again: Side
    earlier: Side | None


@dataclass(frozen=True, slots=True)
class Chip:
    """One call on the timeline. ``number`` is its place in the session; ``of`` that of the call it repeats."""

    number: int
    turn: int
    kind: Kind
    tool: str
    line: str
    reason: str
    of: int | None
    skipped: int
    """Calls left out just before it."""
    new_turn: bool
    detail: Detail | None


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session on the page."""

    title: str
    format: str
    calls: int
    counts: tuple[tuple[Kind, int], ...]
    chips: tuple[Chip, ...]
    skipped_last: int
    """Calls left out after the last chip."""

    def count(self, *kinds: Kind) -> int:
        """Return how many calls came to one of these."""
        return sum(found for kind, found in self.counts if kind in kinds)

    @property
    def refused(self) -> int:
        """Calls that would not run."""
        return self.calls - self.count(KEPT, NOTED)

    @property
    def over_budget(self) -> int:
        """Calls over a limit."""
        return self.count(BUDGET)

    @property
    def false_refusals(self) -> int:
        """Calls that would not have run, with another result."""
        return self.count(DIFFERS)


def view(session: SessionReplay, policy: ToolPolicy) -> SessionView:
    """Return what the page says of a session."""
    kinds = [kind_of(row) for row in session.rows]
    places = _first(kinds, MAX_SESSION_CHIPS, kept=True)
    detailed = set(_first(kinds, MAX_SESSION_DETAILS, kept=False))
    before = [-1, *places]
    chips = tuple(
        _chip(session.rows, last, place, _detail(session.rows[place], policy) if place in detailed else None)
        for last, place in pairwise(before)
    )
    return SessionView(
        shown(session.title, _TITLE),
        shown(session.format, _NAME),
        len(kinds),
        tuple(Counter(kinds).items()),
        chips,
        len(kinds) - 1 - before[-1],
    )


@lru_cache(maxsize=1024)
def tool_name(name: str) -> str:
    """Return the name of a tool as the page shows it. A session has few tools and names one in each of its calls."""
    return one_line(name, _NAME)


def _first(kinds: list[Kind], limit: int, *, kept: bool) -> list[int]:
    """Return the places of the calls to show, in order: false refusals, then what is not kept, then the rest."""
    ranked = sorted(range(len(kinds)), key=lambda place: (kinds[place] is not DIFFERS, kinds[place] is KEPT))
    return sorted(place for place in ranked[:limit] if kept or kinds[place] is not KEPT)


def _chip(rows: Sequence[Row], last: int, place: int, detail: Detail | None) -> Chip:
    """Make a chip of the call at ``place``; ``last`` is the place of the chip before it, -1 for none."""
    row = rows[place]
    call = row.recorded.call
    command = command_of(call)
    return Chip(
        row.decision.ordinal,
        row.turn,
        kind_of(row),
        tool_name(call.name),
        one_line(arguments(call) if command is None else command, _LINE),
        reason_of(row),
        row.decision.duplicate_of,
        place - last - 1,
        last < 0 or rows[last].turn != row.turn,
        detail,
    )


_RESULTS = {
    "same": "Both recorded results are the same.",
    "view": "The earlier call showed the same data another way.",
    "other": "The recorded results differ.",
    "unknown": "One of the results was not recorded.",
    None: "",
}


def _detail(row: Row, policy: ToolPolicy) -> Detail:
    decision, earlier = row.decision, row.earlier
    message = shown(decision.message, _SENTENCE) if isinstance(decision, Reject | Warn) else ""
    if earlier is None or decision.duplicate_of is None:
        return Detail("", message, "", _side(decision.ordinal, row.recorded, row.recorded.result), None)
    result, first = row.recorded.result, earlier.result
    if result is not None and first is not None:
        result, first = contrasted(result, first, RESULT_LIMIT)
    return Detail(
        shown(explanation(row.recorded.call, earlier.call, policy), _SENTENCE),
        message,
        _RESULTS[row.result],
        _side(decision.ordinal, row.recorded, result),
        _side(decision.duplicate_of, earlier, first),
    )


def _side(number: int, recorded: RecordedCall, result: str | None) -> Side:
    call = recorded.call
    return Side(
        number,
        tool_name(call.name),
        shown(command_of(call) or "", COMMAND_LIMIT),
        shown(arguments(call), COMMAND_LIMIT),
        recorded.outcome,
        None if result is None else shown(result, RESULT_LIMIT),
    )
