"""A harness-level policy for tool calls: budgets, and calls that repeat earlier ones however they are spelled."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers take it; ``typing`` itself takes longer to import than a hook does

if TYPE_CHECKING:
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
    from .event_schema import schema
    from .events import (
        Event,
        ModelCallFinished,
        ModelCallStarted,
        ToolCallFinished,
        ToolCallStarted,
        ToolRejected,
        ToolReused,
        ToolWarned,
        TurnFinished,
        TurnStarted,
        Usage,
        to_json,
    )
    from .gate import Counts, ToolCallGate
    from .harness import RunResult, arun_agent, run_agent
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
    "ModelCallFinished",
    "ModelCallStarted",
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
    "Usage",
    "Warn",
    "arun_agent",
    "run_agent",
    "schema",
    "to_json",
    "tool_result",
]

# Where these names live. A module is loaded when somebody asks for it: a hook's process needs few, a gate no harness.
_HOMES = {
    name: module
    for module, names in (
        ("callkey", "ToolCall"),
        (".decisions", "Answer Decision Execute Follow Outcome Reason Reject Reuse Warn tool_result"),
        (".errors", "PolicyError RecordingError SamecallError SnapshotError StoreError ToolFailedError"),
        (
            ".events",
            "Event ToolCallFinished ToolCallStarted ToolRejected ToolReused ToolWarned TurnFinished TurnStarted",
        ),
        (".events", "ModelCallFinished ModelCallStarted Usage"),
        (".event_schema", "schema"),
        (".events", "to_json"),
        (".gate", "Counts ToolCallGate"),
        (".harness", "RunResult arun_agent run_agent"),
        (".options", "ToolPolicy"),
        (".records", "Counters"),
        (".stores", "MemoryStore Store Transaction"),
    )
    for name in names.split()
}


def __getattr__(name: str) -> object:
    """Import a public name when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - a hook asks for no public name

    value: object = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value
