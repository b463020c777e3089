"""Codex CLI, as of 0.144 (https://developers.openai.com/codex/hooks; schemas in ``codex-rs/hooks`` of openai/codex).

The protocol is Claude Code's with ``turn_id`` for a turn, and takes no other decision than a refusal. Two things are
not told. The input of a shell command (``Bash``) lacks its ``workdir``, so equal commands may be different ones: each
of them counts, none is ever a duplicate. And ``PostToolUse`` comes after failures as well, with nothing but the output
(openai/codex#34289), so an outcome is unknown unless the output itself says it: unknown makes no duplicate either.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from callkey import ToolCall

from ..decisions import Outcome
from .claude_code import advice, late_advice, refusal
from .happenings import CallEnded, CallProposed, Event, Happening, SessionBegan, TurnBegan, call_of, text

__all__ = ["advice", "late_advice", "read", "refusal"]

_STATUS = re.compile(r"(?:Exit code:|Process exited with code) (-?\d+)$", re.MULTILINE)
_HEADER = 400
"""Characters in which the lines above a command's output stand."""


def read(event: Event) -> Happening | None:
    """Return what an event means."""
    turn, agent = text(event, "turn_id"), text(event, "agent_id") or ""
    match event.get("hook_event_name"):
        case "PreToolUse":
            return CallProposed(_call(event), turn, agent)
        case "PostToolUse":
            result = event.get("tool_response")
            return CallEnded(_call(event), _outcome(result), agent, result)
        case "PostToolUseFailure":  # in the vocabulary of hooks since 0.144, not sent yet
            return CallEnded(_call(event), "failed", agent, event.get("error"))
        case "UserPromptSubmit":
            return TurnBegan(turn)
        case "SessionStart":
            return SessionBegan(cleared=event.get("source") in ("clear", "compact"))
        case _:
            return None


def _call(event: Event) -> ToolCall:
    """Return the call; a shell command is told from every other one, since its directory is not known."""
    call = call_of(event)
    given: object = call.input
    if call.name != "Bash" or call.id is None or not isinstance(given, dict):
        return call
    return replace(call, input=cast("Event", given) | {"call": call.id})


def _outcome(result: object) -> Outcome:
    match result:
        case {"isError": bool(failed)} | {"is_error": bool(failed)}:
            return "failed" if failed else "succeeded"
        case {"exit_code": int(status)} | {"metadata": {"exit_code": int(status)}}:
            return "failed" if status else "succeeded"
        case {"content": list()}:  # what an MCP server answers; isError may be left out
            return "succeeded"
        case str() if told := _STATUS.search(result[:_HEADER]):
            return "failed" if int(told[1]) else "succeeded"
        case _:
            return "unknown"
