"""The gate from a harness's side: one answer for each call, nothing raised, and turns that are its own."""

import asyncio
import threading
import time
from typing import Any

import pytest
from callkey import ToolCall
from samecall import (
    Event,
    Execute,
    Follow,
    MemoryStore,
    Reject,
    Reuse,
    SnapshotError,
    StoreError,
    ToolCallGate,
    ToolFailedError,
    ToolPolicy,
    ToolRejected,
    Warn,
)
from samecall.adapters.mcp import guard
from samecall.adapters.sessions import Sessions

READS = {"*": "read"}


def _gate(**options: Any) -> ToolCallGate:
    given: dict[str, Any] = {"dedupeToolCalls": True, "effects": READS} | options
    return ToolCallGate(ToolPolicy(**given))


def _bash(command: str, call_id: str | None = None) -> ToolCall:
    return ToolCall("bash", {"command": command}, call_id)


class TestRun:
    """One call in, one answer out."""

    def test_a_call_that_may_run_answers_with_its_result(self) -> None:
        answer = _gate().run("bash", {"command": "ls"}, lambda given: given)
        assert (answer.content, answer.error) == ({"command": "ls"}, False)
        assert answer.to_json() == {"type": "tool_result", "name": "bash", "error": False, "content": {"command": "ls"}}

    def test_a_refused_call_does_not_run(self) -> None:
        gate = _gate(maxToolCalls=0)
        answer = gate.run("bash", {"command": "ls"}, lambda _: pytest.fail("it ran"))
        assert answer.error
        assert isinstance(answer.decision, Reject)
        assert answer.content == answer.decision.message

    def test_what_a_tool_raises_becomes_its_result(self) -> None:
        def fail(_: object) -> object:
            raise OSError("no such file")

        gate = _gate(retryFailures=0)
        answer = gate.run("bash", {"command": "cat x"}, fail)
        assert (answer.content, answer.error) == ("OSError: no such file", True)
        assert isinstance(answer.exception, OSError)
        refused = gate.run("bash", {"command": "cat x"}, fail)
        assert isinstance(refused.decision, Reject)
        assert refused.decision.reason == "repeated_failure"

    def test_a_tool_may_report_a_failure_with_a_result(self) -> None:
        def fail(_: object) -> object:
            raise ToolFailedError({"status": 1})

        answer = _gate().run("bash", {"command": "false"}, fail)
        assert (answer.content, answer.error) == ({"status": 1}, True)

    @pytest.mark.parametrize("outcome", ["denied", "unknown", "cancelled"])
    def test_a_tool_may_say_how_else_it_ended(self, outcome: Any) -> None:
        def end(_: object) -> object:
            raise ToolFailedError("no", outcome=outcome)

        gate = _gate(maxToolCalls=1)
        answer = gate.run("bash", {"command": "ls"}, end, call_id="c1")
        assert (answer.content, answer.error) == ("no", True)
        assert gate.outcome(_bash("ls", "c1")) == outcome
        counts = gate.counts()
        assert counts is not None
        assert counts.turn.executed == (0 if outcome == "denied" else 1)

    def test_a_failure_cannot_be_a_success(self) -> None:
        with pytest.raises(ValueError, match="outcome: must be failed or denied"):
            ToolFailedError("no", outcome="succeeded")

    def test_an_interrupt_passes_and_leaves_the_call_cancelled(self) -> None:
        def interrupt(_: object) -> object:
            raise KeyboardInterrupt

        gate = _gate()
        with pytest.raises(KeyboardInterrupt):
            gate.run("bash", {"command": "ls"}, interrupt, call_id="c1")
        assert gate.outcome(_bash("ls", "c1")) == "cancelled"

    def test_a_warning_comes_beside_the_result(self) -> None:
        gate = _gate(onDuplicateToolCall="warn")
        gate.run("bash", {"command": "ls"}, lambda _: "a")
        answer = gate.run("bash", {"command": "ls"}, lambda _: "a")
        assert isinstance(answer.decision, Warn)
        assert answer.notice.startswith("Call 1 (bash) did the same")
        assert answer.content == "a"

    def test_an_earlier_result_is_given_back_whole(self) -> None:
        gate = _gate(onDuplicateToolCall="reuse")
        gate.run("bash", {"command": "ls"}, lambda _: {"files": ["a", "b"]})
        answer = gate.run("bash", {"command": "ls"}, lambda _: pytest.fail("it ran"))
        assert (answer.content, answer.error) == ({"files": ["a", "b"]}, False)

    def test_a_result_that_json_would_change_is_not_given_back(self) -> None:
        gate = _gate(onDuplicateToolCall="reuse")
        gate.run("bash", {"command": "ls"}, lambda _: ("a", "b"))
        assert isinstance(gate.run("bash", {"command": "ls"}, lambda _: ()).decision, Reject)

    def test_threads_that_ask_the_same_share_one_run(self) -> None:
        gate = _gate(onDuplicateToolCall="reuse")
        runs: list[object] = []
        entered = threading.Event()

        def slow(given: object) -> str:
            runs.append(given)
            entered.set()
            time.sleep(0.1)
            return "page"

        answers: list[object] = []
        threads = [
            threading.Thread(target=lambda: answers.append(gate.run("bash", {"command": "ls"}, slow).content))
            for _ in range(5)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == ["page"] * 5
        assert len(runs) == 1


class TestAsyncRun:
    """The same for asynchronous tools."""

    def test_parallel_calls_stay_within_the_limit_and_share_results(self) -> None:
        async def slow(_: object) -> str:
            await asyncio.sleep(0.05)
            return "page"

        async def main() -> list[Any]:
            gate = _gate(maxToolCalls=2, onDuplicateToolCall="reuse")
            calls = [gate.arun("bash", {"command": command}, slow) for command in ("a", "b", "a", "c")]
            return [answer.content for answer in await asyncio.gather(*calls)]

        first, second, third, fourth = asyncio.run(main())
        assert first == second == "page"
        assert fourth == third == "Tool-call budget exhausted: 2/2. Write the best answer from gathered sources."

    def test_a_copy_waits_for_the_first(self) -> None:
        async def slow(_: object) -> str:
            await asyncio.sleep(0.05)
            return "page"

        async def main() -> list[Any]:
            gate = _gate(onDuplicateToolCall="reuse")
            answers = await asyncio.gather(*(gate.arun("bash", {"command": "a"}, slow) for _ in range(3)))
            return [type(answer.decision) for answer in answers]

        assert asyncio.run(main()) == [Execute, Reuse, Reuse]

    def test_a_cancelled_task_leaves_the_call_cancelled(self) -> None:
        async def main() -> object:
            gate = _gate()
            entered = asyncio.Event()

            async def forever(_: object) -> None:
                entered.set()
                await asyncio.sleep(60)

            task = asyncio.create_task(gate.arun("bash", {"command": "a"}, forever, call_id="c1"))
            await entered.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return gate.outcome(_bash("a", "c1"))

        assert asyncio.run(main()) == "cancelled"

    def test_a_failure_is_an_answer(self) -> None:
        async def fail(_: object) -> object:
            raise ValueError("bad")

        answer = asyncio.run(_gate().arun("bash", {"command": "a"}, fail))
        assert (answer.content, answer.error) == ("ValueError: bad", True)

    def test_a_store_that_waits_does_not_hold_up_the_loop(self) -> None:
        class Slow(MemoryStore):
            blocking = True

            def transact(self, session_id: Any, work: Any) -> Any:
                time.sleep(0.05)
                return super().transact(session_id, work)

        async def main() -> int:
            gate = ToolCallGate(store=Slow())
            ticks = 0

            async def tick() -> None:
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0.005)

            ticking = asyncio.create_task(tick())

            async def ok(_: object) -> str:
                return "ok"

            await gate.arun("ls", {}, ok)
            ticking.cancel()
            return ticks

        assert asyncio.run(main()) > 3


