"""A harness-level policy for tool calls: budgets, and calls that repeat earlier ones however they are spelled."""

from typing import TYPE_CHECKING

from callkey import ToolCall

from .decisions import Answer, Decision, Execute, Follow, Outcome, Reason, Reject, Reuse, Warn, tool_result
from .errors import (
    PolicyError,
    RecordingError,
    SamecallError,
    SnapshotError,
    StoreError,
    ToolFailedError,
)
from .events import (
    Event,
    ToolCallFinished,
    ToolCallStarted,
    ToolRejected,
    ToolReused,
    ToolWarned,
    TurnFinished,
    TurnStarted,
    schema,
    to_json,
)
from .gate import Counts, ToolCallGate
from .options import ToolPolicy
from .records import Counters
from .stores import MemoryStore, Store, Transaction

if TYPE_CHECKING:
    from .harness import RunResult, arun_agent, run_agent  # loaded by __getattr__: a gate needs no harness

__all__ = [
    "Answer",
    "Counters",
    "Counts",
    "Decision",
    "Event",
    "Execute",
    "Follow",
    "MemoryStore",
    "Outcome",
    "PolicyError",
    "Reason",
    "RecordingError",
    "Reject",
    "Reuse",
    "RunResult",
    "SamecallError",
    "SnapshotError",
    "Store",
    "StoreError",
    "ToolCall",
    "ToolCallFinished",
    "ToolCallGate",
    "ToolCallStarted",
    "ToolFailedError",
    "ToolPolicy",
    "ToolRejected",
    "ToolReused",
    "ToolWarned",
    "Transaction",
    "TurnFinished",
    "TurnStarted",
    "Warn",
    "arun_agent",
    "run_agent",
    "schema",
    "to_json",
    "tool_result",
]


def __getattr__(name: str) -> object:
    if name not in {"RunResult", "arun_agent", "run_agent"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import harness  # noqa: PLC0415 - see above

    return getattr(harness, name)
