"""One frozen type for each thing that happens, as JSON lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from .decisions import Outcome, Reason
from .records import Counters

EVENT_VERSION = 1
Executed: TypeAlias = bool | Literal["unknown"]


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """Which key the call had: a digest, never the text. ``problem`` says why a fallback was taken."""

    strategy: str
    version: int
    digest: str
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A turn began: its counters are zero."""

    type: ClassVar = "turn_started"
    ts: float
    session_id: str
    turn: int
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted:
    """A call was admitted. ``duplicate_of`` where it repeats an earlier one and runs all the same."""

    type: ClassVar = "tool_call_started"
    duplicate_of: int | None = None
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    call_id: str
    name: str
    ordinal: int
    key: KeyInfo | None = None
    executed: Executed = "unknown"
    counts: Counters
    input: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallFinished:
    """A call was settled."""

    type: ClassVar = "tool_call_finished"
    outcome: Outcome
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    call_id: str
    name: str
    ordinal: int
    key: KeyInfo | None = None
    executed: Executed
    counts: Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRejected:
    """A call was refused: it did not run, and ``content`` is what the model reads."""

    type: ClassVar = "tool_rejected"
    reason: Reason
    limit: int | None = None
    tool_call_count: int | None = None
    duplicate_of: int | None = None
    message: str
    content: str
    stop: bool
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    call_id: str
    name: str
    ordinal: int
    key: KeyInfo | None = None
    executed: Executed = False
    counts: Counters
    input: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolWarned:
    """A call runs although something speaks against it."""

    type: ClassVar = "tool_warned"
    reason: Reason
    duplicate_of: int | None = None
    message: str
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    call_id: str
    name: str
    ordinal: int
    key: KeyInfo | None = None
    executed: Executed = "unknown"
    counts: Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReused:
    """A call was answered with an earlier result: it did not run."""

    type: ClassVar = "tool_reused"
    duplicate_of: int
    outcome: Outcome
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    call_id: str
    name: str
    ordinal: int
    key: KeyInfo | None = None
    executed: Executed = False
    counts: Counters
    input: object = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallStarted:
    """The model is asked; only who asks it can tell. ``tools``: whether it may call any."""

    type: ClassVar = "model_call_started"
    model_call: int
    tools: bool
    ts: float
    session_id: str
    turn: int
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallFinished:
    """The model answered, with so many tool calls, or ``error`` says why not."""

    type: ClassVar = "model_call_finished"
    model_call: int
    tool_calls: int
    usage: Usage | None = None
    error: str | None = None
    ts: float
    session_id: str
    turn: int
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """The turn is over: ``text`` is the final answer, ``complete`` whether there is one. Always the last.

    Without ``complete``, ``text`` is the last that the model said. What the model did is told by who asked it.
    """

    type: ClassVar = "turn"
    text: str
    complete: bool
    error: str | None = None
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    counts: Counters
    model_calls: int | None = None
    usage: Usage | None = None


CallEvent: TypeAlias = ToolCallStarted | ToolCallFinished | ToolRejected | ToolWarned | ToolReused
ModelEvent: TypeAlias = ModelCallStarted | ModelCallFinished
Event: TypeAlias = TurnStarted | CallEvent | ModelEvent | TurnFinished
Sink: TypeAlias = Callable[[Event], None]


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object; what is not known is left out."""
    body = {name: value for name, value in asdict(event).items() if value is not None}
    if event_key := body.get("key"):
        body["key"] = {name: value for name, value in event_key.items() if value is not None}
    return {"type": event.type, **body, "v": EVENT_VERSION}