class TestFollowers:
    """Under ``reuse`` an equal call waits for the first one's end."""

    @pytest.mark.parametrize(
        ("outcome", "result", "told"),
        [
            ("denied", None, "Not run: call 1 (bash) was the same and ran at the same time, but it ended without"),
            ("cancelled", None, "Not run: call 1 (bash) was the same"),
            ("unknown", "?", "Not run: call 1 (bash) was the same"),
            ("failed", {1, 2}, "Not run: call 1 (bash) was the same"),
            (
                "succeeded",
                {1, 2},
                "Duplicate tool call suppressed; use the previous result. Call 1 (bash) did the same",
            ),
        ],
    )
    def test_what_cannot_be_shared_is_told_as_it_is(self, outcome: Any, result: object, told: str) -> None:
        events: list[Event] = []
        policy = ToolPolicy(dedupeToolCalls=True, effects={"*": "read"}, onDuplicateToolCall="reuse")
        gate = ToolCallGate(policy, on_event=events.append)
        _, follow = gate.admit([_bash("ls", "c1"), _bash("ls", "c2")])
        assert isinstance(follow, Follow)
        gate.settle(_bash("ls", "c1"), outcome, result)
        refused = gate.resolve(_bash("ls", "c2"))
        assert isinstance(refused, Reject)
        assert refused.message.startswith(told)
        assert gate.admit([_bash("ls", "c2")]) == [refused]
        (told_of,) = [event for event in events if isinstance(event, ToolRejected)]
        assert refused.message.startswith(told_of.message)


