"""The ledger agrees with a model that looks through everything that ever happened."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from samecall import Outcome, ToolPolicy, books
from samecall.books import Asked, Desk
from samecall.records import Proposal
from samecall.stores import MemoryStore

from tests.policy.naive import Call, Naive

LEASE = 10.0
_W, _N = 1, 2

# Few keys, so that they meet often; the same key always has the same effect, as with real calls.
PROPOSALS = [
    Proposal(b"r" * 16, b"", "read", _W, 0, ("a",)),
    Proposal(b"r" * 16, b"v" * 8, "read", _W, 0, ("a",)),
    Proposal(b"s" * 16, b"", "read", _W | _N, 0),
    Proposal(b"g" * 16, b"", "read", _N, 0),
    Proposal(b"e" * 16, b"", "write", _W, _W, ("a",)),
    Proposal(b"p" * 16, b"", "write", _N, _N),
    Proposal(b"u" * 16, b"", "write", _W | _N, _W | _N),
    Proposal(b"q" * 16, b"", "write", _W, _N),
    Proposal(b"d" * 16, b"", "volatile", _W | _N, 0),
    Proposal(b"c" * 16, b"", "volatile", _N, 0),
    Proposal(b"l" * 16, b"", "write", _W, _W, lingers=True),
    Proposal(b"", b"", "read", _W, 0),
    Proposal(exempt=True),
]

policies = st.builds(
    lambda dedupe, **options: ToolPolicy(dedupe_tool_calls=dedupe, **(options if dedupe else {})),
    dedupe=st.sampled_from([True, True, True, False]),
    max_tool_calls=st.sampled_from([None, None, None, 3, 12]),
    max_tool_calls_per_session=st.sampled_from([None, None, 20]),
    tool_limits=st.sampled_from([{}, {}, {"a": 2}]),
    on_duplicate_tool_call=st.sampled_from(["reject", "warn", "allow", "reuse"]),
    dedupe_scope=st.sampled_from(["turn", "session"]),
    invalidate=st.sampled_from([True, True, False]),
    retry_failures=st.sampled_from([None, 0, 1, 2]),
    poll_limit=st.sampled_from([None, 0, 1, 2]),
    max_rejections=st.sampled_from([None, None, 0, 2, 10]),
    duplicate_ttl=st.sampled_from([None, None, 4.0]),
)

outcomes = st.sampled_from(["succeeded", "succeeded", "failed", "failed", "denied", "cancelled", "unknown"])
results = st.sampled_from(["x", "x", "y", ""])


class GateMachine(RuleBasedStateMachine):
    """Whatever happens in whatever order, the books and the list of everything decide the same."""

    # A session of few different calls: they have to meet, and meet again.
    @initialize(policy=policies, few=st.lists(st.sampled_from(PROPOSALS), min_size=1, max_size=4))
    def begin(self, policy: ToolPolicy, few: list[Proposal]) -> None:
        self.desk = Desk("", "", policy, LEASE)
        self.few = [replace(call, limits=call.limits if "a" in policy.tool_limits else ()) for call in few]
        self.store = MemoryStore()
        self.naive = Naive(policy, LEASE)
        self.open: list[tuple[Asked, str, Call]] = []
        self.ids = itertools.count()
        self.turn_id = "start"
        self.store.transact("s", lambda tx: books.start_turn(tx, self.desk, self.turn_id))

    @rule(batch=st.lists(st.integers(0, 3), min_size=1, max_size=3))
    def admit(self, batch: list[int]) -> None:
        asked = [Asked(f"c{next(self.ids)}", "tool", self.few[place % len(self.few)]) for place in batch]
        expected = [self.naive.admit(call.proposal) for call in asked]
        for new in (True, False):
            _, noted = self.store.transact("s", lambda tx: books.admit(tx, self.desk, asked, None, self.naive.now))
            assert [replace(note.held.verdict, remaining=None) for note in noted] == [call.verdict for call in expected]
            assert all(note.new is new for note in noted)
        self.open += [(call, self.turn_id, model) for call, model in zip(asked, expected, strict=True) if model.runs]

    @rule(place=st.integers(0, 5), outcome=outcomes, result=results)
    def settle(self, place: int, outcome: Outcome, result: str) -> None:
        if not self.open:
            return
        call, turn_id, model = self.open.pop(place % len(self.open))
        for new in (True, False):
            note = self.store.transact(
                "s", lambda tx: books.settle(tx, self.desk, call, turn_id, outcome, result, b"1", self.naive.now)
            )
            assert note is not None
            assert note.new is new
        self.naive.settle(model, outcome, result)

    @rule(place=st.integers(0, 3), outcome=outcomes, result=results, times=st.integers(1, 4))
    def run(self, place: int, outcome: Outcome, result: str, times: int) -> None:
        for _ in range(times):
            before = len(self.open)
            self.admit([place])
            if len(self.open) > before:
                self.settle(before, outcome, result)

    @rule(what=st.sampled_from(["turn", "clear", "1", "4", "10"]))
    def interrupt(self, what: str) -> None:
        match what:
            case "turn":
                self.turn_id = f"turn {next(self.ids)}"
                self.store.transact("s", lambda tx: books.start_turn(tx, self.desk, self.turn_id))
                self.naive.new_turn()
            case "clear":
                self.store.transact("s", lambda tx: books.forget(tx, self.desk))
                self.naive.memory += 1
            case seconds:
                self.naive.now += float(seconds)

    @invariant()
    def counters_agree(self) -> None:
        session = self.store.transact("s", lambda tx: books.session(tx, self.desk))
        for counters, turn in ((session.in_turn, self.naive.turn), (session.in_session, None)):
            assert counters.executed == self.naive.count("executed", turn=turn)
            assert counters.rejected == self.naive.count("reject", turn=turn)
            assert counters.reused == self.naive.count("reuse", turn=turn)


GateMachine.TestCase.settings = settings(max_examples=300, stateful_step_count=30, deadline=None)
TestLedger = pytest.mark.filterwarnings("default")(GateMachine.TestCase)
