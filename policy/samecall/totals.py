"""What replayed calls add up to: whole numbers only, so that any split of the work adds up to the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import cast

from .decisions import Reason

BUDGETS: frozenset[Reason] = frozenset({"max_tool_calls", "max_tool_calls_per_session", "tool_limit"})
"""Reasons that say: a limit was reached, whatever the call was."""


@dataclass(frozen=True, slots=True)
class Totals:
    """How many calls were decided how, and what that would have saved or lost. ``+`` adds two.

    >>> (Totals(calls=2, reasons=(("poll_limit", 1),)) + Totals(calls=1, reasons=(("poll_limit", 2),))).reasons
    (('poll_limit', 3),)
    """

    calls: int = 0
    run: int = 0
    warned: int = 0
    refused: int = 0
    reused: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    """Refusals by reason, the most frequent first."""
    same_result: int = 0
    """Of the calls that name an earlier one and would not have run: the recorded results are equal."""
    other_view: int = 0
    other_result: int = 0
    """They differ: the refusal was false, or the result changes by itself."""
    unknown_result: int = 0
    duplicates: int = 0
    """Refused as a repeat, or answered with the earlier result."""
    over_budget: int = 0
    """Refused because a limit was reached."""
    sessions: int = 0
    turns: int = 0
    """Turns with calls."""
    cut_turns: int = 0
    """Turns in which a limit refused a call."""
    saved_milliseconds: int = 0
    """What calls that would not have run took, where the recording says so."""
    saved_characters: int = 0
    """How long their recorded results are."""
    skipped: int = 0
    """Records of the files that are not understood."""
    broken: int = 0
    """Lines of the files that cannot be read."""

    def __add__(self, other: Totals) -> Totals:
        """Add up, number by number."""
        summed = {name: cast("int", getattr(self, name)) + cast("int", getattr(other, name)) for name in _NUMBERS}
        return replace(self, **summed, reasons=most_first(Counter(dict(self.reasons)) + Counter(dict(other.reasons))))


_NUMBERS = tuple(number.name for number in fields(Totals) if number.name != "reasons")


def most_first(reasons: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Order by number, then by name: what came first depends on how the work was split."""
    return tuple(sorted(reasons.items(), key=lambda reason: (-reason[1], reason[0])))
