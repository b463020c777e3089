"""Google ADK: a plugin. The only module that knows ADK."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary, WeakSet

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse, Warn
from ..options import ToolPolicy
from .calls import adecide
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from google.adk.plugins import BasePlugin

_CONTROL = {"transfer_to_agent", "exit_loop", "finish_task", "set_model_response"}
"""By these ADK steers itself and takes the final answer: they are no tool calls."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a call is made: ``adk`` is the running agent's session there, ``session`` the outermost agent's."""

    adk: str
    session: str
    sessions: Sessions
    called: Sessions
    """The gates of an agent that the call calls: ``AgentTool`` gives it an ADK session of its own."""


_PLACE: ContextVar[_Place | None] = ContextVar("samecall_adk_place", default=None)


def guard(policy: ToolPolicy | Sessions) -> BasePlugin:
    """Return a plugin that puts the tool calls of a runner's agents under ``policy``. It goes first among plugins.

    The session is ADK's (``app/user/session``), each invocation is a turn. An agent that is called as a tool spends
    its caller's budget and has a history of its own.
    """
    from google.adk.plugins import BasePlugin

    sessions = sessions_of(policy)
    reached: WeakSet[Any] = WeakSet()
    notices: WeakKeyDictionary[Any, str] = WeakKeyDictionary()

    async def reach(tool: Any, args: Any, tool_context: Any) -> None:
        """Note that no callback answered the call in the tool's place: this one is an agent's last."""
        reached.add(tool_context)

    class ToolCallGuard(BasePlugin):
        async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> Any:
            if tool.name in _CONTROL:
                return None
            call, place = _call(tool, tool_args, tool_context), _place(tool_context, sessions)
            _PLACE.set(place)
            gate = place.sessions.gate(place.session)
            await asyncio.to_thread(gate.admit, _batch(call, tool_context), turn=tool_context.invocation_id)
            match await adecide(gate, call):
                case Reject(message=message):
                    return {"error": message}
                case Reuse(result=result, failed=failed):
                    return {"error": result} if failed else result
                case Warn(message=message):
                    notices[tool_context] = message
                case _:
                    pass
            _put_last(tool_context, reach)
            return None

        async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> Any:
            call, place = _call(tool, tool_args, tool_context), _place(tool_context, sessions)
            shown = cast("dict[str, Any]", result if isinstance(result, dict) else {"result": result})
            outcome = _outcome(shown, tool_context) if tool_context in reached else "denied"
            await asyncio.to_thread(place.sessions.gate(place.session).settle, call, outcome, shown)
            notice = notices.pop(tool_context, "")
            return {**shown, "notice": notice} if notice else None

        async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
            call, place = _call(tool, tool_args, tool_context), _place(tool_context, sessions)
            failed = isinstance(error, Exception)  # else it was cancelled: a cancelled task may not wait again
            told = f"{type(error).__name__}: {error}" if failed else None
            place.sessions.gate(place.session).settle(call, "failed" if failed else "cancelled", told)

    return ToolCallGuard("samecall")


def _place(context: Any, sessions: Sessions) -> _Place:
    adk = f"{context.session.app_name}/{context.session.user_id}/{context.session.id}"
    outer = _PLACE.get()
    if outer is None or 
