"""The JSON Schema (2020-12) of events, made from their types."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, get_args

from .decisions import Outcome, Reason
from .events import EVENT_VERSION, Event, Usage
from .records import Counters

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 0}


def _numbers(of: type[Counters | Usage]) -> dict[str, Any]:
    names = [part.name for part in fields(of)]
    return {
        "type": "object",
        "properties": dict.fromkeys(names, _NUMBER),
        "required": names,
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
    "turn": {**_NUMBER, "description": "number of the turn in the session"},
    "agent": {"type": "string", "description": "the subagent, absent for the session's own"},
    "call_id": _TEXT,
    "name": {"type": "string", "description": "the tool"},
    "ordinal": {**_NUMBER, "description": "the call's place in the session, from 1; 0: not known"},
    "key": _KEY,
    "executed": {"enum": [True, False, "unknown"], "description": "whether the call ran"},
    "counts": {**_numbers(Counters), "description": "counters of the turn after this event"},
    "input": {"description": "the arguments, credentials masked; only when asked for"},
    "duplicate_of": {**_NUMBER, "description": "ordinal of the earlier call"},
    "reason": {"enum": list(get_args(Reason))},
    "limit": _NUMBER,
    "tool_call_count": {**_NUMBER, "description": "what was counted against the limit"},
    "message": {"type": "string", "description": "what happened, in one sentence"},
    "content": {"type": "string", "description": "what the model reads as the result"},
    "stop": {"type": "boolean", "description": "ask the model for its final answer now"},
    "outcome": {"enum": list(get_args(Outcome))},
    "text": {"type": "string", "description": "the final answer; if not complete, the last that the model said"},
    "complete": {"type": "boolean", "description": "whether there is a final answer"},
    "error": {"type": "string", "description": "why there is no answer"},
    "model_call": {**_NUMBER, "description": "the model call's place in the turn, from 1"},
    "model_calls": {**_NUMBER, "description": "how often the model was asked in this turn"},
    "tool_calls": {**_NUMBER, "description": "how many tool calls the model asked for"},
    "tools": {"type": "boolean", "description": "whether the model may call tools"},
    "usage": {**_numbers(Usage), "description": "tokens as the provider counted them"},
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
