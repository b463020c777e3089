"""What a coding agent tells its hook, in our words: a closed union. And how to read the fields that they all send."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from callkey import ToolCall

from ..decisions import Outcome
from ..errors import HookError

Event: TypeAlias = dict[str, Any]
"""The JSON object on the hook's standard input."""


@dataclass(frozen=True, slots=True)
class SessionBegan:
    """A session starts, or goes on; ``cleared`` says that the model no longer sees what it saw before."""

    cleared: bool


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """The user said something. ``turn`` is the agent's id of what follows, where it has one."""

    turn: str | None


@dataclass(frozen=True, slots=True)
class CallProposed:
    """The model wants this call, and the agent waits for an answer. ``agent`` is a subagent's id, ``""`` for none."""

    call: ToolCall
    turn: str | None
    agent: str = ""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call that was proposed has ended."""

    call: ToolCall
    outcome: Outcome
    agent: str = ""
    result: object = field(default=None, repr=False)


Happening: TypeAlias = SessionBegan | TurnBegan | CallProposed | CallEnded


class Dialect(Protocol):
    """What the module of a protocol offers."""

    def read(self, event: Event) -> Happening | None:
        """Return what an event means; ``None`` where it means nothing to us. Raises ``HookError``."""
        ...

    def refusal(self, message: str) -> Event:
        """Return the answer to a proposed call that it does not run; the model reads ``message``."""
        ...

    def advice(self, message: str) -> Event | None:
        """Return the answer to a proposed call that it runs, and that the model reads ``message`` beside its result.

        ``None`` where the agent takes such words only when the call has ended: ``late_advice`` then says them.
        """
        ...

    def late_advice(self, message: str) -> Event:
        """Return the answer to a call that ended: the model reads ``message`` beside its result."""
        ...


def text(event: Event, name: str) -> str | None:
    """Return a field that holds a text; ``None`` where it is missing, empty, or something else."""
    value = event.get(name)
    return value if isinstance(value, str) and value else None


def required(event: Event, name: str) -> str:
    """Return a field without which there is nothing to do. Raises ``HookError``."""
    value = text(event, name)
    if value is None:
        raise HookError(f"the event has no {name}")
    return value


def call_of(event: Event) -> ToolCall:
    """Return the tool call that an event is about. Raises ``HookError`` where it names no tool."""
    given = event.get("tool_input")
    return ToolCall(required(event, "tool_name"), {} if given is None else given, text(event, "tool_use_id"))
