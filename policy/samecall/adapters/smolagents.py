"""smolagents: a guard around one ``ToolCallingAgent``. The only module that knows smolagents."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import Ran, perform
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from smolagents import ToolCallingAgent

    Agent = TypeVar("Agent", bound=ToolCallingAgent)

_CONTROL = "final_answer"
"""With this tool the agent ends its run: it is no tool call."""


class _Failure(str):
    """What the model reads of a tool that failed."""

    __slots__ = ()


class _Batch:
    """The calls of one response that have not run yet: the agent runs them in threads, and without their ids."""

    def __init__(self, calls: list[ToolCall]) -> None:
        self.left = calls
        self._lock = threading.Lock()

    def take(self, name: str, arguments: object) -> ToolCall:
        """Return the call that has these very arguments, or else equal ones (``{}`` is made anew for none)."""
        with self._lock:
            same = [call for call in self.left if call.input is arguments]
            equal = [call for call in self.left if call.name == name and (call.input or {}) == arguments]
            call = (same or equal or [ToolCall(name, arguments)])[0]
            self.left = [one for one in self.left if one is not call]
            return call


def guard(agent: Agent, policy: ToolPolicy | Sessions, *, session_id: str | None = None) -> Agent:
    """Put an agent's tool calls under ``policy``, those of its managed agents too, and return the agent.

    An agent is one conversation. ``session_id`` names it where it outlives the object; else each object is a session.
    Each ``run`` is a turn; one that resets the memory makes earlier calls forgotten. What a tool raises becomes its
    result, since smolagents would drop those of the other calls of its response. Raises ``TypeError`` for a
    ``CodeAgent``: its tools are called by code, not by tool calls.
    """
    if not hasattr(agent, "process_tool_calls"):
        raise TypeError(f"{type(agent).__name__} makes no tool calls")
    sessions = sessions_of(policy)
    own_id = session_id or uuid.uuid4().hex
    for name, managed in agent.managed_agents.items():
        if hasattr(managed, "process_tool_calls"):
            guard(managed, sessions.child(name=name), session_id=own_id)
    _attach(agent, sessions.gate(own_id))
    return agent


def _attach(agent: Any, gate: ToolCallGate) -> None:
    from smolagents.utils import AgentToolCallError, AgentToolExecutionError

    run, process, execute = agent.run, agent.process_tool_calls, agent.execute_tool_call
    batch = _Batch([])

    def run_turn(task: str, stream: bool = False, reset: bool = True, *args: Any, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002 - the signature is the agent's
        gate.new_turn()
        if reset:
            gate.note_context_cleared()
        return run(task, stream, reset, *args, **kwargs)

    def admit_batch(chat_message: Any, memory_step: Any) -> Iterator[Any]:
        nonlocal batch
        made = [(call.function, call.id) for call in chat_message.tool_calls]
        batch = _Batch([ToolCall(one.name, one.arguments, call_id) for one, call_id in made if one.name != _CONTROL])
        gate.admit(batch.left)
        try:
            yield from process(chat_message, memory_step)
        finally:
            for call in batch.left:
                gate.settle(call, "denied")  # of two calls with one id the agent runs the last

    def perform_call(tool_name: str, arguments: Any) -> Any:
        if tool_name == _CONTROL:
            return execute(tool_name, arguments)
        return _shown(perform(gate, batch.take(tool_name, arguments), lambda: attempt(tool_name, arguments), _read))

    def attempt(tool_name: str, arguments: Any) -> Any:
        try:
            return execute(tool_name, arguments)
        except (AgentToolCallError, AgentToolExecutionError) as error:
            return _Failure(error)

    agent.run, agent.process_tool_calls, agent.execute_tool_call = run_turn, admit_batch, perform_call


def _read(result: object) -> tuple[Outcome, object]:
    return ("failed", str(result)) if isinstance(result, _Failure) else ("succeeded", result)


def _shown(done: Ran[Any] | Reject | Reuse) -> Any:
    match done:
        case Ran(result, notice):
            return f"{result}\n\n{notice}" if notice else result
        case Reject():
            return done.message
        case Reuse():
            return done.result
