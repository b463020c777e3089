"""What the proxy in front of an MCP server does with each line that passes: only answers to ``tools/call`` are ours."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from callkey import ToolCall

from ..decisions import Decision, Execute, Follow, Warn
from ..gate import ToolCallGate
from ..options import EffectKind
from .calls import Ran
from .mcp import IDLE_SECONDS, Turns
from .mcp_wire import SESSION, TURN, answer, effects_of, ending, fields_of
from .sessions import Sessions

Write: TypeAlias = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call that the server or another call has yet to answer, and what the model should read beside the answer."""

    gate: ToolCallGate
    call: ToolCall
    notice: str = ""


class Proxy:
    """Two directions, each in a thread of its own. What is not ours to answer goes on as the bytes that came."""

    def __init__(self, sessions: Sessions, to_server: Write, to_client: Write, *, idle: float = IDLE_SECONDS) -> None:
        """Write lines with these; ``to_client`` is called from both directions and must not block."""
        self._sessions = sessions
        self._to_server = to_server
        self._to_client = to_client
        self._turns = Turns(idle)
        self._only_client = uuid.uuid4().hex
        self._declared: dict[str, EffectKind] = {}
        self._listing: set[object] = set()
        self._running: dict[object, _Asked] = {}
        self._following: dict[object, _Asked] = {}
        self._lock = threading.Lock()

    def from_client(self, line: bytes) -> None:
        """Take a line of the client: a message, or a batch of them."""
        message = _parse(line)
        if not isinstance(message, list):
            if self._passes(message):
                self._to_server(line)
            return
        parts = cast("list[object]", message)
        passed = [part for part in parts if self._passes(part)]
        if len(passed) == len(parts):
            self._to_server(line)
        elif passed:
            self._to_server(_line(passed))

    def from_server(self, line: bytes) -> None:
        """Take a line of the server."""
        message = _parse(line)
        if isinstance(message, list):
            parts = cast("list[object]", message)
            taken = [self._taken(part) for part in parts]
            self._to_client(line if taken == parts else _line(taken))
        else:
            taken_one = self._taken(message)
            self._to_client(line if taken_one is message else _line(taken_one))
        self._answer_followers()

    def close(self) -> None:
        """Take note that the server is gone: nobody knows how its calls ended."""
        with self._lock:
            lost = list(self._running.values())
            self._running.clear()
        for asked in lost:
            asked.gate.settle(asked.call, "unknown")
        self._answer_followers()

    def _passes(self, message: object) -> bool:
        """Say whether the server shall see a message of the client; one that it shall not see is answered here."""
        match message:
            case {"method": "tools/call", "id": str() | int() as asked, "params": {"name": str()}}:
                return self._decide(asked, fields_of(fields_of(message)["params"]))
            case {"method": "tools/list", "id": str() | int() as asked}:
                with self._lock:
                    self._listing.add(asked)
            case {"method": "notifications/cancelled", "params": {"requestId": str() | int() as asked}}:
                self._cancel(asked)
            case _:
                pass
        return True

    def _decide(self, asked: str | int, params: dict[str, Any]) -> bool:
        meta = fields_of(params.get("_meta"))
        session = str(meta.get(SESSION, self._only_client))
        gate = self._sessions.gate(session)
        with self._lock:
            gate.policy = gate.policy.with_effects(self._declared)
        call = ToolCall(params["name"], params.get("arguments") or {}, json.dumps(asked))
        (decision,) = gate.admit([call], turn=str(meta.get(TURN) or self._turns.of(session)))
        with self._lock:
            match decision:
                case Execute():
                    self._running[asked] = _Asked(gate, call)
                    return True
                case Warn():
                    self._running[asked] = _Asked(gate, call, decision.message)
                    return True
                case Follow():
                    self._following[asked] = _Asked(gate, call)
                case _:
                    self._reply(asked, decision)
        self._answer_followers()  # the one it follows may have ended meanwhile
        return False

    def _cancel(self, asked: str | int) -> None:
        with self._lock:
            self._following.pop(asked, None)
            cancelled = self._running.pop(asked, None)
        if cancelled:
            cancelled.gate.settle(cancelled.call, "cancelled")
            self._answer_followers()

    def _taken(self, message: object) -> object:
        """Return a message of the server as the client shall see it."""
        response = fields_of(message)
        asked, result = response.get("id"), response.get("result")
        if "method" in response or not isinstance(asked, str | int):
            return message
        with self._lock:
            known = self._running.pop(asked, None)
            if asked in self._listing:
                self._listing.discard(asked)
                self._declared.update(effects_of(result))
        if known is None:
            return message
        if not isinstance(result, dict):
            known.gate.settle(known.call, "failed", str(fields_of(response.get("error")).get("message", "")))
            return message
        shown = cast("dict[str, Any]", result)
        known.gate.settle(known.call, *ending(shown))
        return {**response, "result": answer(Ran(shown, known.notice))} if known.notice else message

    def _answer_followers(self) -> None:
        with self._lock:
            for asked, follower in list(self._following.items()):
                decision = follower.gate.resolve(follower.call)
                if not isinstance(decision, Follow):
                    del self._following[asked]
                    self._reply(asked, decision)

    def _reply(self, asked: object, decision: Decision) -> None:
        self._to_client(_line({"jsonrpc": "2.0", "id": asked, "result": answer(cast("Any", decision))}))


def _parse(line: bytes) -> object:
    try:
        return cast("object", json.loads(line))
    except (ValueError, RecursionError):
        return None  # not a message: the other side may say so


def _line(message: object) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
