"""The steps between a decision and a result, for frameworks that run the tool themselves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from callkey import ToolCall

from ..decisions import Decision, Execute, Follow, Outcome, Reject, Reuse, Warn
from ..gate import ToolCallGate

Result = TypeVar("Result")
Kinds: TypeAlias = tuple[type[BaseException], ...]

_ADMISSIONS = ThreadPoolExecutor(1, "samecall-admissions")
"""One thread: calls are admitted in the order in which they arrive, also where no batch is shown."""
_LOOK_SECONDS = 0.02
"""How often a call that follows another looks for its result."""


@dataclass(frozen=True, slots=True)
class Ran(Generic[Result]):
    """The tool ran: ``result`` is what it gave the framework, ``notice`` what the model should read beside it."""

    result: Result
    notice: str = ""


def decide(gate: ToolCallGate, call: ToolCall, turn: str | None = None) -> Execute | Warn | Reject | Reuse:
    """Admit the call, in ``turn`` if it is named; one that follows another waits for that one's end."""
    (decision,) = gate.admit([call], turn=turn)
    while isinstance(decision, Follow):
        time.sleep(_LOOK_SECONDS)
        decision = gate.resolve(call)
    return decision


async def adecide(gate: ToolCallGate, call: ToolCall, turn: str | None = None) -> Execute | Warn | Reject | Reuse:
    """Do what ``decide`` does in an event loop; the store, which may wait, is asked in a thread."""
    decision = await admit(gate, call, turn)
    while isinstance(decision, Follow):
        await asyncio.sleep(_LOOK_SECONDS)
        decision = await asyncio.to_thread(gate.resolve, call)
    return decision


def perform(  # noqa: PLR0913 - what differs between frameworks, by keyword
    gate: ToolCallGate,
    call: ToolCall,
    execute: Callable[[], Result],
    read: Callable[[Result], tuple[Outcome, object]],
    *,
    turn: str | None = None,
    pauses: Kinds = (),
    denials: Kinds = (),
) -> Ran[Result] | Reject | Reuse:
    """Run the call if it may, and settle it; what the tool raises passes through.

    ``read`` says how a result ended, and what of it to compare and to keep. ``pauses`` are exceptions that mean the
    call is not over: it comes again under its id, so its reservation stays. ``denials`` are those of somebody else who
    did not let it run.
    """
    decision = decide(gate, call, turn)
    if not isinstance(decision, Execute | Warn):
        return decision
    try:
        result = execute()
    except pauses:
        raise
    except BaseException as error:
        gate.settle(call, *_ending(error, denials))
        raise
    gate.settle(call, *read(result))
    return Ran(result, _notice(decision))


async def aperform(  # noqa: PLR0913 - as above
    gate: ToolCallGate,
    call: ToolCall,
    execute: Callable[[], Awaitable[Result]],
    read: Callable[[Result], tuple[Outcome, object]],
    *,
    turn: str | None = None,
    pauses: Kinds = (),
    denials: Kinds = (),
) -> Ran[Result] | Reject | Reuse:
    """Do what ``perform`` does with an asynchronous tool; the store, which may wait, is asked in a thread."""
    decision = await adecide(gate, call, turn)
    if not isinstance(decision, Execute | Warn):
        return decision
    try:
        result = await execute()
    except pauses:
        raise
    except BaseException as error:
        gate.settle(call, *_ending(error, denials))  # in this thread: a cancelled task may not wait again
        raise
    await asyncio.to_thread(gate.settle, call, *read(result))
    return Ran(result, _notice(decision))


async def admit(gate: ToolCallGate, call: ToolCall, turn: str | None) -> Decision:
    """Ask the gate, in the order in which the calls arrive."""
    admission = asyncio.get_running_loop().run_in_executor(_ADMISSIONS, lambda: gate.admit([call], turn=turn))
    try:
        (decision,) = await asyncio.shield(admission)
    except asyncio.CancelledError:
        # The thread goes on and may reserve: nobody but us knows that the call will never run.
        admission.add_done_callback(lambda _: gate.settle(call, "cancelled"))
        raise
    return decision


def settle_left(
    gate: ToolCallGate, call: ToolCall, outcome: Outcome, result: object = None, *, turn: str | None = None
) -> None:
    """Settle a call that was admitted and did not come to run, if there is one."""
    if gate.outcome(call, turn=turn) == "running":
        gate.settle(call, outcome, result, turn=turn)


def _ending(error: BaseException, denials: Kinds) -> tuple[Outcome, object]:
    """Return how a call ended that raised: only an ``Exception`` is the tool's own failure."""
    if isinstance(error, denials):
        return "denied", None
    return ("failed", f"{type(error).__name__}: {error}") if isinstance(error, Exception) else ("cancelled", None)


def _notice(decision: Execute | Warn) -> str:
    return decision.message if isinstance(decision, Warn) else ""
