"""What a comparison says of each policy, and how a refusal is named: the words that every output shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..replay import Row, Sameness
from ..totals import Totals

Measure: TypeAlias = tuple[str, Callable[[Totals], float]]
"""What it is called, and how to get it."""

MEASURES: tuple[Measure, ...] = (
    ("calls", lambda totals: totals.calls),
    ("kept", lambda totals: totals.run + totals.warned),
    ("duplicates refused", lambda totals: totals.duplicates),
    ("refused otherwise", lambda totals: totals.refused + totals.reused - totals.duplicates - totals.over_budget),
    ("over a limit", lambda totals: totals.over_budget),
    ("turns cut", lambda totals: totals.cut_turns),
    ("same result", lambda totals: totals.same_result),
    ("another view", lambda totals: totals.other_view),
    ("another result", lambda totals: totals.other_result),
    ("result unknown", lambda totals: totals.unknown_result),
    ("seconds saved", lambda totals: totals.saved_milliseconds / 1000),
    ("characters saved", lambda totals: totals.saved_characters),
)

_RESULTS: dict[Sameness | None, str] = {
    "same": ", the same result",
    "view": ", another view of it",
    "other": ", another result",
    "unknown": ", result unknown",
}


def why(row: Row) -> str:
    """Say why a call is not simply run, ``""`` where it is."""
    reason = (row.reason or "duplicate_tool_call").removesuffix("_tool_call").replace("_", " ")
    if row.decision.duplicate_of is not None:
        return f"{reason} of call {row.decision.duplicate_of}{_RESULTS.get(row.result, '')}"
    return reason if row.reason else ""


def in_words(found: Totals) -> str:
    """Say what happened, and whether a refusal lost anything."""
    parts = [f"{found.run} run"]
    parts += [f"{found.warned} run with a warning"] if found.warned else []
    if found.refused:
        reasons = ", ".join(f"{count} {reason}" for reason, count in found.reasons)
        parts.append(f"{found.refused} refused ({reasons})")
    parts += [f"{found.reused} answered with an earlier result"] if found.reused else []
    lines = [f"{found.calls} call{'' if found.calls == 1 else 's'}: {', '.join(parts)}"]
    if found.same_result or found.other_view or found.other_result or found.unknown_result:
        lines.append(
            f"repeats that would not have run: {found.same_result} had the earlier call's result,"
            f" {found.other_view} another view of it, {found.other_result} another result,"
            f" {found.unknown_result} not known"
        )
    if found.saved_characters or found.saved_milliseconds:
        time = f" and {found.saved_milliseconds / 1000:,.1f} s" if found.saved_milliseconds else ""
        lines.append(f"saved: {found.saved_characters:,} characters of results{time}")
    if found.cut_turns:
        lines.append(f"turns that a limit cuts short: {found.cut_turns} of {found.turns}")
    if found.skipped or found.broken:
        lines.append(f"left out: {found.skipped} records of unknown kinds, {found.broken} broken lines")
    return "\n".join(lines)
