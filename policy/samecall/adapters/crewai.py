"""CrewAI: hooks on what runs inside a ``with``. The only module that knows CrewAI."""

# Not installed where pyright runs, which then knows no type of it. pyright wants the next line alone.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from callkey import ToolCall

from .. import messages
from ..decisions import Follow, Outcome, Reject, Reuse, Warn
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import decide
from .extras import extra
from .sessions import Sessions, sessions_of

# What CrewAI 1.15 writes where a result would stand: its hooks see the text, and not what was raised.
_DENIED = ("Tool execution blocked by hook.", "Tool '{name}' has reached its ", "I tried reusing the same input")
_FAILED = ("Error executing tool: ", "I encountered an error")


@contextmanager
def guard(policy: ToolPolicy | Sessions, *, session_id: str | None = None) -> Iterator[None]:
    """Put the tool calls of all that runs inside (``crew.kickoff()``) under ``policy``.

    Each ``with`` is a turn, of the session ``session_id`` or of one of its own. In a crew of several agents each has a
    history of its own, since none sees what the others read; the budget is one.
    """
    with extra("crewai"):
        from crewai.hooks.dispatch import InterceptionPoint, get_scoped_hooks, scoped_hooks

    turn = _Turn(sessions_of(policy).gate(session_id or uuid.uuid4().hex))
    hooks = {point: get_scoped_hooks(point) for point in InterceptionPoint}  # a scope hides the one around it
    hooks[InterceptionPoint.PRE_TOOL_CALL].append(turn.before)
    hooks[InterceptionPoint.POST_TOOL_CALL].append(turn.after)
    with scoped_hooks(hooks):
        yield


class _Turn:
    """One turn of a session."""

    def __init__(self, gate: ToolCallGate) -> None:
        gate.new_turn()
        self._gate = gate
        self._agents: dict[str, ToolCallGate] = {}
        # The hooks of one call have no id in common, but the dict of arguments (kept, so that its address stays its).
        self._asked: dict[int, tuple[object, ToolCall, str | None, str]] = {}
        self._lock = threading.Lock()

    def before(self, context: Any) -> bool:
        """Admit the call; ``False`` keeps it from running."""
        gate = self._gate_of(context)
        call = ToolCall(context.tool_name, dict(context.tool_input), f"call-{uuid.uuid4().hex}")
        (decision,) = gate.admit([call])
        if isinstance(decision, Follow) and not _in_event_loop():
            decision = decide(gate, call)
        answer, notice = None, ""
        if isinstance(decision, Reject | Reuse):
            answer = decision.message if isinstance(decision, Reject) else str(decision.result)
        elif isinstance(decision, Follow):
            answer = messages.DUPLICATE  # a hook that waits in the event loop would hold up the call it waits for
        elif isinstance(decision, Warn):
            notice = decision.message
        self._asked[id(context.tool_input)] = context.tool_input, call, answer, notice
        return answer is None

    def after(self, context: Any) -> str | None:
        """Settle the call; give a refused one its text. CrewAI asks this hook about blocked calls, too."""
        if id(context.tool_input) not in self._asked:
            self.before(context)  # another hook has blocked it before this one was asked
        gate, read = self._gate_of(context), str(context.tool_result)
        _, call, answer, notice = self._asked.pop(id(context.tool_input))
        if answer is not None:
            return answer
        gate.settle(call, _outcome(context, read), read)
        return f"{read}\n\n{notice}" if notice else None

    def _gate_of(self, context: Any) -> ToolCallGate:
        if len(getattr(context.crew, "agents", ())) < 2:  # noqa: PLR2004 - alone, it sees all
            return self._gate
        with self._lock:
            if (role := context.agent.role) not in self._agents:
                self._agents[role] = self._gate.child(name=role)
                self._agents[role].new_turn()
            return self._agents[role]


def _outcome(context: Any, read: str) -> Outcome:
    from crewai.tools.tool_failure import ToolFailure

    read = read.lstrip()
    if read.startswith(tuple(text.format(name=context.tool_name) for text in _DENIED)):
        return "denied"
    return "failed" if isinstance(context.raw_tool_result, ToolFailure) or read.startswith(_FAILED) else "succeeded"


def _in_event_loop() -> bool:
    with suppress(RuntimeError):
        return asyncio.get_running_loop() is not None
    return False
