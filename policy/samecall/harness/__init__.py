"""A small agent harness behind the gate: ``run_agent``, and what the ``samecall run`` command is made of."""

from .bash import Approve, Bash
from .events import ModelCallFinished, ModelCallStarted, RunEvent, RunSink, TurnReported, Usage, schema, to_json
from .result import RunResult
from .run import arun_agent, run_agent, session
from .setup import Setup

__all__ = [
    "Approve",
    "Bash",
    "ModelCallFinished",
    "ModelCallStarted",
    "RunEvent",
    "RunResult",
    "RunSink",
    "Setup",
    "TurnReported",
    "Usage",
    "arun_agent",
    "run_agent",
    "schema",
    "session",
    "to_json",
]
