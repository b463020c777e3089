"""A crew, with a scripted model, under the gate."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from samecall import Event, ToolCallFinished, ToolPolicy
from samecall.adapters.crewai import guard
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import FINAL_TEXT, Call, Conformance, Need, Played, Seen, Turn, World

QUIET = ("CREWAI_DISABLE_TELEMETRY", "CREWAI_DISABLE_VERSION_CHECK", "CREWAI_TESTING", "OTEL_SDK_DISABLED")
"""Without these set to true CrewAI reports home, looks for a newer version, and asks whether it may send a trace."""

with pytest.MonkeyPatch.context() as patch:
    for variable in QUIET:
        patch.setenv(variable, "true")
    pytest.importorskip("crewai", reason="crewai is not installed")

    from crewai import Agent, Crew, Task
    from crewai.hooks.dispatch import InterceptionPoint, register_scoped, scoped_hooks
    from crewai.llms.base_llm import BaseLLM
    from crewai.tools import tool
    from crewai.tools.tool_failure import ToolFailure

# CrewAI reads fields of its own that it has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def _quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in QUIET:
        monkeypatch.setenv(variable, "true")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # it keeps there what it remembers of a run


class ScriptedModel(BaseLLM):
    """A model that is told what to say by the conversation."""

    respond: Callable[[str, int], Sequence[Call]]
    read: list[Any]

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        prompt = next(one["content"] for one in messages if one["role"] == "user")
        self.read[:] = messages
        answered = sum(one["role"] == "assistant" for one in messages)
        calls = self.respond(prompt.split("Current Task: ")[1].split("\n")[0], answered)
        made = [{"id": one.id, "function": {"name": one.tool, "arguments": json.dumps(one.input)}} for one in calls]
        return made or FINAL_TEXT

    def supports_function_calling(self) -> bool:
        return True


class CrewAI:
    """A crew of one; a hook around it blocks what the scenario denies."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._sessions = sessions
        self._world = world

        @tool("bash")
        def bash(command: str) -> Any:
            """Run a command."""
            return world.run("bash", command)

        @tool("lookup")
        def lookup(id: str) -> Any:  # noqa: A002 - the argument's name
            """Look a record up."""
            return world.run("lookup", id)

        @tool("job_status")
        def job_status(job: str) -> Any:
            """Ask how a job is doing."""
            return world.run("job_status", job)

        self._tools = [bash, lookup, job_status]

    def play(self, turn: Turn) -> Played:
        model = ScriptedModel(model="scripted", respond=self._world.respond, read=[])
        agent = Agent(role="worker", goal="work", backstory="works", llm=model, tools=self._tools)
        crew = _crew(agent, prompt=turn.prompt)
        with (
            scoped_hooks({InterceptionPoint.PRE_TOOL_CALL: [self._forbid]}),
            guard(self._sessions, session_id=turn.session),
        ):
            text = crew.kickoff().raw
        return Played(
            [Seen(one["tool_call_id"], one["content"]) for one in model.read if one["role"] == "tool"], text=text
        )

    def _forbid(self, context: Any) -> bool | None:
        return False if self._world.denies(context.tool_name, str(context.tool_input.get("command"))) else None


def _crew(*agents: Agent, prompt: str = "Go.") -> Crew:
    """Return a crew in which each agent has a task. Without CrewAI's cache, which knows nothing of what changed."""
    tasks = [Task(description=prompt, expected_output="an answer", agent=agent) for agent in agents]
    return Crew(agents=[*agents], tasks=tasks, cache=False)


class TestCrewAI(Conformance):
    """The scenarios; the calls of a batch run in threads."""

    driver = CrewAI
    limits: ClassVar[Mapping[Need, str]] = {"batch": "its hooks see neither the batch nor the ids of the calls"}


def _agent(
    *responses: Sequence[Call], tools: Sequence[Any] = (), role: str = "worker", model: Any = ScriptedModel
) -> Agent:
    """Return an agent that makes these calls."""

    def respond(_: str, answered: int) -> Sequence[Call]:
        return responses[answered] if answered < len(responses) else ()

    scripted = model(model="scripted", respond=respond, read=[])
    return Agent(role=role, goal="work", backstory="works", llm=scripted, tools=[*tools] or [bash])


def _told(events: Sequence[Event]) -> list[str]:
    told = [event for event in events if event.type != "turn_started"]
    return [event.outcome if isinstance(event, ToolCallFinished) else event.type for event in told]


