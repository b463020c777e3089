"""A model of the gate that keeps everything that ever happened and looks it all through for each decision.

Slow and simple on purpose: no epochs, no entries, no counters, only a list of calls and a list of happenings.
"""

from dataclasses import dataclass, field, replace

from samecall import Outcome, ToolPolicy
from samecall.records import Proposal, Verdict, VerdictKind


@dataclass
class Happening:
    """Something in the order in which it happened."""

    what: str  # "admit", "settle"
    call: "Call"


@dataclass
class Call:
    ordinal: int
    proposal: Proposal
    turn: int
    memory: int
    time: float
    deadline: float
    verdict: Verdict
    failures_before: int = 0
    outcome: Outcome | None = None
    proven: Outcome | None = None
    result: str = ""

    @property
    def runs(self) -> bool:
        return self.verdict.kind in {"execute", "warn"}


@dataclass
class Naive:
    policy: ToolPolicy
    lease: float
    now: float = 0.0
    turn: int = 1
    memory: int = 1
    calls: list[Call] = field(default_factory=list[Call])
    log: list[Happening] = field(default_factory=list[Happening])

    def new_turn(self) -> None:
        self.turn += 1
        if self.policy.dedupe_scope == "turn":
            self.memory += 1

    def admit(self, proposal: Proposal) -> Call:
        something_runs = any(past.call.proposal.lingers for past in self.log)
        if something_runs and self.policy.invalidate and proposal.kind == "read" and proposal.depends & 1:
            proposal = replace(proposal, kind="volatile")
        verdict = self._decide(proposal)
        failures = self._failures(proposal)[0]
        call = Call(
            verdict.ordinal, proposal, self.turn, self.memory, self.now, self.now + self.lease, verdict, failures
        )
        self.calls.append(call)
        if call.runs and not proposal.exempt:
            self.log.append(Happening("admit", call))
        return call

    def settle(self, call: Call, outcome: Outcome, result: str) -> None:
        call.outcome, call.result = outcome, result
        call.proven = outcome if self.now < call.deadline else "unknown"
        if not call.proposal.exempt:
            self.log.append(Happening("settle", call))

    def count(self, what: str, *, turn: int | None) -> int:
        return sum(
            1
            for call in self.calls
            if not call.proposal.exempt
            and turn in {None, call.turn}
            and (call.runs and call.outcome != "denied" if what == "executed" else call.verdict.kind == what)
        )

    def _decide(self, proposal: Proposal) -> Verdict:
        policy, ordinal = self.policy, len(self.calls) + 1
        if proposal.exempt:
            return Verdict("execute", ordinal)
        found = self._limit(proposal) or (self._repeat(proposal) if policy.dedupe_tool_calls else None)
        rejected = self.count("reject", turn=self.turn)
        kind: VerdictKind = found.kind if found else "execute"
        if kind != "reject" and policy.max_rejections is not None and rejected >= max(policy.max_rejections, 1):
            found = Verdict("reject", ordinal, "max_rejections", None, policy.max_rejections, rejected)
        if found is None:
            return Verdict("execute", ordinal)
        stop = found.kind == "reject" and policy.max_rejections is not None and rejected + 1 >= policy.max_rejections
        reason = None if found.kind == "execute" else found.reason
        return Verdict(
            found.kind, ordinal, reason, found.duplicate_of, found.limit, found.count,
            found.other_view, found.in_flight, stop,
        )  # fmt: skip

    def _limit(self, proposal: Proposal) -> Verdict | None:
        policy, turn = self.policy, self.turn
        total, spent = self.count("executed", turn=None), self.count("executed", turn=turn)
        if policy.max_tool_calls_per_session is not None and total >= policy.max_tool_calls_per_session:
            return Verdict("reject", 0, "max_tool_calls_per_session", None, policy.max_tool_calls_per_session, total)
        if policy.max_tool_calls is not None and spent >= policy.max_tool_calls:
            return Verdict("reject", 0, "max_tool_calls", None, policy.max_tool_calls, spent)
        for name in proposal.limits:
            used = sum(
                1
                for call in self.calls
                if call.runs and call.outcome != "denied" and call.turn == turn and name in call.proposal.limits
            )
            if used >= policy.tool_limits[name]:
                return Verdict("reject", 0, "tool_limit", None, policy.tool_limits[name], used)
        return None

    def _repeat(self, proposal: Proposal) -> Verdict | None:
        if not proposal.digest:
            return None
        if proposal.kind == "volatile":
            return self._poll(proposal)
        for call in reversed(self._equal(proposal)):
            running = call.outcome is None and self.now < call.deadline and call.turn == self.turn
            ttl = self.policy.duplicate_ttl
            good = call.proven == "succeeded" and (ttl is None or self.now - call.time < ttl)
            if (running or good) and not self._changed_since(call):
                other = call.proposal.view != proposal.view
                usable = not other and (running or self._kept(proposal) is call)
                kind = self._answer("running" if running else "settled", usable=usable)
                return Verdict(
                    kind, 0, "duplicate_tool_call", call.ordinal, other_view=other, in_flight=running
                )  # fmt: skip
        count, last = self._failures(proposal)
        if last is not None and self.policy.retry_failures is not None and count > self.policy.retry_failures:
            kind = self._answer("settled", usable=False)
            return Verdict(kind, 0, "repeated_failure", last.ordinal, self.policy.retry_failures, count)
        return None

    def _answer(self, state: str, *, usable: bool) -> VerdictKind:
        match self.policy.on_duplicate_tool_call:
            case "reject":
                return "reject"
            case "warn":
                return "warn"
            case "allow":
                return "execute"
            case "reuse":
                if not usable:
                    return "reject"
                return "follow" if state == "running" else "reuse"

    def _equal(self, proposal: Proposal) -> list[Call]:
        return [
            call
            for call in self.calls
            if call.runs and call.memory == self.memory and call.proposal.digest == proposal.digest
        ]

    def _kept(self, proposal: Proposal) -> Call | None:
        stored = [
            past.call
            for past in self.log
            if past.what == "settle"
            and past.call.memory == self.memory
            and past.call.proposal.digest == proposal.digest
            and past.call.proven in {"succeeded", "failed"}
        ]
        return stored[-1] if stored and stored[-1].proven == "succeeded" else None

    def _changed_since(self, call: Call) -> bool:
        """Look for anything that somebody else did since and that may have changed what the call depends on."""
        if not self.policy.invalidate:
            return False
        mask = call.proposal.depends | call.proposal.changes
        start = next(place for place, past in enumerate(self.log) if past.call is call)
        return any(
            past.call is not call and past.call.proposal.changes & mask and not self._never_ran(past)
            for past in self.log[start + 1 :]
        )

    @staticmethod
    def _never_ran(past: Happening) -> bool:
        return past.what == "settle" and past.call.outcome == "denied"

    def _failures(self, proposal: Proposal) -> tuple[int, Call | None]:
        if not self.policy.dedupe_tool_calls or not proposal.digest or proposal.kind == "volatile":
            return 0, None
        equal = self._equal(proposal)
        last = next((call for call in reversed(equal) if call.proven in {"failed", "succeeded"}), None)
        ttl = self.policy.duplicate_ttl
        if last is None or last.proven == "succeeded" or self._changed_since(last):
            return 0, None
        if ttl is not None and self.now - last.time >= ttl:
            return 0, None
        return last.failures_before + 1, last

    def _poll(self, proposal: Proposal) -> Verdict | None:
        """Play all that happened again: which run are we in, how long, since when has its result not changed."""
        limit = self.policy.poll_limit
        digest, length, same, last, result = b"", 0, 0, 0, ""
        for past in self.log:
            call = past.call
            if past.what == "admit" and call.memory == self.memory:
                if call.proposal.digest and call.proposal.digest == digest:
                    length, same = length + 1, same + 1
                else:
                    digest, length, same, result = call.proposal.digest, 1, 1, ""
                last = call.ordinal
            elif past.what == "settle" and self._shows(call, digest):
                same = 1 if result and call.result != result else same
                result = call.result
        if limit is None or digest != proposal.digest:
            return None
        kind = self._answer("settled", usable=False)
        if same > limit:
            return Verdict(kind, 0, "poll_limit", last, limit, same)
        if length > 3 * limit:
            return Verdict(kind, 0, "poll_limit", last, 3 * limit, length)
        return None

    @staticmethod
    def _shows(call: Call, digest: bytes) -> bool:
        return bool(digest and call.result) and call.proposal.digest == digest and call.proposal.kind == "volatile"
