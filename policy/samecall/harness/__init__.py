"""A small agent harness behind the gate: ``run_agent``, and what the ``samecall run`` command is made of."""

from .bash import Approve, Bash
from .result import RunResult
from .run import arun_agent, run_agent, session
from .setup import Setup

__all__ = [
    "Approve",
    "Bash",
    "RunResult",
    "Setup",
    "arun_agent",
    "run_agent",
    "session",
]