class TestConstruction:
    """A mistake is told where it is made, and does not look like an outage later."""

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (
                {"policy": {"maxToolCalls": 6}},
                r"policy: must be a ToolPolicy, not dict; .*ToolPolicy\(maxToolCalls=6\)",
            ),
            ({"policy": {}}, "policy: must be a ToolPolicy"),
            ({"policy": "x"}, "policy: must be a ToolPolicy"),
            ({"store": "x.db"}, r"store: must be a Store: .*SQLiteStore\(path\).*, not str"),
            ({"store": MemoryStore}, "store: must be a Store"),
            ({"on_event": 5}, "on_event: must be callable, not int"),
            ({"clock": 5.0}, "clock: must be callable"),
            ({"session_id": 7}, "session_id: must be text, not int"),
            ({"lease": "1h"}, "lease: must be a number, not str"),
            ({"result_limit": None}, "result_limit: must be a number"),
        ],
    )
    def test_a_wrong_type_is_named(self, arguments: dict[str, Any], told: str) -> None:
        with pytest.raises(TypeError, match=told):
            ToolCallGate(**arguments)

    def test_a_number_out_of_range_is_named(self) -> None:
        with pytest.raises(ValueError, match="lease: must be a number from 0, not -1"):
            ToolCallGate(lease=-1)

    @pytest.mark.parametrize("policy", [None, {}, "x"])
    def test_adapters_say_the_same(self, policy: Any) -> None:
        with pytest.raises(TypeError, match="policy: must be a ToolPolicy or Sessions"):
            guard(policy)
        with pytest.raises(TypeError, match="store: must be a Store"):
            Sessions(ToolPolicy(), store="x.db")  # type: ignore[arg-type]  # the mistake


class TestIds:
    """Calls are told apart by turn, id and work."""

    def test_a_call_without_id_is_given_one_and_can_be_settled_without(self) -> None:
        gate = _gate()
        first, second = gate.admit([_bash("a"), _bash("b")])
        assert first.call_id != second.call_id
        assert gate.settle(_bash("b"), "succeeded", "x")
        assert gate.settle(_bash("a", first.call_id), "succeeded", "x")
        assert not gate.settle(_bash("a"), "succeeded", "x")

    def test_two_equal_calls_without_ids_are_settled_one_after_the_other(self) -> None:
        gate = _gate(onDuplicateToolCall="allow")
        gate.admit([_bash("a"), _bash("a")])
        assert [gate.settle(_bash("a"), "succeeded") for _ in range(3)] == [True, True, False]

    def test_ids_of_long_ago_are_let_go(self) -> None:
        gate = _gate(dedupeToolCalls=False, effects={})
        for number in range(5000):
            call = _bash("ls", f"c{number}")
            gate.admit([call])
            gate.settle(call, "succeeded")
        snapshot: dict[str, Any] = dict(gate.snapshot() or {})
        assert len(snapshot["records"]) < 2100
        assert gate.outcome(_bash("ls", "c4999")) == "succeeded"

    def test_a_reservation_of_long_ago_is_not_let_go(self) -> None:
        gate = _gate(dedupeToolCalls=False, effects={})
        gate.admit([_bash("slow", "first")])
        for number in range(5000):
            gate.run("bash", {"command": "ls"}, lambda _: "x", call_id=f"c{number}")
        assert gate.settle(_bash("slow", "first"), "succeeded")


