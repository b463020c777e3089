"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..events import Event, Usage
from ..records import Counters

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage  # importing samecall must not load pydantic-ai


@dataclass(frozen=True, slots=True)
class RunResult:
    """One turn: the final answer, and how it came about. ``error`` says why it is not ``complete``."""

    text: str
    complete: bool
    error: str | None
    counts: Counters
    """Tool calls of the turn."""
    model_calls: int
    usage: Usage | None
    """Tokens of the turn, where the provider counts them."""
    events: tuple[Event, ...] = field(repr=False)
    messages: tuple[ModelMessage, ...] = field(repr=False)
    """The whole conversation, each call id with exactly one result."""
