"""Play the scenarios of ``tests/conformance/adapters.json`` on one framework: the format is described at their top.

A framework's test file supplies a ``Driver`` (its agent with a scripted model and guarded tools), says in ``limits``
what its seam cannot do, and inherits ``Conformance``.
"""

import json
import os
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import pytest
from jsonschema import Draft202012Validator
from samecall import (
    Event,
    MemoryStore,
    ToolCallFinished,
    ToolCallStarted,
    ToolPolicy,
    ToolRejected,
    ToolReused,
    ToolWarned,
    TurnStarted,
    schema,
    to_json,
)
from samecall.adapters.sessions import Sessions

SCENARIOS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "conformance" / "adapters.json").read_text(encoding="utf-8")
)["scenarios"]

TOOLS: Mapping[str, str] = {"bash": "command", "lookup": "id", "job_status": "job"}
"""Each tool and its one argument, a text."""

FINAL_TEXT = "That is my answer."
"""What the model says once its calls are answered."""

Need: TypeAlias = Literal["batch", "reuse", "denial", "subagent", "sessions"]

OVERLAP_SECONDS = 0.01
"""How long a tool takes: calls that are started together overlap."""

_ENDS = {"result": "succeeded", "warned": "succeeded", "failure": "failed", "denied": "denied"}
"""What a model must read to how the call ended."""

_VALIDATOR = Draft202012Validator(schema())


def need_framework(module: str) -> None:
    """Skip a test file whose framework is not installed. Where frameworks are required, that is a failure."""
    if os.environ.get("SAMECALL_FRAMEWORKS") == "required":
        import_module(module)
    else:
        pytest.importorskip(module, reason=f"{module} is not installed")


class ToolBrokenError(Exception):
    """A tool of a scenario fails as it is told to."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call that the model makes."""

    id: str
    tool: str
    text: str
    """The tool's argument."""

    @property
    def input(self) -> dict[str, str]:
        """Return the arguments as the model writes them."""
        return {TOOLS[self.tool]: self.text}


@dataclass(frozen=True, slots=True)
class Seen:
    """One tool result as the model reads it."""

    call_id: str
    text: str
    structured: object = None
    """The payload beside or behind the text, where the framework has one."""
    error: bool | None = None
    """Whether the model is told that it is an error; ``None`` where the framework cannot say."""


@dataclass(slots=True)
class Played:
    """What came of one turn."""

    seen: list[Seen] = field(default_factory=list)
    """Every tool result that reached the model, in any order."""
    failures: list[str] | None = None
    """Ids of the calls that the framework's own failure handling took notice of; ``None`` where there is none."""
    text: str = FINAL_TEXT
    """The final answer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one session: what the user says, and how the model answers."""

    session: str
    agent: str
    prompt: str
    """The user's text: it names the turn, so that a model without memory knows which script it follows."""
    responses: Sequence[Sequence[Call]]


