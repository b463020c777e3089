"""One frozen type for each thing that happens, as JSON lines; their JSON Schema (2020-12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias, get_args

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """The turn is over: ``text`` is the final answer, ``complete`` whether there is one. Always the last."""

    type: ClassVar = "turn"
    text: str
    complete: bool
    ts: float
    session_id: str
    turn: int
    agent: str | None = None
    counts: Counters


CallEvent: TypeAlias = ToolCallStarted | ToolCallFinished | ToolRejected | ToolWarned | ToolReused
Event: TypeAlias = TurnStarted | CallEvent | TurnFinished
Sink: TypeAlias = Callable[[Event], None]


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object; what is not known is left out."""
    body = {name: value for name, value in asdict(event).items() if value is not None}
    if event_key := body.get("key"):
        body["key"] = {name: value for name, value in event_key.items() if value is not None}
    return {"type": event.type, **body, "v": EVENT_VERSION}


_TEXT = {"type": "string"}
_ORDINAL = {"type": "integer", "minimum": 0}
_COUNTS = {
    "type": "object",
    "properties": {counter.name: {"type": "integer", "minimum": 0} for counter in fields(Counters)},
    "required": [counter.name for counter in fields(Counters)],
    "additionalProperties": False,
}
_KEY = {
    "type": "object",
    "properties": {
        "strategy": _TEXT,
        "version": {"type": "integer"},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "problem": _TEXT,
    },
    "required": ["strategy", "version", "digest"],
    "additionalProperties": False,
}
# One meaning a name: a field of several events has one schema.
_FIELDS: dict[str, dict[str, Any]] = {
    "ts": {"type": "number", "description": "seconds since 1970"},
    "session_id": _TEXT,
    "turn": {"type": "integer", "minimum": 0, "description": "number of the turn in the session"},
    "agent": {"type": "string", "description": "the subagent, absent for the session's own"},
    "call_id": _TEXT,
    "name": {"type": "string", "description": "the tool"},
    "ordinal": {**_ORDINAL, "description": "the call's place in the session, from 1; 0: not known"},
    "key": _KEY,
    "executed": {"enum": [True, False, "unknown"], "description": "whether the call ran"},
    "counts": {**_COUNTS, "description": "counters of the turn after this event"},
    "input": {"description": "the arguments, credentials masked; only when asked for"},
    "duplicate_of": {**_ORDINAL, "description": "ordinal of the earlier call"},
    "reason": {"enum": list(get_args(Reason))},
    "limit": {"type": "integer", "minimum": 0},
    "tool_call_count": {"type": "integer", "minimum": 0, "description": "what was counted against the limit"},
    "message": {"type": "string", "description": "what happened, in one sentence"},
    "content": {"type": "string", "description": "what the model reads as the result"},
    "stop": {"type": "boolean", "description": "ask the model for its final answer now"},
    "outcome": {"enum": list(get_args(Outcome))},
    "text": {"type": "string", "description": "the final answer"},
    "complete": {"type": "boolean", "description": "whether there is a final answer"},
}


def _object(event: type[Event]) -> dict[str, Any]:
    """Return the schema of one event: fields without a default are always there."""
    required = [part.name for part in fields(event) if part.default is MISSING]
    properties = {part.name: _FIELDS[part.name] for part in fields(event)}
    return {
        "title": event.__name__,
        "description": event.__doc__,
        "type": "object",
        "properties": {"type": {"const": event.type}, **properties, "v": {"const": EVENT_VERSION}},
        "required": ["type", *required, "v"],
        "additionalProperties": False,
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema of one line of the event stream."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "samecall event",
        "oneOf": [_object(event) for event in get_args(Event)],
    }