class TestTurns:
    """Turns are named by the harness."""

    def test_admitting_with_a_turn_starts_it(self) -> None:
        events: list[Event] = []
        gate = ToolCallGate(ToolPolicy(maxToolCalls=1), on_event=events.append)
        for turn in ("p1", "p1", "p2"):
            gate.admit([_bash("ls")], turn=turn)
        assert [event.type for event in events] == [
            "turn_started", "tool_call_started", "tool_rejected", "turn_started", "tool_call_started",
        ]  # fmt: skip

    def test_turns_are_numbered(self) -> None:
        gate = ToolCallGate()
        assert [gate.new_turn(), gate.new_turn("a"), gate.new_turn("a"), gate.new_turn()] == [1, 2, 2, 3]

    def test_two_gates_on_one_store_share_the_session(self) -> None:
        store = MemoryStore()
        gates = [ToolCallGate(ToolPolicy(maxToolCalls=1), store=store, session_id="s") for _ in range(2)]
        assert isinstance(gates[0].admit([_bash("ls", "a")])[0], Execute)
        assert isinstance(gates[1].admit([_bash("pwd", "b")])[0], Reject)
        assert gates[1].settle(_bash("ls", "a"), "succeeded")


class TestRemaining:
    """A decision says how much is left."""

    def test_it_counts_down_within_a_batch(self) -> None:
        gate = ToolCallGate(ToolPolicy(maxToolCalls=2))
        first, second = gate.admit([_bash("a"), _bash("b")])
        assert isinstance(first, Execute)
        assert isinstance(second, Execute)
        assert (first.remaining, second.remaining) == (1, 0)

    def test_the_message_of_a_duplicate_says_it(self) -> None:
        gate = _gate(maxToolCalls=6)
        gate.run("bash", {"command": "a"}, lambda _: "x")
        answer = gate.run("bash", {"command": "a"}, lambda _: "x")
        assert str(answer.content).endswith("5 tool calls are left.")


class TestChildren:
    """A subagent's gate."""

    def test_a_child_is_found_again_by_its_name(self) -> None:
        gate = _gate(maxToolCalls=9)
        gate.child(2, name="kid").run("bash", {"command": "a"}, lambda _: "x")
        again = gate.child(2, name="kid").run("bash", {"command": "a"}, lambda _: "x")
        assert isinstance(again.decision, Reject)

    def test_children_without_a_name_have_books_of_their_own(self) -> None:
        gate = _gate(maxToolCalls=9)
        for _ in range(2):
            assert not gate.child(2).run("bash", {"command": "a"}, lambda _: "x").error

    def test_a_grandchild_of_the_pool_spends_the_same_budget(self) -> None:
        gate = _gate(maxToolCalls=1)
        gate.child("pool").child("pool").run("bash", {"command": "a"}, lambda _: "x")
        assert gate.run("bash", {"command": "b"}, lambda _: "x").error

    def test_a_child_without_limit_is_possible(self) -> None:
        child = _gate(maxToolCalls=1).child(None)
        assert not any(child.run("bash", {"command": str(n)}, lambda _: "x").error for n in range(4))

    def test_events_name_the_child(self) -> None:
        events: list[Event] = []
        gate = ToolCallGate(ToolPolicy(), on_event=events.append)
        gate.child(name="kid").run("ls", {}, lambda _: "x")
        assert {event.agent for event in events} == {"/kid"}


