"""What can become of a call, as the page shows it: a letter and a shape for each, a colour beside them."""

from __future__ import annotations

from dataclasses import dataclass

from ..decisions import Execute, Follow, Reason, Reject, Reuse, Warn
from ..replay import Row


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the things that become of a call. ``name`` is also the name of its colour and shape in the style sheet."""

    name: str
    letter: str
    """What its chip shows; ``""``: the number of the call."""
    label: str
    meaning: str


KEPT = Kind("kept", "", "kept", "The call runs.")
NOTED = Kind("noted", "W", "repeated, but run", "It repeats an earlier call, and runs: the policy warns or allows.")
REPEATED = Kind("repeated", "R", "repeated", "It repeats an earlier call and does not run.")
DIFFERS = Kind(
    "differs",
    "D",
    "repeated, other result",
    "It would not have run, and its recorded result is not the earlier one: a false refusal, or a result that changes"
    " by itself.",
)
REUSED = Kind("reused", "U", "answered again", "It is answered with the earlier call's result.")
BUDGET = Kind("budget", "B", "over budget", "A limit of the policy is reached.")
OTHER = Kind("other", "X", "refused otherwise", "It failed or was polled too often, or was refused too often.")

KINDS: tuple[Kind, ...] = (KEPT, DIFFERS, REPEATED, REUSED, NOTED, BUDGET, OTHER)
"""All of them, in the order of the legend."""

REFUSED: dict[Reason, Kind] = {
    "duplicate_tool_call": REPEATED,
    "max_tool_calls": BUDGET,
    "max_tool_calls_per_session": BUDGET,
    "tool_limit": BUDGET,
    "repeated_failure": OTHER,
    "poll_limit": OTHER,
    "max_rejections": OTHER,
    "store_unavailable": OTHER,
}
"""What a refusal for a reason is."""


def kind_of(row: Row) -> Kind:
    """Say what became of a call."""
    match row.decision:
        case Execute(duplicate_of=None):
            return KEPT
        case Execute() | Warn():
            return NOTED
        case Reject() | Reuse() | Follow() if row.result == "other":
            return DIFFERS
        case Reject(reason=reason):
            return REFUSED[reason]
        case Reuse() | Follow():
            return REUSED


def reason_of(row: Row) -> str:
    """Say in words why a call is not simply kept: the event's reason without underscores; ``""`` where it is kept.

    >>> from samecall import Execute, ToolCall
    >>> from samecall.recordings import RecordedCall
    >>> call = RecordedCall(ToolCall("bash"), "succeeded", "")
    >>> reason_of(Row(1, call, Execute("c1", 2, duplicate_of=1), None))
    'duplicate tool call'
    """
    if row.reason is not None:
        return row.reason.replace("_", " ")
    return "" if row.decision.duplicate_of is None else "duplicate tool call"
