"""Strands: a plugin. The only module that knows Strands."""

# Not installed where pyright runs, which then knows no type of it. pyright wants the next line alone.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any

from callkey import ToolCall

from ..decisions import Reject, Reuse, Warn
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import adecide
from .extras import extra
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from strands.plugins import Plugin

_CONTROL = {"handoff_to_agent"}
"""With this tool an agent of a swarm passes its work on: it is no tool call."""


def guard(policy: ToolPolicy | Sessions, *, session_id: str | None = None) -> Plugin:
    """Return a plugin that puts an agent's tool calls under ``policy``.

    A Strands agent is one conversation. ``session_id`` names it where it outlives the object, as a session manager's
    does; else each agent object is a session. What the user says starts a turn.
    """
    with extra("strands"):
        from strands.plugins import Plugin

    sessions = sessions_of(policy)

    class ToolCallGuard(Plugin):
        name = "samecall"

        def init_agent(self, agent: Any) -> None:
            _attach(agent, sessions.gate(session_id or uuid.uuid4().hex))

    return ToolCallGuard()


def _attach(agent: Any, gate: ToolCallGate) -> None:
    from strands.hooks import AfterToolsEvent, BeforeInvocationEvent, BeforeToolsEvent
    from strands.interrupt import InterruptException
    from strands.middleware import ExecuteToolStage, ToolResultEvent

    proposed: dict[str, ToolCall] = {}  # by the model, in this turn: the user's code calls tools, too

    def start_turn(event: Any) -> None:
        if event.messages:  # there are none when an agent goes on after an interrupt
            proposed.clear()
            gate.new_turn()

    async def admit(event: Any) -> None:
        own = {name for name, one in agent.tool_registry.dynamic_tools.items() if one.tool_type == "structured_output"}
        uses = [content["toolUse"] for content in event.message["content"] if "toolUse" in content]
        made = [ToolCall(use["name"], use["input"], use["toolUseId"]) for use in uses]
        calls = [call for call in made if call.name not in _CONTROL | own]  # not the final answer, either
        proposed.update({str(call.id): call for call in calls})
        await asyncio.to_thread(gate.admit, calls)

    async def settle_denied(event: Any) -> None:
        for result in (content["toolResult"] for content in event.message["content"]):
            call = proposed.get(result["toolUseId"])
            if call and result["status"] == "error" and gate.outcome(call) == "running":
                await asyncio.to_thread(gate.settle, call, "denied")  # a hook has cancelled it

    async def perform(context: Any, next_fn: Callable[[Any], AsyncGenerator[Any, None]]) -> AsyncGenerator[Any, None]:
        call = proposed.get(context.tool_use["toolUseId"])
        last: Any = {}
        if call is None:
            async for event in next_fn(context):
                yield event
            return
        decision = await adecide(gate, call)
        if isinstance(decision, Reject | Reuse):
            kept: Any = decision.result if isinstance(decision, Reuse) else {}
            refusal = [{"text": decision.message}] if isinstance(decision, Reject) else []
            yield ToolResultEvent({"toolUseId": call.id, "status": "error", "content": refusal, **kept})
            return
        try:
            async for last in next_fn(context):
                if not isinstance(last, ToolResultEvent):
                    yield last
        except BaseException as error:
            if not isinstance(error, InterruptException) and "tool_interrupt_event" not in last:
                gate.settle(call, "cancelled")  # in this thread: a cancelled task may not wait again
            raise  # a call that was interrupted comes again under its id
        if isinstance(last, ToolResultEvent):
            result = last.tool_result
            ending = {"status": result["status"], "content": result["content"]}
            await asyncio.to_thread(gate.settle, call, "failed" if result["status"] == "error" else "succeeded", ending)
            if isinstance(decision, Warn):
                noted = {**result, "content": [*result["content"], {"text": decision.message}]}
                last = ToolResultEvent(noted, last.exception)
            yield last

    agent.add_hook(start_turn, BeforeInvocationEvent)
    agent.add_hook(admit, BeforeToolsEvent)
    agent.add_hook(settle_denied, AfterToolsEvent)
    agent.add_middleware(ExecuteToolStage, perform)
