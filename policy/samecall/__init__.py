"""A harness-level policy for tool calls: budgets, and calls that repeat earlier ones however they are spelled."""

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
    "schema",
    "to_json",
    "tool_result",
]