class World:
    """What the model says and what the tools do: the same for every framework."""

    def __init__(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Read the script."""
        self.turns: dict[str, Turn] = {}
        self.ran: list[tuple[str, str]] = []
        self._outcomes: dict[tuple[str, str], deque[tuple[str, object]]] = defaultdict(deque)
        self._denied: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        for number, (_, step) in enumerate(_turns(steps), 1):
            prompt = f"Do turn {number}."
            responses = [[_call(call) for call in response] for response in step["responses"]]
            self.turns[prompt] = Turn(step.get("session", "main"), step.get("agent", ""), prompt, responses)
            for call in (call for response in step["responses"] for call in response):
                self._expect(call)

    def respond(self, prompt: str, answered: int) -> Sequence[Call]:
        """Return the model's next calls in the turn that ``prompt`` began, after ``answered`` responses of it.

        Nothing: the model ends the turn with ``FINAL_TEXT``.
        """
        responses = self.turns[prompt].responses
        return responses[answered] if answered < len(responses) else ()

    def run(self, tool: str, text: str) -> Any:
        """Be the tool: return what it gives, or raise ``ToolBrokenError``."""
        with self._lock:
            self.ran.append((tool, text))
            outcomes = self._outcomes[tool, text]
            outcome, gives = outcomes.popleft() if outcomes else ("result", "this call was not expected to run")
        time.sleep(OVERLAP_SECONDS)
        if outcome == "failure":
            raise ToolBrokenError(str(gives))
        return gives

    def denies(self, tool: str, text: str) -> bool:
        """Say whether somebody other than the gate denies this call."""
        return (tool, text) in self._denied

    def _expect(self, call: Mapping[str, Any]) -> None:
        made = _call(call)
        match call["expect"]:
            case "result" | "warned":
                self._outcomes[made.tool, made.text].append(("result", call.get("gives", "ok")))
            case "failure":
                self._outcomes[made.tool, made.text].append(("failure", call["gives"]))
            case "denied":
                self._denied.add((made.tool, made.text))
            case _:
                pass


class Driver(Protocol):
    """A framework's agent. It is built once, with guarded tools, and then plays turns, perhaps several at once."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        """Build the agent: its model is ``world.respond``, its tools are ``world.run``, guarded by ``sessions``."""
        ...

    def play(self, turn: Turn) -> Played:
        """Let the agent do one turn of ``turn.session``, beginning with ``turn.prompt``."""
        ...


def told(events: Sequence[Event]) -> list[str]:
    """Return what happened to calls, in short: the event's type, or how the call ended."""
    return [
        event.outcome if isinstance(event, ToolCallFinished) else event.type
        for event in events
        if not isinstance(event, TurnStarted)
    ]


class Conformance:
    """Every adapter does what the scenarios say."""

    driver: ClassVar[type[Driver]]
    limits: ClassVar[Mapping[Need, str]] = {}
    """What the seam cannot do, and why."""

    @pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: str(scenario["name"]))
    def test_the_framework_does_as_the_scenario_says(self, scenario: dict[str, Any]) -> None:
        for need in scenario.get("needs", []):
            if need in self.limits:
                pytest.skip(f"{need}: {self.limits[need]}")
        play(scenario, type(self).driver)


def play(scenario: Mapping[str, Any], driver: Callable[[Sessions, World], Driver]) -> None:
    """Play one scenario; raise ``AssertionError`` where the framework does something else."""
    _Player(scenario, driver).play()


class _Player:
    """One scenario on one framework."""

    def __init__(self, scenario: Mapping[str, Any], driver: Callable[[Sessions, World], Driver]) -> None:
        self._steps: Sequence[Mapping[str, Any]] = scenario["steps"]
        self._policy = ToolPolicy(**scenario["policy"])
        self._make = driver
        self._world = World(self._steps)
        self._store = MemoryStore()
        self._events: list[Event] = []
        self._sessions = self._open()
        self._drivers: dict[str, Driver] = {}

    def play(self) -> None:
        turns = iter(self._world.turns.values())
        for step in self._steps:
            together = step.get("together", [step])
            driver = self._driver(step)
            begun = len(self._events), len(self._world.ran)
            chosen = [next(turns) for _ in together]
            if len(chosen) == 1:
                played = [driver.play(chosen[0])]
            else:
                with ThreadPoolExecutor(len(chosen)) as pool:
                    played = list(pool.map(driver.play, chosen))
            self._check_runs(together, self._world.ran[begun[1] :])
            for part, turn, result in zip(together, chosen, played, strict=True):
                events = [
                    event for event in self._events[begun[0] :] if event.session_id.rpartition("/")[2] == turn.session
                ]
                _check(part, turn, result, events)

    def _open(self) -> Sessions:
        return Sessions(self._policy, store=self._store, on_event=self._events.append)

    def _driver(self, step: Mapping[str, Any]) -> Driver:
        name = step.get("agent", "")
        if step.get("resumed"):
            self._sessions = self._open()
            self._drivers = {}
        if name not in self._drivers:
            sessions = self._sessions.child(step["share"], name=name) if name else self._sessions
            self._drivers[name] = self._make(sessions, self._world)
        return self._drivers[name]

    def _check_runs(self, parts: Sequence[Mapping[str, Any]], ran: list[tuple[str, str]]) -> None:
        """Compare what ran: response by response, since the calls of one response may run in any order."""
        if len(parts) > 1:
            assert Counter(ran) == Counter(_expected_runs(response for part in parts for response in part["responses"]))
            return
        rest = iter(ran)
        for response in parts[0]["responses"]:
            expected = _expected_runs([response])
            assert Counter(islice(rest, len(expected))) == Counter(expected)
        assert list(rest) == []


