"""The whole page as data: totals over every session, and as many sessions as fit, those with false refusals first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..options import ToolPolicy
from ..replay import SessionReplay
from ..totals import Totals
from .kinds import BUDGET, DIFFERS, KEPT, NOTED, Kind, kind_of, reason_of
from .view import COMMAND_LIMIT, MAX_SESSION_CHIPS, MAX_SESSION_DETAILS, SessionView, tool_name, view
from .wording import shown

MAX_CHIPS = 5_000
"""Calls that get a chip, over all sessions."""
MAX_DETAILS = 1_000
"""Calls whose texts and results are on the page, over all sessions."""
MAX_SESSIONS = 500
MAX_TOOLS = 200
"""Tools with a line of their own; a recording can name any number."""
OTHER_TOOLS = "(other tools)"


@dataclass(frozen=True, slots=True)
class Tool:
    """What became of one tool's calls."""

    name: str
    counts: Counter[Kind]

    @property
    def calls(self) -> int:
        """All of its calls."""
        return self.counts.total()

    @property
    def kept(self) -> int:
        """Calls that run and repeat nothing."""
        return self.counts[KEPT]

    @property
    def over_budget(self) -> int:
        """Calls over a limit."""
        return self.counts[BUDGET]

    @property
    def repeated(self) -> int:
        """Everything else: repeats, and what failed or was polled too often."""
        return self.calls - self.kept - self.over_budget


@dataclass(frozen=True, slots=True)
class Page:
    """What the template is filled with."""

    settings: tuple[tuple[str, str], ...]
    """The policy's settings that are not the default, as JSON."""
    totals: Totals
    counts: Counter[Kind]
    tools: tuple[Tool, ...]
    """The ones with the most repeats and refusals first."""
    reasons: tuple[tuple[str, int], ...]
    """Why calls were not simply kept, the most frequent first."""
    sessions: tuple[SessionView, ...]
    left_out: tuple[int, int]
    """Sessions with calls, and calls, that the page does not show one by one."""

    @property
    def refused(self) -> int:
        """Calls that would not have run."""
        return self.counts.total() - self.counts[KEPT] - self.counts[NOTED]

    @property
    def bare(self) -> int:
        """Calls that are not simply kept, have a chip, and nothing behind it."""
        return sum(chip.detail is None and chip.kind is not KEPT for session in self.sessions for chip in session.chips)

    @property
    def results(self) -> str:
        """Whether refused repeats would have brought anything new, in words; ``""`` where there are none."""
        totals = self.totals
        parts = (
            (totals.same_result, "had the result of the earlier call"),
            (totals.other_view, "showed the same data another way"),
            (totals.other_result, "had another result"),
            (totals.unknown_result, "cannot be compared"),
        )
        return ", ".join(f"{count:,} {what}" for count, what in parts if count)


class Selection:
    """Keeps the sessions that fit. A session gives way to one of a better rank: false refusals, refusals, the rest."""

    _LIMITS = (MAX_SESSIONS, MAX_CHIPS, MAX_DETAILS)
    _RANKS = range(3)

    def __init__(self) -> None:
        """Start empty."""
        self._kept: tuple[list[tuple[tuple[int, ...], SessionView]], ...] = tuple([] for _ in self._RANKS)
        self._used = [[0 for _ in self._LIMITS] for _ in self._RANKS]

    def offer(self, session: SessionReplay, kinds: Counter[Kind], policy: ToolPolicy) -> None:
        """Take a session where there is room, or can be made. Only then is it looked at closely."""
        calls, others = kinds.total(), kinds.total() - kinds[KEPT]
        rank = 0 if kinds[DIFFERS] else 1 if others else 2
        size = (1, min(calls, MAX_SESSION_CHIPS), min(others, MAX_SESSION_DETAILS))
        if not calls or not self._fits(size, self._RANKS[: rank + 1]):
            return
        while not self._fits(size, self._RANKS):
            worst = max(rank for rank in self._RANKS if self._kept[rank])
            self._count(worst, self._kept[worst].pop()[0], -1)
        self._kept[rank].append((size, view(session, policy)))
        self._count(rank, size, 1)

    def chosen(self) -> tuple[SessionView, ...]:
        """Return the sessions: the better rank first, within it as they came."""
        return tuple(found for kept in self._kept for _, found in kept)

    def _fits(self, size: tuple[int, ...], ranks: range) -> bool:
        return all(
            sum(self._used[rank][place] for rank in ranks) + size[place] <= limit
            for place, limit in enumerate(self._LIMITS)
        )

    def _count(self, rank: int, size: tuple[int, ...], sign: int) -> None:
        for place, amount in enumerate(size):
            self._used[rank][place] += sign * amount


def gather(sessions: Iterable[SessionReplay], policy: ToolPolicy) -> Page:
    """Go through the sessions once, keep the sums of all and what can be shown, and let each session go."""
    totals, counts, reasons = Totals(), Counter[Kind](), Counter[str]()
    tools: dict[str, Counter[Kind]] = {}
    selection, with_calls = Selection(), 0
    for session in sessions:
        with_calls += bool(session.rows)
        totals += session.totals
        kinds = Counter[Kind]()
        for row in session.rows:
            kind, tool = kind_of(row), tool_name(row.recorded.call.name)
            kinds[kind] += 1
            tools.setdefault(tool if tool in tools or len(tools) < MAX_TOOLS else OTHER_TOOLS, Counter())[kind] += 1
            if kind is not KEPT:
                reasons[reason_of(row)] += 1
        counts += kinds
        selection.offer(session, kinds, policy)
    chosen = selection.chosen()
    shown_calls = sum(len(session.chips) for session in chosen)
    return Page(
        _settings(policy),
        totals,
        counts,
        tuple(sorted((Tool(name, found) for name, found in tools.items()), key=_most_repeats)),
        tuple(reasons.most_common()),
        chosen,
        (with_calls - len(chosen), counts.total() - shown_calls),
    )


def _most_repeats(tool: Tool) -> tuple[int, int, str]:
    return tool.kept - tool.calls, -tool.calls, tool.name


def _settings(policy: ToolPolicy) -> tuple[tuple[str, str], ...]:
    default = ToolPolicy().to_json()
    changed = [(name, value) for name, value in policy.to_json().items() if value != default[name]]
    return tuple((name, shown(json.dumps(value, ensure_ascii=False), COMMAND_LIMIT)) for name, value in changed)
