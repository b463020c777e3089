"""One gate for each session, found by the id that the framework has for it: what every adapter shares."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from typing import Literal

from ..arguments import check_callable, check_policy, check_store
from ..events import Sink
from ..gate import ToolCallGate
from ..options import ToolPolicy
from ..stores.memory import MemoryStore
from ..stores.protocol import Store

_KEPT = 1024
"""How many gates are kept. The books are in the store: a gate knows besides them only the calls it has in flight."""


class Sessions:
    """Gates by session id. One agent object may serve many sessions at once: what they did stays apart.

    >>> sessions = Sessions(ToolPolicy(maxToolCalls=6))
    >>> sessions.gate("one") is sessions.gate("one"), sessions.gate("one") is sessions.gate("two")
    (True, False)
    """

    def __init__(self, policy: ToolPolicy, *, store: Store | None = None, on_event: Sink | None = None) -> None:
        """Guard every session by ``policy``. The books are in ``store``: one on disk outlives the process.

        Raises ``TypeError`` for what is none of these.
        """
        check_policy(policy, "a ToolPolicy or Sessions")
        check_store(store)
        check_callable("on_event", on_event)
        self.policy = policy
        kept: Store = MemoryStore() if store is None else store
        self._gates: OrderedDict[str, ToolCallGate] = OrderedDict()
        self._lock = threading.Lock()
        self._open: Callable[[str], ToolCallGate] = lambda session_id: ToolCallGate(
            policy, store=kept, session_id=session_id, on_event=on_event
        )

    def gate(self, session_id: str) -> ToolCallGate:
        """Return the session's gate."""
        with self._lock:
            gate = self._gates.pop(session_id, None) or self._open(session_id)
            self._gates[session_id] = gate
            if len(self._gates) > _KEPT:
                self._gates.popitem(last=False)
            return gate

    def child(self, share: int | Literal["pool"] | None = "pool", *, name: str) -> Sessions:
        """Return the gates of a subagent, each within the session of the same id. See ``ToolCallGate.child``."""
        child = copy(self)  # the private names below are its own
        child.policy = self.policy if share == "pool" else self.policy.with_budget(share)
        child._gates, child._lock = OrderedDict(), threading.Lock()  # noqa: SLF001
        child._open = lambda session_id: self.gate(session_id).child(share, name=name)  # noqa: SLF001
        return child


def sessions_of(policy: ToolPolicy | Sessions) -> Sessions:
    """Return what an adapter was given as sessions: a bare policy keeps its books in memory."""
    return policy if isinstance(policy, Sessions) else Sessions(policy)