class TestSnapshots:
    """A session can be kept elsewhere."""

    @pytest.mark.parametrize(
        "wrong", [None, 3, {}, {"v": 2, "records": []}, {"v": 1, "records": [["a", "zz", ""]]}, []]
    )
    def test_what_is_no_snapshot_is_refused(self, wrong: object) -> None:
        with pytest.raises(SnapshotError):
            ToolCallGate().restore(wrong)

    def test_children_are_part_of_it(self) -> None:
        gate = _gate()
        gate.child(name="kid").run("bash", {"command": "a"}, lambda _: "x")
        other = _gate()
        assert other.restore(gate.snapshot())
        assert isinstance(other.child(name="kid").run("bash", {"command": "a"}, lambda _: "x").decision, Reject)


class TestBrokenStores:
    """Whatever a store raises stays in the gate."""

    class Broken(MemoryStore):
        """Fails in a way that is not even a store's."""

        def transact(self, session_id: Any, work: Any) -> Any:  # noqa: ARG002 - the store's signature
            raise ZeroDivisionError

    def test_nothing_is_raised(self) -> None:
        gate = ToolCallGate(ToolPolicy(), store=self.Broken())
        (decision,) = gate.admit([_bash("ls", "a")])
        assert isinstance(decision, Reject)
        assert decision.reason == "store_unavailable"
        assert gate.settle(_bash("ls", "a"), "succeeded") is False
        assert gate.new_turn() is None
        assert gate.counts() is None
        assert gate.snapshot() is None
        assert gate.restore({"v": 1, "records": []}) is False
        assert gate.outcome(_bash("ls", "a")) is None
        assert isinstance(gate.resolve(_bash("ls", "a")), Reject)
        gate.note_context_cleared()
        gate.finish_turn("text")

    def test_an_open_gate_lets_calls_run_and_leaves_a_trace(self) -> None:
        events: list[Event] = []
        gate = ToolCallGate(ToolPolicy(onStoreError="open"), store=self.Broken(), on_event=events.append)
        assert not gate.run("ls", {}, lambda _: "x").error
        assert [event.type for event in events] == ["tool_warned"]

    def test_a_store_error_is_one_of_ours(self) -> None:
        assert issubclass(StoreError, Exception)


def test_a_follower_that_outlives_its_leader_is_refused() -> None:
    now = [0.0]
    policy = ToolPolicy(dedupeToolCalls=True, onDuplicateToolCall="reuse", effects={"*": "read"})
    gate = ToolCallGate(policy, clock=lambda: now[0], lease=60)
    first, second = gate.admit([_bash("a", "1"), _bash("a", "2")])
    assert isinstance(first, Execute)
    assert isinstance(second, Follow)
    now[0] = 60.0
    assert isinstance(gate.resolve(_bash("a", "2")), Reject)


def test_inputs_that_are_no_json_are_keyed_all_the_same() -> None:
    gate = _gate()
    loop: list[object] = []
    loop.append(loop)
    for given in ("\ud800", float("nan"), {"a": b"\x00"}, {1: {2: object}}, None, "x" * 1_000_000, loop):
        answer = gate.run("odd", given, lambda _: "x")
        assert answer.content == "x"


def test_an_unknown_outcome_is_refused_with_those_that_exist() -> None:
    gate = ToolCallGate()
    call = ToolCall("ls", {}, "c")
    gate.admit([call])
    with pytest.raises(ValueError, match="no outcome 'ok'; there are succeeded, failed, denied, cancelled, unknown"):
        gate.settle(call, "ok")  # type: ignore[arg-type]


def test_run_refuses_an_asynchronous_tool_before_it_counts() -> None:
    gate = ToolCallGate()

    async def search(_input: object) -> str:
        return "found"

    with pytest.raises(TypeError, match="arun"):
        gate.run("search", {}, search)
    counts = gate.counts()
    assert counts is not None
    assert counts.turn.attempted == 0
