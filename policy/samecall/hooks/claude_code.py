"""Claude Code, as of 2.1 (https://code.claude.com/docs/en/hooks).

``PostToolUse`` comes after a success only, ``PostToolUseFailure`` after a failure: a command's exit status counts.
``PermissionDenied`` comes when the classifier of auto mode denies. When the user or a rule denies, nothing comes: such
a call is left to its lease. A hook can refuse a call or let it pass; it cannot answer in its place.
"""

from __future__ import annotations

from typing import cast

from ..decisions import Outcome
from .happenings import CallEnded, CallProposed, Event, Happening, SessionBegan, TurnBegan, call_of, text


def read(event: Event) -> Happening | None:
    """Return what an event means."""
    turn, agent = text(event, "prompt_id"), text(event, "agent_id") or ""
    match event.get("hook_event_name"):
        case "PreToolUse":
            return CallProposed(call_of(event), turn, agent)
        case "PostToolUse":
            result = event.get("tool_response")
            return CallEnded(call_of(event), _outcome(result), agent, result)
        case "PostToolUseFailure":
            outcome: Outcome = "cancelled" if event.get("is_interrupt") is True else "failed"
            return CallEnded(call_of(event), outcome, agent, event.get("error"))
        case "PermissionDenied":
            return CallEnded(call_of(event), "denied", agent)
        case "UserPromptSubmit":
            return TurnBegan(turn)
        case "SessionStart":
            return SessionBegan(cleared=event.get("source") in ("clear", "compact"))
        case _:
            return None


def refusal(message: str) -> Event:
    """Return the answer to a call that must not run."""
    return _before({"permissionDecision": "deny", "permissionDecisionReason": message})


def advice(message: str) -> Event | None:
    """Return the answer to a call that runs. No permission is given: the agent's own rules still decide."""
    return _before({"additionalContext": message})


def late_advice(message: str) -> Event:
    """Return the answer to a call that ended."""
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": message}}


def _before(said: dict[str, str]) -> Event:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}


def _outcome(result: object) -> Outcome:
    """Read the outcome of a call that is said to have succeeded: it may have been interrupted half way."""
    fields = cast("Event", result) if isinstance(result, dict) else {}
    if fields.get("interrupted") is True:
        return "cancelled"
    return "failed" if True in (fields.get("is_error"), fields.get("isError")) else "succeeded"
