"""smolagents: a guard around a ``ToolCallingAgent``. The only module that knows smolagents."""

# smolagents ships no types.
# pyright: basic, reportMissingTypeStubs=false

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import Ran, perform
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from smolagents import ToolCallingAgent

_CONTROL = "final_answer"
"""With this tool an agent ends its run: it is no tool call."""


class _Batch:
    """The calls of one response that have not run: the agent runs them in threads, and without their ids."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self.left = list(calls)
        self._lock = threading.Lock()

    def take(self, name: str, arguments: object) -> ToolCall:
        """Return the call that has these very arguments, or else equal ones (for none the agent makes a new ``{}``)."""
        with self._lock:
            same = [call for call in self.left if call.input is arguments]
            equal = [call for call in self.left if call.name == name and (call.input or {}) == arguments]
            call = next(iter(same or equal), ToolCall(name, arguments, uuid.uuid4().hex))
            self.left = [one for one in self.left if one is not call]
            return call


def guard(agent: ToolCallingAgent, policy: ToolPolicy | Sessions, *, session_id: str | None = None) -> None:
    """Put an agent's tool calls under ``policy``; its managed agents spend its budget and have their own histories.

    An agent is one conversation. ``session_id`` names it where it outlives the object; else each object is a session.
    Each ``run`` is a turn; one that resets the memory forgets earlier calls. What a tool raises becomes its result,
    since smolagents would drop the results of the other calls of the response. Raises ``TypeError`` for a
    ``CodeAgent``: its code calls the tools.
    """
    if not hasattr(agent, "process_tool_calls"):
        raise TypeError(f"a {type(agent).__name__} makes no tool calls: its code calls the tools")
    sessions, name = sessions_of(policy), session_id or uuid.uuid4().hex
    for managed in agent.managed_agents.values():
        if hasattr(managed, "process_tool_calls"):
            guard(managed, sessions.child(name=managed.name), session_id=name)
    _attach(agent, sessions.gate(name))


def _attach(agent: Any, gate: ToolCallGate) -> None:
    from smolagents.utils import AgentToolCallError, AgentToolExecutionError

    run, process, execute, batch = agent.run, agent.process_tool_calls, agent.execute_tool_call, _Batch()

    def run_turn(task: str, stream: bool = False, reset: bool = True, *args: Any, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002 - as there
        gate.new_turn()
        if reset:
            gate.note_context_cleared()
        return run(task, stream, reset, *args, **kwargs)

    def admit(chat_message: Any, memory_step: Any) -> Iterator[Any]:
        nonlocal batch
        made = [
            (one.function.name, one.function.arguments, one.id or uuid.uuid4().hex) for one in chat_message.tool_calls
        ]
        batch = _Batch([ToolCall(*one) for one in made if one[0] != _CONTROL])
        gate.admit(batch.left)
        try:
            yield from process(chat_message, memory_step)
        finally:
            for call in batch.left:
                gate.settle(call, "denied")  # of calls with one id the agent runs the last only

    def perform_call(tool_name: str, arguments: Any) -> Any:
        if tool_name == _CONTROL:
            return execute(tool_name, arguments)
        call = batch.take(tool_name, arguments)
        match perform(gate, call, lambda: attempt(tool_name, arguments), lambda ending: ending):
            case Ran((_, result), notice):
                return f"{result}\n\n{notice}" if notice else result
            case Reject(message=message):
                return message
            case Reuse(result=result):
                return result

    def attempt(tool_name: str, arguments: Any) -> tuple[Outcome, object]:
        try:
            return "succeeded", execute(tool_name, arguments)
        except (AgentToolCallError, AgentToolExecutionError) as error:
            return "failed", str(error)

    agent.run, agent.process_tool_calls, agent.execute_tool_call = run_turn, admit, perform_call
