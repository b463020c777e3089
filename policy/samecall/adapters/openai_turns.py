"""The turn of a run of the OpenAI Agents SDK: where its calls belong, and hooks that show each batch."""

from __future__ import annotations

import asyncio
import json
import uuid
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from callkey import ToolCall

from ..gate import ToolCallGate
from .calls import settle_left
from .extras import extra
from .sessions import Sessions

if TYPE_CHECKING:
    from agents import RunHooks


class Place(NamedTuple):
    """Where a call belongs."""

    session: str
    turn: str


_PLACE, _SESSIONS = "samecall_place", "samecall_sessions"
"""What we write on a call's context and on a tool of ours."""
_around: ContextVar[Place | None] = ContextVar(_PLACE, default=None)
"""The place of the call that is running: an agent that is a tool is in the same session."""


def turn_hooks(session_id: str, turn: str | None = None) -> RunHooks[Any]:
    """Return the hooks of one turn: they admit the calls of a response in its order, before any runs.

    A run that was interrupted goes on in its turn when it is given the same hooks, or others with the same ``turn``.
    """
    with extra("openai-agents"):
        from agents import RunHooks

    place = Place(session_id, turn or uuid.uuid4().hex)

    class TurnHooks(RunHooks[Any]):
        def __init__(self) -> None:
            self._batch: list[tuple[ToolCallGate, ToolCall]] = []

        async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
            await asyncio.to_thread(self._close)

        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            tools: list[Any] = agent.tools
            sessions: dict[str, Sessions] = {
                tool.name: vars(tool)[_SESSIONS] for tool in tools if _SESSIONS in vars(tool)
            }
            for item in response.output:
                if item.type == "function_call" and item.name in sessions:
                    gate = sessions[item.name].gate(place.session)
                    call = call_of(item.name, item.arguments, item.call_id)
                    self._batch.append((gate, call))
                    await asyncio.to_thread(gate.admit, [call], turn=place.turn)

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            vars(context)[_PLACE] = place

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            await asyncio.to_thread(self._close)

        def _close(self) -> None:
            """Settle what was never run: a person said no, or a guardrail did."""
            batch, self._batch = self._batch, []
            for gate, call in batch:
                settle_left(gate, call, "denied", turn=place.turn)

    return TurnHooks()


def mark(tool: Any, sessions: Sessions) -> None:
    """Note on a tool who guards it: hooks find it there, whatever agent the tool is given to."""
    vars(tool)[_SESSIONS] = sessions


def place_of(context: Any) -> Place:
    """Return where a call belongs, and remember it for agents inside the tool.

    Without hooks that is its run. The run's usage is the one object that all of its contexts share.
    """
    around, turn = _around.get(), uuid.uuid4().hex
    own = Place(around.session if around else turn, turn)
    place: Place = getattr(context, _PLACE, None) or context.usage.__dict__.setdefault(_PLACE, own)
    _around.set(place)
    return place


def call_of(name: str, arguments: str, call_id: str) -> ToolCall:
    """Return the call; what is no JSON stays text.

    >>> call_of("bash", '{"command": "ls"}', "c1").input, call_of("bash", "ls", "c2").input
    ({'command': 'ls'}, 'ls')
    """
    try:
        return ToolCall(name, json.loads(arguments), call_id)
    except ValueError:
        return ToolCall(name, arguments, call_id)
