"""CrewAI: hooks on what runs inside a ``with``. The only module that knows CrewAI."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from callkey import ToolCall

from .. import messages
from ..decisions import Execute, Follow, Outcome, Reject, Reuse, Warn
from ..gate import ToolCallGate
from ..options import ToolPolicy
from .calls import decide
from .sessions import Sessions, sessions_of

# What CrewAI 1.15 writes in the place of a result: its hooks see the text, and not what was raised.
_DENIED = ("Tool execution blocked by hook.", "Tool '{}' has reached ")
_FAILED = ("Error executing tool: ", "I encountered an error")


@contextmanager
def guard(policy: ToolPolicy | Sessions, *, session_id: str | None = None) -> Iterator[None]:
    """Put the tool calls of all that runs inside (``crew.kickoff()``) under ``policy``.

    Each ``with`` is a turn, of the session ``session_id`` or of one of its own. In a crew of several agents each has a
    history of its own, since none sees what the others read; the budget is one.
    """
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
        self._lock = threading.Lock()
        self._agents: dict[str, ToolCallGate] = {}
        # The two hooks of a call have no id in common, but the same dict of arguments (kept, so that its id stays its).
        self._calls: dict[int, tuple[Any, ToolCall, str, str]] = {}
        self._gate = gate
        gate.new_turn()

    def before(self, context: Any) -> bool | None:
        """Admit the call; ``False`` keeps it from running."""
        gate, call = self._gate_of(context), _call(context)
        (decision,) = gate.admit([call])
        if isinstance(decision, Follow) and not _in_event_loop():
            decision = decide(gate, call)
        answer = notice = ""
        match decision:
            case Reject():
                answer = decision.message
            case Reuse():
                answer = str(decision.result)
            case Follow():
                answer = messages.DUPLICATE  # CrewAI's hooks are not asynchronous: waiting would hold up the other call
            case Warn():
                notice = decision.message
            case Execute():
                pass
        runs = isinstance(decision, Execute | Warn)
        self._calls[id(context.tool_input)] = context.tool_input, call, answer, notice
        return None if runs else False

    def after(self, context: Any) -> str | None:
        """Settle the call, or answer it: this hook is called for those that were blocked, too."""
        gate = self._gate_of(context)
        if id(context.tool_input) not in self._calls:  # a hook before this one has blocked it
            call = _call(context)
            gate.admit([call])
            gate.settle(call, "denied")
            return None
        _, call, answer, notice = self._calls.pop(id(context.tool_input))
        ...
