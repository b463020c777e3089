"""The Model Context Protocol: middleware for a server of the official SDK. It sees JSON: nothing is imported."""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from callkey import ToolCall

from ..options import EffectKind, ToolPolicy
from .calls import aperform
from .mcp_wire import SESSION, TURN, answer, effects_of, ending, fields_of
from .sessions import Sessions, sessions_of

if TYPE_CHECKING:
    from mcp.server.context import ServerMiddleware

IDLE_SECONDS = 120.0
"""MCP has no turns: a client that names none begins one after so long a silence."""
_KEPT = 1024


class Turns:
    """The turn of each session whose client names none."""

    def __init__(self, idle: float = IDLE_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin a turn after ``idle`` seconds without a call."""
        self._idle, self._clock = idle, clock
        self._last: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def of(self, session: str) -> str:
        """Return the id of the turn that a call of this moment belongs to."""
        now = self._clock()
        turn, last = self._last.pop(session, ("", now))
        self._last[session] = (turn if turn and now - last < self._idle else uuid.uuid4().hex), now
        if len(self._last) > _KEPT:
            self._last.popitem(last=False)
        return self._last[session][0]


def guard(policy: ToolPolicy | Sessions, *, idle: float = IDLE_SECONDS) -> ServerMiddleware[Any]:
    """Return middleware that puts a server's tools under ``policy``: ``MCPServer(…, middleware=[guard(policy)])``.

    The session is what the client names in ``_meta``, else the transport's; a request of a transport without sessions
    stands alone. Tools that the server annotates have the effect that they declare, unless ``policy`` knows better.
    """
    sessions, turns = sessions_of(policy), Turns(idle)
    only_client = uuid.uuid4().hex
    declared: dict[str, EffectKind] = {}

    def session_of(ctx: Any, meta: Mapping[str, Any]) -> str:
        if SESSION in meta:
            return str(meta[SESSION])
        if ctx.request is None:
            return only_client  # standard input has one
        return str(ctx.request.headers.get("mcp-session-id") or uuid.uuid4().hex)

    async def middleware(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        if ctx.method == "tools/list":
            listed = await call_next(ctx)
            declared.update(effects_of(listed))
            return listed
        params = fields_of(ctx.params)
        if ctx.method != "tools/call" or ctx.request_id is None or not isinstance(params.get("name"), str):
            return await call_next(ctx)
        meta = fields_of(params.get("_meta"))
        session = session_of(ctx, meta)
        gate = sessions.gate(session)
        gate.policy = gate.policy.with_effects(declared)
        call = ToolCall(params["name"], params.get("arguments") or {}, f"{session}:{ctx.request_id}")
        turn = str(meta.get(TURN) or turns.of(session))
        return answer(await aperform(gate, call, lambda: call_next(ctx), ending, turn=turn))

    return middleware
