"""The Model Context Protocol: middleware for a server of the official SDK, and what the stdio proxy shares with it.

Everything here is the wire's JSON, so nothing of the SDK is imported.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias, cast

from callkey import ToolCall

from ..decisions import Outcome, Reject, Reuse
from ..options import EffectKind, PolicyOptions, ToolPolicy
from .calls import Ran, aperform
from .sessions import Sessions, sessions_of

Middleware: TypeAlias = Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]

SESSION, TURN = "samecall/session", "samecall/turn"
"""Keys of ``_meta`` by which a client says which session and which turn a call belongs to."""
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


def guard(policy: ToolPolicy | Sessions, *, idle: float = IDLE_SECONDS) -> Middleware:
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
        params = cast("Mapping[str, Any]", ctx.params or {})
        if ctx.method != "tools/call" or ctx.request_id is None or not isinstance(params.get("name"), str):
            return await call_next(ctx)
        meta = cast("Mapping[str, Any]", params.get("_meta") or {})
        session = session_of(ctx, meta)
        gate = sessions.gate(session)
        gate.policy = declaring(gate.policy, declared)
        call = ToolCall(params["name"], params.get("arguments") or {}, f"{session}:{ctx.request_id}")
        turn = str(meta.get(TURN) or turns.of(session))
        return answer(await aperform(gate, call, lambda: call_next(ctx), ending, turn=turn))

    return middleware


def effects_of(listed: Any) -> dict[str, EffectKind]:
    """Return what the tools of a ``tools/list`` result say of themselves.

    >>> effects_of({"tools": [{"name": "look", "annotations": {"readOnlyHint": True}}, {"name": "new"}]})
    {'look': 'read'}
    """
    tools: Iterable[Any] = listed.get("tools", ()) if isinstance(listed, dict) else ()
    hints = {tool["name"]: tool.get("annotations") or {} for tool in tools}
    return {
        name: "read" if hint.get("readOnlyHint") else "write"
        for name, hint in hints.items()
        if hint.get("readOnlyHint") is not None or hint.get("destructiveHint")
    }


def declaring(policy: ToolPolicy, declared: Mapping[str, EffectKind]) -> ToolPolicy:
    """Return the policy with these effects behind its own: the first that fits a name counts."""
    effects = {**policy.effects, **{name: kind for name, kind in declared.items() if policy.effect_of(name) is None}}
    if len(effects) == len(policy.effects):
        return policy
    options = {option.name: getattr(policy, option.name) for option in fields(policy)}
    return ToolPolicy(**cast("PolicyOptions", options | {"effects": effects}))


def ending(result: Any) -> tuple[Outcome, object]:
    """Say how a ``tools/call`` result ended."""
    if result.get("resultType") == "input_required":
        return "denied", None  # it has not run: the client asks again, with the answer
    return ("failed" if result.get("isError") else "succeeded"), result


def answer(done: Ran[Any] | Reject | Reuse) -> Any:
    """Return the result of a call that ran, was refused, or gets an earlier result."""
    match done:
        case Ran(result, ""):
            return result
        case Ran(result, notice):
            return {**result, "content": [*result.get("content", ()), {"type": "text", "text": notice}]}
        case Reject():
            return refusal(done.message)
        case Reuse(result=dict() as kept):
            return kept
        case Reuse():
            return refusal(str(done.result))  # the leader raised


def refusal(text: str) -> dict[str, Any]:
    """Return a result that the model reads as an error. Only such a one may lack what an output schema asks for."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}
