"""What a run says beside the gate's events: calls of the model, and the turn's report. As JSON lines, with schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar, TypeAlias

from .. import events
from ..events import EVENT_VERSION, Event
from ..records import Counters


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallStarted:
    """The model is asked. ``tools``: whether it may call any."""

    type: ClassVar = "model_call_started"
    model_call: int
    tools: bool
    ts: float
    session_id: str
    turn: int


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReported:
    """The turn is over: always the last event. Without ``complete``, ``text`` is the last that the model said."""

    type: ClassVar = "turn"
    text: str
    complete: bool
    error: str | None = None
    ts: float
    session_id: str
    turn: int
    counts: Counters
    model_calls: int
    usage: Usage | None = None


RunEvent: TypeAlias = Event | ModelCallStarted | ModelCallFinished | TurnReported
RunSink: TypeAlias = Callable[[RunEvent], None]


def to_json(event: RunEvent) -> dict[str, Any]:
    """Return an event as a JSON object; what is not known is left out."""
    match event:
        case ModelCallStarted() | ModelCallFinished() | TurnReported():
            body = {name: value for name, value in asdict(event).items() if value is not None}
            return {"type": event.type, **body, "v": EVENT_VERSION}
        case _:
            return events.to_json(event)


_NUMBER = {"type": "integer", "minimum": 0}
_FIELDS: dict[str, dict[str, Any]] = {
    "model_call": {**_NUMBER, "description": "the model call's place in the turn, from 1"},
    "model_calls": {**_NUMBER, "description": "how often the model was asked in this turn"},
    "tool_calls": {**_NUMBER, "description": "how many tool calls the model asked for"},
    "tools": {"type": "boolean", "description": "whether the model may call tools"},
    "error": {"type": "string", "description": "why there is no answer"},
    "text": {"type": "string", "description": "the final answer; if not complete, the last that the model said"},
    "usage": {
        "type": "object",
        "properties": {part.name: _NUMBER for part in fields(Usage)},
        "required": [part.name for part in fields(Usage)],
        "additionalProperties": False,
        "description": "tokens as the provider counted them",
    },
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of one line: the gate's events, the model's, and the richer ``turn`` of a run."""
    told = events.schema()
    known = {name: part for event in told["oneOf"] for name, part in event["properties"].items()} | _FIELDS
    ours = [_object(event, known) for event in (ModelCallStarted, ModelCallFinished, TurnReported)]
    return {**told, "title": "samecall event", "oneOf": [*told["oneOf"], *ours]}


def _object(event: type[ModelCallStarted | ModelCallFinished | TurnReported], known: dict[str, Any]) -> dict[str, Any]:
    parts = fields(event)
    return {
        "title": event.__name__,
        "description": event.__doc__,
        "type": "object",
        "properties": {
            "type": {"const": event.type},
            **{part.name: known[part.name] for part in parts},
            "v": {"const": EVENT_VERSION},
        },
        "required": ["type", *(part.name for part in parts if part.default is MISSING), "v"],
        "additionalProperties": False,
    }
