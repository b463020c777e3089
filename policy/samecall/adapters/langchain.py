"""LangChain: middleware for ``create_agent``. The only module that knows LangChain."""

import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import Ran, aperform, perform, settle_left
from .extras import extra
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware


def guard(policy: ToolPolicy | Sessions) -> "AgentMiddleware[Any, Any]":
    """Return middleware that puts an agent's tool calls under ``policy``. It goes first in the list of middleware.

    The session is the thread (``configurable.thread_id``), without one the run; each run is a turn. What belongs to a
    run is kept in the agent's state, so a run that was interrupted goes on in its turn, in another process too.
    """
    with extra("langchain"):
        from langchain.agents.middleware import AgentMiddleware, AgentState
        from langchain.agents.middleware.types import PrivateStateAttr
        from langchain_core.messages import AIMessage, ToolMessage
        from langgraph.errors import GraphBubbleUp

    sessions = sessions_of(policy)

    class GuardState(AgentState[Any]):
        samecall_session: NotRequired[Annotated[str, PrivateStateAttr]]
        samecall_turn: NotRequired[Annotated[str, PrivateStateAttr]]

    def gate_of(state: Any) -> ToolCallGate:
        return sessions.gate(state["samecall_session"])

    def last_batch(state: Any) -> tuple[list[ToolCall], set[str]]:
        """Return the calls of the last response, and the ids that have a result."""
        answered: set[str] = set()
        for message in reversed(state["messages"]):
            if isinstance(message, AIMessage):
                return [_call(call) for call in message.tool_calls if call["id"]], answered
            if isinstance(message, ToolMessage):
                answered.add(message.tool_call_id)
        return [], answered

    def read(result: object) -> tuple[Outcome, object]:
        if not isinstance(result, ToolMessage):
            return "succeeded", result  # a Command changes the graph's state: it is not JSON, so never given back
        stored = {"content": result.content, "artifact": result.artifact}
        return "failed" if result.status == "error" else "succeeded", stored

    def message_of(done: Ran[Any] | Reject | Reuse, call: ToolCall) -> Any:
        shown: Any
        match done:
            case Ran(result, notice):
                return _noted(result, notice) if notice and isinstance(result, ToolMessage) else result
            case Reject():
                shown, failed = {"content": done.message}, True
            case Reuse(result=kept, failed=failed):
                shown = (
                    cast("Any", kept) if isinstance(kept, dict) else {"content": str(kept)}
                )  # a text: the leader raised
        return ToolMessage(**shown, name=call.name, tool_call_id=call.id, status="error" if failed else "success")

    class ToolCallGuard(AgentMiddleware[Any, Any]):
        state_schema = GuardState

        def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
            thread = runtime.execution_info.thread_id if runtime.execution_info else None
            return {"samecall_session": thread or uuid.uuid4().hex, "samecall_turn": uuid.uuid4().hex}

        def before_model(self, state: Any, runtime: Any) -> None:
            calls, _ = last_batch(state)
            gate = gate_of(state)
            for call in calls:
                settle_left(gate, call, "denied")  # somebody else answered it

        def after_model(self, state: Any, runtime: Any) -> None:
            calls, answered = last_batch(state)
            gate_of(state).admit([call for call in calls if call.id not in answered], turn=state["samecall_turn"])

        def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            call = _call(request.tool_call)
            done = perform(gate_of(request.state), call, lambda: handler(request), read, pauses=(GraphBubbleUp,))
            return message_of(done, call)

        async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            call = _call(request.tool_call)
            done = await aperform(gate_of(request.state), call, lambda: handler(request), read, pauses=(GraphBubbleUp,))
            return message_of(done, call)

    return ToolCallGuard()


def _call(call: Any) -> ToolCall:
    return ToolCall(call["name"], call["args"], call["id"])


def _noted(message: Any, notice: str) -> Any:
    content = message.content
    noted = f"{content}\n\n{notice}" if isinstance(content, str) else [*content, {"type": "text", "text": notice}]
    return message.model_copy(update={"content": noted})