def _run(policy: ToolPolicy, *agents: Agent) -> list[str]:
    events: list[Event] = []
    with guard(Sessions(policy, on_event=events.append)):
        _crew(*agents).kickoff()
    return _told(events)


@tool("bash")
def bash(command: str) -> str:
    """Run a command."""
    return command


FIRST, AGAIN = Call("a", "bash", "cat a.txt"), Call("b", "bash", "cat a.txt")
DEDUPE = ToolPolicy(dedupeToolCalls=True)
RAN = ["tool_call_started", "succeeded"]


def test_the_agents_of_a_crew_have_histories_of_their_own() -> None:
    assert _run(DEDUPE, _agent([FIRST], [AGAIN], role="reader"), _agent([FIRST], role="writer")) == [
        *RAN,
        "tool_rejected",
        *RAN,
    ]


def test_the_agents_of_a_crew_have_one_budget() -> None:
    assert _run(ToolPolicy(maxToolCalls=1), _agent([FIRST], role="reader"), _agent([FIRST], role="writer")) == [
        *RAN,
        "tool_rejected",
    ]


def test_nothing_is_guarded_after_the_with() -> None:
    _run(ToolPolicy(maxToolCalls=0), _agent([FIRST]))
    agent = _agent([FIRST])
    _crew(agent).kickoff()
    assert any(message["content"] == FIRST.text for message in agent.llm.read)


def test_a_failure_that_a_tool_reports_is_one() -> None:
    @tool("bash")
    def bash(command: str) -> ToolFailure:
        """Fail."""
        return ToolFailure(message=command)

    assert _run(DEDUPE, _agent([FIRST], [AGAIN], tools=[bash])) == ["tool_call_started", "failed"] * 2


def test_a_hook_that_comes_later_denies() -> None:
    def forbid(_: Any) -> bool:
        return False

    events: list[Event] = []
    with guard(Sessions(DEDUPE, on_event=events.append)):
        register_scoped(InterceptionPoint.PRE_TOOL_CALL, forbid)
        _crew(_agent([FIRST])).kickoff()
    assert _told(events) == ["tool_call_started", "denied"]


def test_a_tool_that_crewai_has_used_up_did_not_run() -> None:
    @tool("bash", max_usage_count=1)
    def bash(command: str) -> str:
        """Run a command."""
        return command

    assert _run(ToolPolicy(), _agent([FIRST], [AGAIN], tools=[bash])) == [*RAN, "tool_call_started", "denied"]


class WritingModel(ScriptedModel):
    """A model that cannot call tools, and writes down what it would call."""

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        self.read[:] = messages
        answered = sum(one["role"] == "assistant" for one in messages)
        if not (calls := self.respond("", answered)):
            return f"Thought: I know.\nFinal Answer: {FINAL_TEXT}"
        return f"Thought: I look.\nAction: {calls[0].tool}\nAction Input: {json.dumps(calls[0].input)}"

    def supports_function_calling(self) -> bool:
        return False


def test_a_call_that_the_model_writes_down_is_a_call() -> None:
    @tool("bash")
    def bash(command: str) -> str:
        """Fail for one file."""
        if command == FIRST.text:
            raise OSError(command)
        return command

    other, again = Call("c", "bash", "cat b.txt"), Call("d", "bash", "cat  b.txt")
    agent = _agent([FIRST], [other], [again], tools=[bash], model=WritingModel)
    assert _run(DEDUPE, agent) == ["tool_call_started", "failed", *RAN, "tool_rejected"]
    assert any("Duplicate tool call suppressed" in str(message["content"]) for message in agent.llm.read)


def test_a_batch_over_the_limit_is_admitted_in_part() -> None:
    batch = [Call(str(number), "bash", f"cat {number}.txt") for number in range(5)]
    told = _run(ToolPolicy(maxToolCalls=2), _agent(batch))
    assert sorted(told) == ["succeeded"] * 2 + ["tool_call_started"] * 2 + ["tool_rejected"] * 3


def test_a_copy_in_a_batch_shares_the_result() -> None:
    agent = _agent([FIRST, AGAIN])
    told = _run(ToolPolicy(dedupeToolCalls=True, onDuplicateToolCall="reuse"), agent)
    assert sorted(told) == ["succeeded", "tool_call_started", "tool_reused"]
    assert [message["content"] for message in agent.llm.read if message["role"] == "tool"] == [FIRST.text] * 2
