"""Run the scenarios of ``tests/conformance/gate.json``: the format is described at its top."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from callkey import ToolCall
from samecall import (
    Counters,
    Decision,
    Event,
    Execute,
    Follow,
    Reject,
    Reuse,
    StoreError,
    ToolCallGate,
    ToolPolicy,
    Transaction,
    Warn,
)
from samecall.stores import Store
from samecall.stores.protocol import Result

SCENARIOS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "conformance" / "gate.json").read_text(encoding="utf-8")
)["scenarios"]


def _raise(call: ToolCall) -> str:
    raise RuntimeError(call.name)


KEYS: dict[str, Callable[[ToolCall], str | None]] = {
    "tool name": lambda call: call.name,
    "none": lambda _: None,
    "raises": _raise,
}


class Switch:
    """A store that can be unplugged."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.up = True
        self.blocking = store.blocking

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        if not self.up:
            raise StoreError("unplugged")
        return self.store.transact(session_id, work)


class Player:
    """Plays one scenario on one store; every event is kept in ``events``."""

    def __init__(self, scenario: dict[str, Any], store: Store, session_id: str) -> None:
        self.events: list[Event] = []
        self._scenario = scenario
        self._store = Switch(store)
        self._now = 1_000_000.0
        self._ids = (f"call-{number}" for number in itertools.count(1))
        self._calls: dict[str, ToolCall] = {}
        self._results = (f"result {number}" for number in itertools.count(1))
        self._snapshots: dict[str, object] = {}
        self._gates = {"": self._open(session_id)}

    def play(self) -> None:
        for number, step in enumerate(self._scenario["steps"], 1):
            for _ in range(step.get("times", 1)):
                self._take(step, f"{self._scenario['name']}: step {number}")

    def _open(self, session_id: str) -> ToolCallGate:
        policy: dict[str, Any] = dict(self._scenario["policy"])
        if "key" in self._scenario:
            policy["toolCallKey"] = KEYS[self._scenario["key"]]
        return ToolCallGate(
            ToolPolicy(**policy),
            store=self._store,
            session_id=session_id,
            on_event=self.events.append,
            clock=lambda: self._now,
            lease=self._scenario.get("lease", 3600),
            result_limit=self._scenario.get("resultLimit", 1_000_000),
        )

    def _take(self, step: dict[str, Any], where: str) -> None:
        gate = self._gates[step.get("agent", "")]
        match step:
            case {"run": call}:
                self._run(gate, self._call(call), step, where)
            case {"batch": calls, "expect": expected}:
                assert [told(decision) for decision in gate.admit([self._call(call) for call in calls])] == expected, (
                    where
                )
            case {"settle": call_id, "outcome": outcome, "result": result, "expect": expected}:
                call = self._named(call_id, step)
                assert gate.settle(call, outcome, result, turn=step.get("turn")) is expected, where
            case {"resolve": call_id, "expect": expected}:
                decision = gate.resolve(self._calls[call_id])
                assert told(decision) == expected, where
                if "reused" in step:
                    assert isinstance(decision, Reuse), where
                    assert decision.result == step["reused"], where
            case {"outcome": call_id, "expect": expected}:
                assert gate.outcome(self._calls[call_id]) == expected, where
            case {"counts": expected}:
                counts = gate.counts()
                assert counts is not None, where
                assert counts.turn == Counters(**expected), where
            case {"newTurn": turn}:
                gate.new_turn(turn)
            case {"contextCleared": True}:
                gate.note_context_cleared()
            case {"advance": seconds}:
                self._now += seconds
            case {"snapshot": name}:
                self._snapshots[name] = json.loads(json.dumps(gate.snapshot()))
            case {"restore": name}:
                assert gate.restore(self._snapshots[name]), where
            case {"resume": name}:
                self._gates[""] = self._open(f"{gate.session_id}, resumed")
                assert self._gates[""].restore(self._snapshots[name]), where
            case {"store": state}:
                self._store.up = state == "up"
            case {"child": name, "share": share}:
                self._gates[name] = gate.child(share, name=name)
            case _:
                raise AssertionError(f"{where}: unknown step")

    def _run(self, gate: ToolCallGate, call: ToolCall, step: dict[str, Any], where: str) -> None:
        (decision,) = gate.admit([call])
        assert told(decision) == step["expect"], where
        assert decision.call_id == call.id, where
        if "reused" in step:
            assert isinstance(decision, Reuse), where
            assert decision.result == step["reused"], where
        if isinstance(decision, Execute | Warn):
            result = next(self._results) if step.get("results") == "changing" else step.get("result", "ok")
            settled = gate.settle(call, step.get("outcome", "succeeded"), result)
            assert settled is step.get("settled", True), where

    def _call(self, given: str | dict[str, Any]) -> ToolCall:
        match given:
            case str():
                call = ToolCall("bash", {"command": given}, next(self._ids))
            case {"tool": name, "input": arguments}:
                call = ToolCall(name, arguments, given.get("id") or next(self._ids))
            case _:
                call = ToolCall("bash", {"command": given["command"]}, given["id"])
        self._calls[str(call.id)] = call
        return call

    def _named(self, call_id: str, step: dict[str, Any]) -> ToolCall:
        if "command" in step:
            return ToolCall("bash", {"command": step["command"]}, call_id)
        return self._calls[call_id]


def told(decision: Decision) -> str:
    """Write a decision as the scenarios do."""
    match decision:
        case Execute():
            words = ["execute"]
        case Warn():
            words = ["warn", decision.reason]
        case Reject():
            words = ["reject", decision.reason]
        case Reuse():
            words = ["reuse"]
        case Follow():
            words = ["follow"]
    if decision.duplicate_of is not None:
        words += ["of", str(decision.duplicate_of)]
    match decision:
        case Reject():
            words += ["stop"] * decision.stop + ["other view"] * decision.other_view
        case Reuse():
            words += ["failed"] * decision.failed
        case _:
            pass
    return " ".join(words)
