"""One call through a gate: admit, run, settle, and one answer, whatever happens."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from callkey import ToolCall

from .decisions import Answer, Decision, Execute, Follow, Outcome, Reject, Reuse, Warn
from .errors import ToolFailedError
from .proposals import new_id

if TYPE_CHECKING:
    from .gate import ToolCallGate

_LOOK_SECONDS = 0.02
"""How often a follower looks for its leader's result: the leader may live in another process."""


def run(gate: ToolCallGate, call: ToolCall, execute: Callable[[object], object]) -> Answer:
    """Run a synchronous tool under the gate."""
    if inspect.iscoroutinefunction(execute):
        raise TypeError("run takes a synchronous tool; arun takes an asynchronous one")
    call = _named(call)
    (decision,) = gate.admit([call])
    while isinstance(decision, Follow):
        time.sleep(_LOOK_SECONDS)
        decision = gate.resolve(call)
    if not isinstance(decision, Execute | Warn):
        return _answered(call, decision)
    try:
        result = execute(call.input)
    except Exception as error:  # noqa: BLE001 - the tool's own failure is the model's to read
        return _failed(gate, call, decision, error)
    except BaseException:
        gate.settle(call, "cancelled")
        raise
    gate.settle(call, "succeeded", result)
    return _succeeded(call, decision, result)


async def arun(
    gate: ToolCallGate, call: ToolCall, execute: Callable[[object], Awaitable[object]], *, blocking: bool
) -> Answer:
    """Run an asynchronous tool under the gate; ``blocking`` store operations run in a thread."""
    import asyncio  # noqa: PLC0415 - costs more than the rest of the package, and who calls this has it loaded

    call = _named(call)
    (decision,) = await asyncio.to_thread(gate.admit, [call]) if blocking else gate.admit([call])
    while isinstance(decision, Follow):
        await asyncio.sleep(_LOOK_SECONDS)
        decision = await asyncio.to_thread(gate.resolve, call) if blocking else gate.resolve(call)
    if not isinstance(decision, Execute | Warn):
        return _answered(call, decision)
    try:
        result = await execute(call.input)
    except Exception as error:  # noqa: BLE001 - the tool's own failure is the model's to read
        return _failed(gate, call, decision, error)
    except BaseException:
        gate.settle(call, "cancelled")  # in this thread: a cancelled task may not wait again
        raise
    if blocking:
        await asyncio.to_thread(gate.settle, call, "succeeded", result)
    else:
        gate.settle(call, "succeeded", result)
    return _succeeded(call, decision, result)


def _named(call: ToolCall) -> ToolCall:
    return call if call.id is not None else replace(call, id=new_id())


def _succeeded(call: ToolCall, decision: Execute | Warn, result: object) -> Answer:
    notice = decision.message if isinstance(decision, Warn) else ""
    return Answer(decision.call_id, call.name, result, error=False, decision=decision, notice=notice)


def _failed(gate: ToolCallGate, call: ToolCall, decision: Execute | Warn, error: Exception) -> Answer:
    result: object = f"{type(error).__name__}: {error}"
    outcome: Outcome = "failed"
    if isinstance(error, ToolFailedError):
        result, outcome = error.result, error.outcome
    gate.settle(call, outcome, result)
    notice = decision.message if isinstance(decision, Warn) else ""
    return Answer(decision.call_id, call.name, result, True, decision, notice, error)  # noqa: FBT003


def _answered(call: ToolCall, decision: Decision) -> Answer:
    match decision:
        case Reuse():
            return Answer(decision.call_id, call.name, decision.result, decision.failed, decision)
        case Reject():
            return Answer(decision.call_id, call.name, decision.message, error=True, decision=decision)
        case _:
            raise AssertionError("the callers have dealt with calls that run")
