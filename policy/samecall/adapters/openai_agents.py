"""The OpenAI Agents SDK: tools under a policy. Only this module and ``openai_turns`` know the SDK."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..decisions import Reject, Reuse
from ..options import ToolPolicy
from .calls import Ran, aperform
from .extras import extra
from .openai_turns import call_of, mark, place_of, turn_hooks
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from agents import Tool


__all__ = ["guard_tools", "turn_hooks"]


def guard_tools(tools: Iterable[Tool], policy: ToolPolicy | Sessions) -> list[Tool]:
    """Return the tools, each function tool under ``policy``. Hosted tools run at the provider: they stay as they are.

    With ``turn_hooks`` given to ``Runner.run`` a call belongs to their session and turn; without, each run is both.
    """
    with extra("openai-agents"):
        from agents import FunctionTool

    sessions = sessions_of(policy)
    return [_guarded(tool, sessions) if isinstance(tool, FunctionTool) else tool for tool in tools]


def _guarded(tool: Any, sessions: Sessions) -> Any:
    from agents.tool import set_function_tool_failure_error_function, with_function_tool_failure_error_handler

    # The tool raises to us; what the model reads of a failure is still for the tool's own error function to say.
    inner = set_function_tool_failure_error_function(copy.copy(tool), None)

    async def invoke(context: Any, arguments: str) -> Any:
        place = place_of(context)
        gate, call = sessions.gate(place.session), call_of(tool.name, arguments, context.tool_call_id)
        execute = partial(inner.on_invoke_tool, context, arguments)
        match await aperform(gate, call, execute, lambda result: ("succeeded", result), turn=place.turn):
            case Ran(result, notice):
                return f"{result}\n\n{notice}" if notice else result
            case Reject(message=text):
                return text
            case Reuse(result=result):
                return result

    guarded = copy.copy(tool)
    handled = hasattr(tool.on_invoke_tool, "__agents_bind_function_tool__")
    guarded.on_invoke_tool = with_function_tool_failure_error_handler(invoke, _ignore) if handled else invoke
    guarded = copy.copy(guarded)  # binds the handler to this tool
    mark(guarded, sessions)
    return guarded


def _ignore(*_: object) -> None:
    """Take notice of a failure that the tool's error function has put into words: it is settled already."""