def _check(part: Mapping[str, Any], turn: Turn, played: Played, events: Sequence[Event]) -> None:
    """Compare what the model read, what the framework noticed, and what the gate said."""
    calls = [call for response in part["responses"] for call in response]
    ids = [call["id"] for call in calls]
    assert Counter(one.call_id for one in played.seen) == Counter(ids), "exactly one result for every call id"
    assert played.text == FINAL_TEXT
    seen = {one.call_id: one for one in played.seen}
    told = deque(event for event in events if isinstance(event, ToolRejected))
    failures = {call["id"]: call["gives"] for call in calls if call["expect"] == "failure"}
    for call in calls:
        _check_result(call, seen, told, failures)
    assert not told, "a refusal that no scenario knows"
    failed = [call["id"] for call in calls if call["expect"] == "failure"]
    if played.failures is not None:
        assert Counter(played.failures) == Counter(failed), "only what the tool failed at is a failure"
    _check_events(calls, turn, events)


def _check_result(
    call: Mapping[str, Any], seen: Mapping[str, Seen], told: deque[ToolRejected], failures: Mapping[str, str]
) -> None:
    one = seen[call["id"]]
    match call["expect"].split(" ", 1):
        case ["result"]:
            assert all(text in one.text for text in _texts(call.get("gives", "ok"))), call["id"]
            assert not one.error, call["id"]
        case ["warned"]:
            assert all(text in one.text for text in _texts(call.get("gives", "ok"))), call["id"]
            assert "use what you have" in one.text, call["id"]
            assert not one.error, call["id"]
        case ["failure"]:
            assert call["gives"] in one.text, call["id"]
        case ["failure", of]:
            assert failures[of.removeprefix("of ")] in one.text, call["id"]
        case ["rejected", reason]:
            event = told.popleft()
            assert event.reason == reason, call["id"]
            assert event.content in one.text, call["id"]
            assert event.executed is False, call["id"]
        case ["reused", of]:
            earlier = seen[of]
            assert (one.text, one.structured) == (earlier.text, earlier.structured), call["id"]
            assert not one.error, call["id"]
        case ["denied"]:
            pass
        case _:
            raise AssertionError(f"unknown expectation: {call['expect']}")


def _check_events(calls: Sequence[Mapping[str, Any]], turn: Turn, events: Sequence[Event]) -> None:
    """Every call has its events, each fits the schema, and no reservation is left open."""
    for event in events:
        _VALIDATOR.validate(to_json(event))
        assert (getattr(event, "agent", None) or "").rpartition("/")[2] == turn.agent
    ends = Counter(event.outcome for event in events if isinstance(event, ToolCallFinished))
    expected = Counter(_ENDS[call["expect"]] for call in calls if call["expect"] in _ENDS)
    # What somebody else denied before it came to the gate has no events.
    assert ends in (expected, Counter({end: count for end, count in expected.items() if end != "denied"}))
    begun = Counter(type(event) for event in events)
    assert begun[ToolCallStarted] == ends.total(), "a reservation is left open, or was never made"
    assert begun[ToolWarned] == sum(call["expect"] == "warned" for call in calls)
    assert begun[ToolReused] == sum(call["expect"].startswith(("reused", "failure of")) for call in calls)


def _turns(steps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, step in enumerate(steps):
        for part in step.get("together", [step]):
            yield number, part


def _call(call: Mapping[str, Any]) -> Call:
    (tool,) = (name for name in TOOLS if name in call)
    return Call(call["id"], tool, call[tool])


def _expected_runs(responses: Any) -> list[tuple[str, str]]:
    return [
        (made.tool, made.text)
        for response in responses
        for call, made in ((call, _call(call)) for call in response)
        if call["expect"] in {"result", "warned", "failure"}
    ]


def _texts(gives: object) -> list[str]:
    """Return what the model must find in the text of a result: the leaves, however the framework writes them."""
    match gives:
        case Mapping():
            return [text for value in gives.values() for text in _texts(value)]
        case list():
            return [text for value in gives for text in _texts(value)]
        case _:
            return [str(gives)]
