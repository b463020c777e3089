"""What a hook answers to an event: JSON in, a refusal or nothing out.

Whatever goes wrong here, the call passes: the reason goes to standard error, and the exit status is 1, which all of
the agents take for a warning. A status of 2 would refuse the call.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from typing import TypeAlias, cast

from ..decisions import Reject, Warn
from ..errors import HookError, SamecallError
from . import AGENTS, state
from .happenings import CallEnded, Dialect, Event, SessionBegan, required
from .options import policy
from .session import AgentSession, WatchedStore

Reply: TypeAlias = tuple[int, str, str]
"""The exit status of a hook, what it prints, and what it complains of."""


def reply(arguments: Sequence[str], data: bytes) -> Reply:
    """Return what a hook says to an event. ``arguments``: the agent, then its policy."""
    try:
        said = answer(arguments, data)
    except Exception as error:  # noqa: BLE001 - whatever it is, the call passes
        name = "" if isinstance(error, SamecallError) else f"{type(error).__name__}: "
        text = f"samecall: the call was not checked: {name}{' '.join(str(error).split())}\n"
        return 1, "", text.encode("ascii", "backslashreplace").decode()
    return 0, "" if said is None else json.dumps(said) + "\n", ""


def answer(arguments: Sequence[str], data: bytes) -> Event | None:
    """Book an event and return what to say to it; ``None``: nothing. Raises whatever goes wrong."""
    agent, *options = arguments or [""]
    if agent not in AGENTS:
        raise HookError(f"no such agent: {agent}")
    speech = dialect(agent)
    rules = policy(options)
    try:
        event = json.loads(data)
    except ValueError as error:
        raise HookError(f"no JSON on standard input: {error}") from None
    if not isinstance(event, dict):
        raise HookError("no JSON object on standard input")
    event = cast("Event", event)
    required(event, "hook_event_name")
    happening = speech.read(event)
    if happening is None:
        return None
    session_id = required(event, "session_id")
    session = AgentSession(session_id, rules, WatchedStore(state.session_file(agent, session_id)))
    said = session.take(happening)
    if isinstance(happening, SessionBegan):
        state.forget_old(agent)
    match said:
        case Reject():
            return speech.refusal(said.message)
        case Warn():
            return speech.advice(said.message)
        case str() if said and isinstance(happening, CallEnded):
            return speech.late_advice(said)
        case _:
            return None


def dialect(agent: str) -> Dialect:
    """Return what speaks to an agent."""
    return cast("Dialect", import_module(f".{agent.replace('-', '_')}", __package__))
