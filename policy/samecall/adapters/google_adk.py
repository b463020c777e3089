"""Google ADK: a plugin. The only module that knows ADK."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary, WeakSet

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse, Warn
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import adecide
from .extras import extra
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from google.adk.plugins import BasePlugin

_CONTROL = {"transfer_to_agent", "exit_loop", "finish_task", "set_model_response"}
"""By these ADK steers itself and takes the final answer: they are no tool calls."""


def guard(policy: ToolPolicy | Sessions) -> BasePlugin:
    """Return a plugin that puts the tool calls of a runner's agents under ``policy``. It goes first among plugins.

    The session is ADK's (``app/user/session``), each invocation is a turn. An agent that is called as a tool spends
    its caller's budget and has a history of its own.
    """
    with extra("google-adk"):
        from google.adk.plugins import BasePlugin

    sessions = sessions_of(policy)
    admitted: WeakKeyDictionary[Any, tuple[ToolCallGate, ToolCall, str]] = WeakKeyDictionary()
    reached: WeakSet[Any] = WeakSet()
    # Where the running call is made: the session in ADK, the session of the outermost agent, this agent's gates, and
    # those of an agent that the call calls (``AgentTool`` gives it a session of its own in ADK).
    caller: ContextVar[tuple[str, str, Sessions, Sessions] | None] = ContextVar("samecall_adk_caller", default=None)

    def gate_of(context: Any, call: ToolCall) -> ToolCallGate:
        adk = f"{context.session.app_name}/{context.session.user_id}/{context.session.id}"
        outer = caller.get() or (adk, adk, sessions, sessions)
        own = outer[2] if outer[0] == adk else outer[3]
        caller.set((adk, outer[1], own, own.child(name=f"{call.name}:{call.id}")))
        return own.gate(outer[1])

    async def reach(tool_context: Any, **_: Any) -> None:
        """Note that no callback answered the call in the tool's place: this one is an agent's last."""
        reached.add(tool_context)

    class ToolCallGuard(BasePlugin):
        async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> Any:
            if tool.name in _CONTROL:
                return None
            # A call that waited for a person comes again under its id: that is another attempt.
            call_id = tool_context.function_call_id + ("/confirmed" if tool_context.tool_confirmation else "")
            call = ToolCall(tool.name, tool_args, call_id)
            gate = gate_of(tool_context, call)
            await asyncio.to_thread(gate.admit, _batch(call, tool_context), turn=tool_context.invocation_id)
            match await adecide(gate, call):
                case Reject(message=message):
                    return {"error": message}
                case Reuse(result=result, failed=failed):
                    return {"error": result} if failed else result
                case decision:
                    admitted[tool_context] = gate, call, decision.message if isinstance(decision, Warn) else ""
            agent: Any = tool_context.get_invocation_context().agent
            own = getattr(agent, "canonical_before_tool_callbacks", None)
            if own is None:
                reached.add(tool_context)  # a tool of a workflow, not of an agent
            elif own[-1:] != [reach]:
                agent.before_tool_callback = [*(one for one in own if one is not reach), reach]
            return None

        async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> Any:
            if tool_context not in admitted:
                return None
            gate, call, notice = admitted.pop(tool_context)
            shown = cast("dict[str, Any]", result if isinstance(result, dict) else {"result": result})
            outcome = _outcome(shown, tool_context) if tool_context in reached else "denied"
            await asyncio.to_thread(gate.settle, call, outcome, shown)
            return {**shown, "notice": notice} if notice else None

        async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
            if tool_context in admitted:
                gate, call, _ = admitted.pop(tool_context)
                failed = isinstance(error, Exception)  # else cancelled: then nothing may be waited for
                gate.settle(call, "failed" if failed else "cancelled", f"{type(error).__name__}: {error}")

    return ToolCallGuard("samecall")


def _batch(call: ToolCall, context: Any) -> list[ToolCall]:
    """Return the calls of the response that has this one: ADK has put it into the session by now."""
    for event in reversed(context.session.events):
        calls = [ToolCall(one.name, one.args or {}, one.id) for one in event.get_function_calls()]
        if any(one.id == call.id for one in calls):
            return [one for one in calls if one.name not in _CONTROL]
    return [call]


def _outcome(shown: dict[str, Any], context: Any) -> Outcome:
    waits = {*context.actions.requested_tool_confirmations, *context.actions.requested_auth_configs}
    if context.function_call_id in waits or (context.tool_confirmation and not context.tool_confirmation.confirmed):
        return "denied"
    # How ADK's own tools, and the examples of its manual, say that they failed.
    failed = shown.get("error") or shown.get("isError") or str(shown.get("status")).lower() == "error"
    return "failed" if failed else "succeeded"
