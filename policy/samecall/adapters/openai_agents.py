"""The OpenAI Agents SDK: guarded tools, and hooks that show the batch. The only module that knows the SDK."""

from __future__ import annotations

import asyncio
import copy
import json
import uuid
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import Ran, aperform
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from agents import RunHooks, Tool


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a call belongs: the session and its turn."""

    session: str
    turn: str


_PLACE = "samecall_place"
_SESSIONS = "samecall_sessions"
_around: ContextVar[_Place | None] = ContextVar("samecall_around", default=None)
"""Where the call belongs that is running: an agent inside a tool is in the same session."""


def guard_tools(tools: Iterable[Tool], policy: ToolPolicy | Sessions) -> list[Tool]:
    """Return the tools with each function tool under ``policy``. Hosted tools run at the provider: they stay as they are.

    With ``turn_hooks`` given to ``Runner.run`` a call belongs to their session and turn; without, each run is both.
    """
    from agents import FunctionTool

    sessions = sessions_of(policy)
    return [_guarded(tool, sessions) if isinstance(tool, FunctionTool) else tool for tool in tools]


def turn_hooks(session_id: str, turn: str | None = None) -> RunHooks[Any]:
    """Return the hooks of one turn: they admit the calls of a response in its order, before any runs.

    A run that was interrupted goes on in its turn when it is given the same hooks, or others with the same ``turn``.
    """
    from agents import RunHooks

    place = _Place(session_id, turn or uuid.uuid4().hex)

    class TurnHooks(RunHooks[Any]):
        def __init__(self) -> None:
            self._batch: list[tuple[ToolCallGate, ToolCall]] = []

        async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
            await asyncio.to_thread(self._close)

        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            guarded = {tool.name: vars(tool)[_SESSIONS] for tool in agent.tools if _SESSIONS in vars(tool)}
            asked = [item for item in response.output if item.type == "function_call" and item.name in guarded]
            for sessions in {id(guarded[item.name]): guarded[item.name] for item in asked}.values():
                mine = [item for item in asked if guarded[item.name] is sessions]
                calls = [_call(item.name, item.arguments, item.call_id) for item in mine]
                gate = sessions.gate(place.session)
                self._batch += [(gate, call) for call in calls]
                await asyncio.to_thread(gate.admit, calls, turn=place.turn)

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            vars(context)[_PLACE] = place

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            await asyncio.to_thread(self._close)

        def _close(self) -> None:
            """Settle what never ran: a person said no, or a guardrail did."""
            batch, self._batch = self._batch, []
            for gate, call in batch:
                if gate.outcome(call, turn=place.turn) == "running":
                    gate.settle(call, "denied", turn=place.turn)

    return TurnHooks()


def _guarded(tool: Any, sessions: Sessions) -> Any:
    from agents.tool import set_function_tool_failure_error_function, with_function_tool_failure_error_handler

    # The tool raises to us; what the model reads of a failure is still for the tool's own error function to say.
    inner = set_function_tool_failure_error_function(copy.copy(tool), None)

    async def invoke(context: Any, arguments: str) -> Any:
        place = vars(context).get(_PLACE) or _place_of_run(context)
        gate, call = sessions.gate(place.session), _call(tool.name, arguments, context.tool_call_id)
        _around.set(place)
        done = await aperform(gate, call, lambda: inner.on_invoke_tool(context, arguments), _read, turn=place.turn)
        return _answer(done)

    guarded = copy.copy(tool)
    handled = hasattr(tool.on_invoke_tool, "__agents_bind_function_tool__")
    guarded.on_invoke_tool = with_function_tool_failure_error_handler(invoke, _ignore) if handled else invoke
    guarded = copy.copy(guarded)  # binds the handler to this tool
    vars(guarded)[_SESSIONS] = sessions
    return guarded


def _place_of_run(context: Any) -> _Place:
    """Return the place of a run without hooks. Its usage is the one object that all of its contexts share."""
    around = _around.get()
    turn = uuid.uuid4().hex
    place: _Place = vars(context.usage).setdefault(_PLACE, _Place(around.session if around else turn, turn))
    return place


def _read(result: object) -> tuple[Outcome, object]:
    return "succeeded", result


def _answer(done: Ran[Any] | Reject | Reuse) -> Any:
    match done:
        case Ran(result, notice):
            return f"{result}\n\n{notice}" if notice else result
        case Reject():
            return done.message
        case Reuse():
            return done.result


def _call(name: str, arguments: str, call_id: str) -> ToolCall:
    try:
        return ToolCall(name, json.loads(arguments), call_id)
    except ValueError:
        return ToolCall(name, arguments, call_id)


def _ignore(*_: object) -> None:
    """Take notice of a handled failure: it is settled already."""
