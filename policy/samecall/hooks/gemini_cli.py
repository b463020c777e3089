"""Gemini CLI, as of 0.56 (https://geminicli.com/docs/hooks/reference).

Its events carry no id of a call, a turn or a subagent. A call that ended is therefore taken for the latest one with
the same tool and input, and a turn begins with each prompt. ``BeforeAgent`` also comes without a prompt, in the middle
of a turn (google-gemini/gemini-cli#18514): that begins nothing. Exit statuses other than 0 and 1 refuse the call.
"""

from __future__ import annotations

import re
from typing import cast

from ..decisions import Outcome
from .happenings import CallEnded, CallProposed, Event, Happening, SessionBegan, TurnBegan, call_of, text

# A command's output as its shell tool gives it; a summary, which may stand in its place, begins otherwise.
_OUTPUT = re.compile(r"\s*(?:<untrusted_context>\s*)?(?:Output|Command): ")
# Among the lines below the output; before 0.9 all of them were always there.
_FAILED = re.compile(r"^(?:Exit Code: (?!0$)|Signal: (?!\(none\))|Error: (?!\(none\)))", re.MULTILINE)
_PROCESSES = re.compile(r"^(?:Background PIDs|Process Group PGID): .*\n?", re.MULTILINE)
_FOOTER = 2000
"""Characters in which those lines stand. Output that looks like one of them costs a missed duplicate."""


def read(event: Event) -> Happening | None:
    """Return what an event means."""
    match event.get("hook_event_name"):
        case "BeforeTool":
            return CallProposed(call_of(event), None)
        case "AfterTool":
            call, result = call_of(event), event.get("tool_response")
            return CallEnded(call, _outcome(call.name, result), result=_shown(result))
        case "BeforeAgent":
            return TurnBegan(None) if (text(event, "prompt") or "").strip() else None
        case "SessionStart":
            return SessionBegan(cleared=event.get("source") == "clear")
        case _:
            return None


def refusal(message: str) -> Event:
    """Return the answer to a call that must not run."""
    return {"decision": "deny", "reason": message}


def advice(message: str) -> None:
    """Return nothing: before a call the model cannot be told anything."""
    del message


def late_advice(message: str) -> Event:
    """Return the answer to a call that ended."""
    return {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": message}}


def _shown(result: object) -> object:
    """Return what the model sees of a result, without numbers that differ from run to run."""
    shown = cast("Event", result).get("llmContent") if isinstance(result, dict) else result
    return _PROCESSES.sub("", shown) if isinstance(shown, str) else shown


def _outcome(name: str, result: object) -> Outcome:
    if not isinstance(result, dict):
        return "unknown"
    if cast("Event", result).get("error"):
        return "failed"
    shown = _shown(cast("Event", result))
    if name != "run_shell_command":
        return "succeeded"
    if not isinstance(shown, str) or not _OUTPUT.match(shown):
        return "unknown"
    return "failed" if _FAILED.search(shown[-_FOOTER:]) else "succeeded"
