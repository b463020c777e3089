"""The process that a coding agent starts at each event: JSON in, a refusal or nothing out.

Whatever goes wrong here, the call passes: the reason goes to standard error, and the exit status is 1, which all of
the agents take for a warning. A status of 2 would refuse the call.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import cast

from ..decisions import Reject, Warn
from ..errors import HookError
from . import AGENTS, state
from .happenings import CallEnded, Dialect, Event, SessionBegan, required
from .options import policy
from .session import AgentSession, WatchedStore


def run(arguments: Sequence[str]) -> None:
    """Answer the event on standard input and end this process. ``arguments``: the agent, then its policy."""
    status = 0
    try:
        said = answer(arguments, sys.stdin.buffer.read())
        if said is not None:
            sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - an interrupted hook must not refuse the call either
        complain(error)
        status = 1
    # The books are on disk after each transaction. Taking the interpreter down in order would cost milliseconds.
    os._exit(status)


def complain(error: BaseException) -> None:
    """Say on standard error why nothing was checked, in one line."""
    name = "" if isinstance(error, HookError) else f"{type(error).__name__}: "
    text = f"samecall: the call was not checked: {name}{' '.join(str(error).split())}\n"
    try:
        sys.stderr.write(text.encode("ascii", "backslashreplace").decode())
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody listens


def answer(arguments: Sequence[str], data: bytes) -> Event | None:
    """Book an event and return what to say to it; ``None``: nothing. Raises whatever goes wrong."""
    agent, *options = arguments or [""]
    if agent not in AGENTS:
        raise HookError(f"no such agent: {agent}")
    dialect = cast("Dialect", import_module(f".{agent.replace('-', '_')}", __package__))
    rules = policy(options)
    try:
        event = json.loads(data)
    except ValueError as error:
        raise HookError(f"no JSON on standard input: {error}") from None
    if not isinstance(event, dict):
        raise HookError("no JSON object on standard input")
    event = cast("Event", event)
    required(event, "hook_event_name")
    happening = dialect.read(event)
    if happening is None:
        return None
    session_id = required(event, "session_id")
    session = AgentSession(session_id, rules, WatchedStore(state.session_file(agent, session_id)))
    said = session.take(happening)
    if isinstance(happening, SessionBegan):
        state.forget_old(agent)
    match said:
        case Reject():
            return dialect.refusal(said.message)
        case Warn():
            return dialect.advice(said.message)
        case str() if said and isinstance(happening, CallEnded):
            return dialect.late_advice(said)
        case _:
            return None
