"""The scenarios can be passed, and they can be failed: a plain loop around the gate, and three that are wrong."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from callkey import ToolCall
from samecall import Execute
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import (
    FINAL_TEXT,
    SCENARIOS,
    Call,
    Conformance,
    Driver,
    Played,
    Seen,
    Turn,
    World,
    play,
)


class Loop:
    """The smallest agent: it runs the calls of a response in threads, each through its gate."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._sessions = sessions
        self._world = world

    def play(self, turn: Turn) -> Played:
        self._sessions.gate(turn.session).new_turn()
        played = Played(failures=[])
        while calls := self._world.respond(turn.prompt, len(played.seen) and self._answered(turn, len(played.seen))):
            self._admit(turn, calls)
            with ThreadPoolExecutor(len(calls)) as pool:
                played.seen += pool.map(lambda call: self._run(turn, call, played), calls)
        played.text = FINAL_TEXT
        return played

    def _answered(self, turn: Turn, results: int) -> int:
        """Return how many whole responses so many results answer."""
        ends = [sum(map(len, turn.responses[: number + 1])) for number in range(len(turn.responses))]
        return ends.index(results) + 1

    def _admit(self, turn: Turn, calls: Any) -> None:
        self._sessions.gate(turn.session).admit([ToolCall(call.tool, call.input, call.id) for call in calls])

    def _run(self, turn: Turn, call: Call, played: Played) -> Seen:
        gate = self._sessions.gate(turn.session)
        if self._world.denies(call.tool, call.text):
            gate.settle(ToolCall(call.tool, call.input, call.id), "denied")
            return Seen(call.id, "denied", error=True)
        answer = gate.run(call.tool, call.input, lambda _: self._world.run(call.tool, call.text), call_id=call.id)
        if answer.exception:
            assert played.failures is not None
            played.failures.append(call.id)
        return Seen(call.id, f"{answer.content} {answer.notice}", answer.content, answer.error)


class Unguarded(Loop):
    """Asks nobody."""

    def _admit(self, turn: Turn, calls: Any) -> None:
        pass

    def _run(self, turn: Turn, call: Call, played: Played) -> Seen:
        return Seen(call.id, str(self._world.run(call.tool, call.text)))


class CheckThenCount(Loop):
    """Looks at the counters before a call and books it when it has run: calls that overlap do not see one another."""

    def _admit(self, turn: Turn, calls: Any) -> None:
        pass

    def _run(self, turn: Turn, call: Call, played: Played) -> Seen:
        gate = self._sessions.gate(turn.session)
        counts = gate.counts()
        assert counts is not None
        if gate.policy.max_tool_calls is not None and counts.turn.executed >= gate.policy.max_tool_calls:
            return Seen(call.id, "Tool-call budget exhausted", error=True)
        result = self._world.run(call.tool, call.text)
        gate.admit([ToolCall(call.tool, call.input, call.id)])
        gate.settle(ToolCall(call.tool, call.input, call.id), "succeeded", result)
        return Seen(call.id, str(result))


class Forgetful(Loop):
    """Does not say how a call ended."""

    def _run(self, turn: Turn, call: Call, played: Played) -> Seen:
        (decision,) = self._sessions.gate(turn.session).admit([ToolCall(call.tool, call.input, call.id)])
        ran = isinstance(decision, Execute)
        return Seen(call.id, str(self._world.run(call.tool, call.text) if ran else decision))


class TestLoop(Conformance):
    """The scenarios can be passed."""

    driver = Loop


@pytest.mark.parametrize("wrong", [Unguarded, CheckThenCount, Forgetful])
def test_a_loop_that_is_wrong_fails(wrong: Callable[[Sessions, World], Driver]) -> None:
    with pytest.raises(AssertionError):
        _play_all(wrong)


def _play_all(driver: Callable[[Sessions, World], Driver]) -> None:
    for scenario in SCENARIOS:
        play(scenario, driver)


def test_scenarios_have_names_of_their_own() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS)
