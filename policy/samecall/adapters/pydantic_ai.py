"""pydantic-ai: a capability. The only module that knows pydantic-ai."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import Ran, aperform, settle_left
from .extras import extra
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from pydantic_ai.capabilities import AbstractCapability

_OUTCOMES: dict[str, Outcome] = {
    "success": "succeeded",
    "failed": "failed",
    "retried": "failed",
    "denied": "denied",
    "interrupted": "cancelled",
}
"""``ToolReturnPart.outcome`` of a call that did not come through the tool's execution, as an outcome of ours."""


def guard(policy: ToolPolicy | Sessions) -> AbstractCapability[Any]:
    """Return a capability that puts an agent's tool calls under ``policy``.

    The session is the conversation (``conversation_id``); each user prompt is a turn, so a run that goes on after
    deferred calls goes on in its turn.
    """
    with extra("pydantic-ai"):
        from pydantic import BaseModel
        from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
        from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, ToolFailed
        from pydantic_ai.messages import ModelRequest, ModelResponse, ToolReturn, ToolReturnPart

    sessions = sessions_of(policy)

    def gate_of(ctx: Any) -> ToolCallGate:
        return sessions.gate(ctx.conversation_id or ctx.run_id)

    def read(result: object) -> tuple[Outcome, object]:
        # A model is given back as the JSON that the language model read; what else is not JSON is not given back.
        return "succeeded", result.model_dump(mode="json") if isinstance(result, BaseModel) else result

    def answer(done: Ran[Any] | Reject | Reuse) -> Any:
        match done:
            case Ran(result, ""):
                return result
            case Ran(str() as result, notice):
                return f"{result}\n\n{notice}"
            case Ran(result, notice):
                # What a ToolReturn says beside its value is its own.
                return done.result if isinstance(result, ToolReturn) else ToolReturn(result, content=notice)
            case Reject():
                raise ToolFailed(done.message)  # marked as an error, without using up a retry
            case Reuse():
                if done.failed:
                    raise ToolFailed(str(done.result))
                return done.result

    class ToolCallGuard(AbstractCapability[Any]):
        def get_ordering(self) -> CapabilityOrdering:
            return CapabilityOrdering(position="outermost")

        async def before_run(self, ctx: Any) -> None:
            if ctx.prompt is not None:
                await asyncio.to_thread(gate_of(ctx).new_turn, ctx.run_id)

        async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
            """Settle what ended elsewhere: arguments that are none, a person's denial, an external result."""
            gate, messages = gate_of(ctx), list(request_context.messages)
            last = max((at for at, one in enumerate(messages) if isinstance(one, ModelResponse)), default=len(messages))
            calls = {call.tool_call_id: _call(call) for one in messages[last : last + 1] for call in one.tool_calls}
            for part in (part for one in messages[last:] if isinstance(one, ModelRequest) for part in one.parts):
                if isinstance(part, ToolReturnPart) and (call := calls.get(part.tool_call_id)):
                    await asyncio.to_thread(settle_left, gate, call, _OUTCOMES[part.outcome], part.content)
            return request_context

        async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
            tools = {tool.name for tool in request_context.model_request_parameters.function_tools}
            calls = [_call(call) for call in response.tool_calls if call.tool_name in tools]
            await asyncio.to_thread(gate_of(ctx).admit, calls)
            return response

        async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
            pauses, denials = (CallDeferred, ApprovalRequired), (SkipToolExecution,)
            made = _call(call)
            done = await aperform(gate_of(ctx), made, lambda: handler(args), read, pauses=pauses, denials=denials)
            return answer(done)

    return ToolCallGuard()


def _call(part: Any) -> ToolCall:
    return ToolCall(part.tool_name, part.args_as_dict(), part.tool_call_id)
