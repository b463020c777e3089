"""What the model reads: one template a reason. Each says what happened, and what to do next."""

from __future__ import annotations

from .records import Verdict

DUPLICATE = "Duplicate tool call suppressed; use the previous result."

# {name} is the tool, {of} the earlier call's ordinal, {count} and {limit} what was counted. Never a word of the input.
_REJECTIONS = {
    "max_tool_calls": "Tool-call budget exhausted: {count}/{limit}. Write the best answer from gathered sources.",
    "max_tool_calls_per_session": (
        "Tool-call budget of the session exhausted: {count}/{limit}. Write the best answer from gathered sources."
    ),
    "tool_limit": (
        "Tool-call budget of {name} exhausted: {count}/{limit}. "
        "Go on without it, or write the best answer from gathered sources."
    ),
    "duplicate": DUPLICATE + " Call {of} ({name}) did the same, and nothing it depends on has changed since.",
    "duplicate_view": (
        DUPLICATE + " Call {of} ({name}) fetched the same data and showed it another way: look in its output."
    ),
    "duplicate_running": DUPLICATE + " Call {of} ({name}) is the same and still runs: its result answers this one too.",
    "duplicate_lost": (
        "Not run: call {of} ({name}) was the same and ran at the same time, but it ended without a result to share. "
        "Make the call again if you still need it."
    ),
    "repeated_failure": (
        "This call failed {count} times and nothing has changed since; call {of} ({name}) shows the error. "
        "Remove its cause, or take another way."
    ),
    "poll_limit": (
        "Asked {count} times in a row, last as call {of} ({name}), without getting further. "
        "Wait once, for longer, before you look again, or go on without it."
    ),
    "max_rejections": (
        "{count} tool calls were refused in this turn. Stop calling tools; write the best answer from gathered sources."
    ),
    "store_unavailable": (
        "Tool calls cannot be checked at the moment, so this one did not run. "
        "Write the best answer from gathered sources, and say what is missing."
    ),
}
_WARNINGS = {
    "duplicate": "Call {of} ({name}) did the same, and nothing it depends on has changed since: use what you have.",
    "duplicate_view": "Call {of} ({name}) fetched the same data and showed it another way: use what you have.",
    "duplicate_running": "Call {of} ({name}) is the same and still runs.",
    "repeated_failure": "This call has failed {count} times and nothing has changed since call {of} ({name}).",
    "poll_limit": "Asked {count} times in a row. Wait once, for longer, before you look again.",
    "store_unavailable": "Tool calls cannot be checked at the moment; this one ran unchecked.",
}


def rejection(verdict: Verdict, name: str, left: str = "", *, lost: bool = False) -> str:
    """Return what the model reads in place of a result; ``left`` is the sentence about the budget, if there is one.

    ``lost``: the call waited for the result of an equal one, and there is none.
    """
    return _fill(_REJECTIONS["duplicate_lost" if lost else _template(verdict)], verdict, name) + left


def warning(verdict: Verdict, name: str) -> str:
    """Return what the model reads beside a result."""
    return _fill(_WARNINGS[_template(verdict)], verdict, name)


def budget(verdict: Verdict, remaining: int | None) -> str:
    """Return the sentence that says how many calls are left, where that is news.

    >>> budget(Verdict("reject", 4, "duplicate_tool_call"), 2)
    ' 2 tool calls are left.'
    """
    told = verdict.reason in {"duplicate_tool_call", "repeated_failure", "poll_limit", "tool_limit"}
    if remaining is None or not told:
        return ""
    return f" {remaining} tool call{' is' if remaining == 1 else 's are'} left."


def _template(verdict: Verdict) -> str:
    match verdict.reason:
        case "duplicate_tool_call" if verdict.other_view:
            return "duplicate_view"
        case "duplicate_tool_call" if verdict.in_flight:
            return "duplicate_running"
        case "duplicate_tool_call":
            return "duplicate"
        case None:
            raise ValueError("a call that simply runs has no message")
        case reason:
            return reason


def _fill(template: str, verdict: Verdict, name: str) -> str:
    return template.format(name=name, of=verdict.duplicate_of, count=verdict.count, limit=verdict.limit)
