"""The ledger agrees with a model that looks through everything that ever happened."""

from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule
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
    Proposal(b"d" * 16, b"", "volatile", _W | _N, 0),
    Proposal(b"c" * 16, b"", "volatile", _N, 0),
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


class GateMachine(RuleBasedStateMachine):
    """Whatever happens in whatever order, the books and the list of everything decide the same."""

    open_calls = Bundle("open_calls")

    # A session of few different calls: they have to meet, and meet again.
    @initialize(policy=policies, few=st.lists(st.sampled_from(PROPOSALS), min_size=1, max_size=4))
    def begin(self, policy: ToolPolicy, few: list[Proposal]) -> None:
        self.policy = policy
        self.few = few
        self.desk = Desk("", "", policy, LEASE)
        self.store = MemoryStore()
        self.naive = Naive(policy, LEASE)
        self.turns = 0
        self.ids = 0
        self.turn_id = "start"
        self.store.transact("s", lambda tx: books.start_turn(tx, self.desk, self.turn_id))

    @rule(target=open_calls, batch=st.lists(st.integers(0, 3), min_size=1, max_size=3))
    def admit(self, batch: list[int]) -> object:
        chosen = [self.few[place % len(self.few)] for place in batch]
        known = [replace(p, limits=p.limits if "a" in self.policy.tool_limits else ()) for p in chosen]
        asked: list[Asked] = []
        for proposal in known:
            self.ids += 1
            asked.append(Asked(f"c{self.ids}", "tool", proposal))
        _, noted = self.store.transact("s", lambda tx: books.admit(tx, self.desk, asked, None, self.naive.now))
        again = self.store.transact("s", lambda tx: books.admit(tx, self.desk, asked, None, self.naive.now))[1]
        assert [note.held.verdict for note in again] == [note.held.verdict for note in noted]
        assert not any(note.new for note in again)
        made: list[tuple[Asked, str, Call]] = []
        for call, note in zip(asked, noted, strict=True):
            expected = self.naive.admit(call.proposal)
            assert replace(note.held.verdict, remaining=None) == expected.verdict
            if expected.runs:
                made.append((call, self.turn_id, expected))
        return multiple(*made)

    @rule(held=consumes(open_calls), outcome=st.sampled_from(["succeeded", "succeeded", "failed", "failed", "denied", "cancelled", "unknown"]), result=st.sampled_from(["", "x", "y"]))
    def settle(self, held: tuple[Asked, str, Call], outcome: Outcome, result: str) -> None:
        call, turn_id, model = held
        for new in (True, False):
            note = self.store.transact(
                "s",
                lambda tx: books.settle(tx, self.desk, call, turn_id, outcome, result, b"1", self.naive.now),
            )
            assert note is not None
            assert note.new is new
        self.naive.settle(model, outcome, result)

    @rule(seconds=st.sampled_from([1.0, 4.0, 10.0]))
    def wait(self, seconds: float) -> None:
        self.naive.now += seconds

    @rule()
    def start_turn(self) -> None:
        self.turns += 1
        self.turn_id = f"turn {self.turns}"
        self.store.transact("s", lambda tx: books.start_turn(tx, self.desk, self.turn_id))
        self.naive.new_turn()

    @rule()
    def clear_context(self) -> None:
        self.store.transact("s", lambda tx: books.forget(tx, self.desk))
        self.naive.memory += 1

    @invariant()
    def counters_agree(self) -> None:
        session = self.store.transact("s", lambda tx: books.session(tx, self.desk))
        for counters, turn in ((session.in_turn, self.naive.turn), (session.in_session, None)):
            assert counters.executed == self.naive.count("executed", turn=turn)
            assert counters.rejected == self.naive.count("reject", turn=turn)
            assert counters.reused == self.naive.count("reuse", turn=turn)


GateMachine.TestCase.settings = settings(max_examples=200, stateful_step_count=50, deadline=None)
TestLedger = pytest.mark.filterwarnings("default")(GateMachine.TestCase)
