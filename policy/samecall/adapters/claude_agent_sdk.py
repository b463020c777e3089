"""The Claude Agent SDK: hooks that speak as Claude Code's own do. The only module that knows the SDK."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from callkey import ToolCall

from ..decisions import Outcome, Reject, Warn
from ..errors import HookError, PolicyError
from ..gate import ToolCallGate
from ..hooks.claude_code import advice, read, refusal
from ..hooks.happenings import CallEnded, CallProposed, TurnBegan
from ..options import ToolPolicy
from .calls import admit
from .extras import extra
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from claude_agent_sdk import HookMatcher
    from claude_agent_sdk.types import HookEvent

_EVENTS: tuple[HookEvent, ...] = (
    "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact", "SubagentStop", "Stop",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Open:
    """A call that may run. It ends as it was proposed, whatever other hooks made of its input."""

    gate: ToolCallGate
    call: ToolCall
    turn: str | None


def guard(policy: ToolPolicy | Sessions) -> dict[HookEvent, list[HookMatcher]]:
    """Return hooks for ``ClaudeAgentOptions(hooks=guard(policy))``.

    The session and the turn are Claude Code's; its subagents have histories of their own and share the budget. Raises
    ``PolicyError`` under ``reuse``: a hook can refuse a call, not answer it. A call that the user denies is not
    reported: its place is given back when the agent stops.
    """
    with extra("claude-agent-sdk"):
        from claude_agent_sdk import HookMatcher

    sessions = sessions_of(policy)
    if sessions.policy.on_duplicate_tool_call == "reuse":
        raise PolicyError("on_duplicate_tool_call", "a hook cannot answer a call: use reject, warn or allow")
    running: dict[tuple[str, str], dict[str, _Open]] = {}

    async def settle(ended: _Open, outcome: Outcome, result: object = None) -> None:
        await asyncio.to_thread(ended.gate.settle, ended.call, outcome, result, turn=ended.turn)

    async def close(session: str, agent: str) -> None:
        """Settle what has not ended when the agent has: it was never let run."""
        for left in running.pop((session, agent), {}).values():
            await settle(left, "denied")

    async def hook(event: Any, *_: Any) -> Any:
        session, agent = str(event["session_id"]), str(event.get("agent_id") or "")
        gate = sessions.gate(session)
        try:
            happening = read(cast("dict[str, Any]", event))
        except HookError:
            return {}
        match happening:
            case CallProposed(call, turn):
                gate = gate.child(name=agent) if agent else gate
                decision = await admit(gate, call, turn)
                if isinstance(decision, Reject):
                    return refusal(decision.message)
                running.setdefault((session, agent), {})[decision.call_id] = _Open(gate, call, turn)
                return advice(decision.message) if isinstance(decision, Warn) else {}
            case CallEnded(call, outcome):
                if ended := running.get((session, agent), {}).pop(call.id or "", None):
                    await settle(ended, outcome, happening.result)
            case TurnBegan(turn):
                await close(session, agent)  # an interrupted turn has no end of its own
                await asyncio.to_thread(gate.new_turn, turn)
            case _ if event["hook_event_name"] == "PreCompact":
                await asyncio.to_thread(gate.note_context_cleared)
            case _:
                await close(session, agent)
        return {}

    return {name: [HookMatcher(hooks=[hook])] for name in _EVENTS}
