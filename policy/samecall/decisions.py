"""What the gate answers for one call: a closed union. Exactly one for each call id of a turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

Reason: TypeAlias = Literal[
    "max_tool_calls",
    "max_tool_calls_per_session",
    "tool_limit",
    "duplicate_tool_call",
    "repeated_failure",
    "poll_limit",
    "max_rejections",
    "store_unavailable",
]
Outcome: TypeAlias = Literal["succeeded", "failed", "denied", "cancelled", "unknown"]
"""How a call ended: ``denied`` by someone else (it never ran), ``cancelled`` while it ran, or nobody knows."""


@dataclass(frozen=True, slots=True)
class Execute:
    """Run the call, then settle it. ``duplicate_of`` is set where a duplicate runs because it is allowed."""

    kind: ClassVar[Literal["execute"]] = "execute"
    call_id: str
    ordinal: int
    """The call's place in the session, from 1; 0 while the store cannot be reached."""
    duplicate_of: int | None = None
    remaining: int | None = None
    """Calls left in the turn after this one; ``None`` without a limit."""


@dataclass(frozen=True, slots=True)
class Warn:
    """Run the call, then settle it, and let the model read ``message`` beside the result."""

    kind: ClassVar[Literal["warn"]] = "warn"
    call_id: str
    ordinal: int
    reason: Reason
    message: str
    duplicate_of: int | None = None
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """Do not run the call; the model reads ``message`` as its result. With ``stop``, ask for the final answer."""

    kind: ClassVar[Literal["reject"]] = "reject"
    call_id: str
    ordinal: int
    reason: Reason
    message: str
    duplicate_of: int | None = None
    limit: int | None = None
    tool_call_count: int | None = None
    """What was counted against ``limit``."""
    stop: bool = False
    other_view: bool = False
    """The earlier call showed the same data another way: its output may lack what this one would show."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """Do not run the call; answer with ``result``, the earlier one, whole. ``failed`` where a leader failed."""

    kind: ClassVar[Literal["reuse"]] = "reuse"
    call_id: str
    ordinal: int
    duplicate_of: int
    result: object = field(repr=False)
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Follow:
    """Do not run the call: an equal one is running. Once that is settled, ``ToolCallGate.resolve`` answers."""

    kind: ClassVar[Literal["follow"]] = "follow"
    call_id: str
    ordinal: int
    duplicate_of: int


Decision: TypeAlias = Execute | Warn | Reject | Reuse | Follow


def tool_result(rejection: Reject, name: str) -> dict[str, object]:
    """Return what the model gets in place of a result.

    >>> tool_result(Reject("c1", 7, "max_tool_calls", "Enough."), "bash")
    {'type': 'tool_result', 'name': 'bash', 'error': True, 'content': 'Enough.'}
    """
    return {"type": "tool_result", "name": name, "error": True, "content": rejection.message}


@dataclass(frozen=True, slots=True)
class Answer:
    """The one result of a call: what ``ToolCallGate.run`` returns for whatever happened."""

    call_id: str
    name: str
    content: object = field(repr=False)
    """The tool's result, the reused one, or what the model reads instead."""
    error: bool
    decision: Decision
    notice: str = ""
    """What the model should read beside the result."""
    exception: BaseException | None = field(default=None, repr=False)
    """What the tool raised, if it did."""

    def to_json(self) -> dict[str, object]:
        """Return it as a ``tool_result``."""
        return {"type": "tool_result", "name": self.name, "error": self.error, "content": self.content}
