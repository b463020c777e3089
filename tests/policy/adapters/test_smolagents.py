"""smolagents' ``ToolCallingAgent``, with a scripted model, under the gate."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from samecall import Event, ToolCallFinished, ToolPolicy
from samecall.adapters.sessions import Sessions
from samecall.adapters.smolagents import guard

from tests.policy.adapters.harness import FINAL_TEXT, Call, Conformance, Need, Played, Seen, Turn, World

pytest.importorskip("smolagents", reason="smolagents is not installed")

from smolagents import CodeAgent, LogLevel, Model, Tool, ToolCallingAgent
from smolagents.agents import ToolOutput
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole


class ScriptedModel(Model):
    """A model that is told what to say: an agent object plays one turn at a time."""

    def __init__(self) -> None:
        super().__init__(model_id="scripted")
        self.responses: list[Sequence[Call]] = []

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        calls = self.responses.pop(0) if self.responses else ()
        made = [_made(call.tool, call.input, call.id) for call in calls]
        final = [_made("final_answer", {"answer": FINAL_TEXT}, "final")]
        return ChatMessage(MessageRole.ASSISTANT, "", made or final)


def _made(tool: str, arguments: Any, call_id: str) -> ChatMessageToolCall:
    return ChatMessageToolCall(ChatMessageToolCallFunction(arguments, tool), call_id, "function")


class Scripted(Tool):
    """A tool of the scenarios."""

    output_type = "any"
    skip_forward_signature_validation = True

    def __init__(self, name: str, argument: str, run: Callable[[str, str], Any]) -> None:
        self.name = name
        self.description = name
        self.inputs = {argument: {"type": "string", "description": argument}}
        self._run = run
        super().__init__()

    def forward(self, **arguments: str) -> Any:
        (text,) = arguments.values()
        return self._run(self.name, text)


class SmolAgents:
    """An agent for each session."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._sessions = sessions
        self._world = world
        self._agents: dict[str, tuple[ToolCallingAgent, ScriptedModel]] = {}

    def play(self, turn: Turn) -> Played:
        agent, model = self._agents.setdefault(turn.session, self._agent(turn.session))
        model.responses = list(turn.responses)
        played = Played()
        for event in agent.run(turn.prompt, stream=True, reset=False):
            if isinstance(event, ToolOutput) and not event.is_final_answer:
                played.seen.append(Seen(event.id, str(event.observation), event.output))
            elif isinstance(event, ToolOutput):
                played.text = str(event.output)
        return played

    def _agent(self, session_id: str) -> tuple[ToolCallingAgent, ScriptedModel]:
        model = ScriptedModel()
        arguments = {"bash": "command", "lookup": "id", "job_status": "job"}
        tools: list[Any] = [Scripted(name, argument, self._world.run) for name, argument in arguments.items()]
        agent = ToolCallingAgent(tools, model, verbosity_level=LogLevel.OFF)
        guard(agent, self._sessions, session_id=session_id)
        return agent, model


class TestSmolAgents(Conformance):
    """The scenarios; the calls of a batch run in threads."""

    driver = SmolAgents
    limits: ClassVar[Mapping[Need, str]] = {
        "sessions": "an agent object is one conversation and takes one turn at a time",
        "denial": "nobody else has a place between the model's call and the tool",
    }


def _agent(*responses: Sequence[Any], tools: Sequence[Tool] = (), **options: Any) -> ToolCallingAgent:
    """Return an agent that makes these calls."""
    model = ScriptedModel()
    model.responses = list(responses)
    tools = tools or [Scripted("bash", "command", lambda _, text: text)]
    return ToolCallingAgent([*tools], model, verbosity_level=LogLevel.OFF, **options)


def _guarded(agent: ToolCallingAgent, policy: ToolPolicy) -> list[Event]:
    events: list[Event] = []
    guard(agent, Sessions(policy, on_event=events.append))
    return events


def _told(events: Sequence[Event]) -> list[str]:
    told = [event for event in events if event.type != "turn_started"]
    return [event.outcome if isinstance(event, ToolCallFinished) else event.type for event in told]


FIRST, SECOND, AGAIN = Call("a", "bash", "cat a.txt"), Call("b", "bash", "cat b.txt"), Call("c", "bash", "cat a.txt")
DEDUPE = ToolPolicy(dedupeToolCalls=True)


def test_a_tool_that_fails_does_not_take_the_other_results_along() -> None:
    def run(_: str, text: str) -> str:
        if text == FIRST.text:
            raise OSError(text)
        return "second file"

    agent = _agent([FIRST, SECOND], tools=[Scripted("bash", "command", run)])
    events = _guarded(agent, DEDUPE)
    assert agent.run("Go.") == FINAL_TEXT
    observations = str(agent.memory.steps[1].observations)
    assert "OSError: cat a.txt" in observations
    assert "second file" in observations
    assert sorted(_told(events)[2:]) == ["failed", "succeeded"]


def test_a_tool_that_does_not_exist_fails() -> None:
    agent = _agent([SimpleNamespace(id="x", tool="curl", input={})])
    events = _guarded(agent, DEDUPE)
    assert agent.run("Go.") == FINAL_TEXT
    assert "Unknown tool curl" in str(agent.memory.steps[1].observations)
    assert _told(events) == ["tool_call_started", "failed"]


def test_copies_without_arguments_in_one_batch_are_one_call() -> None:
    class Clock(Tool):
        name = "clock"
        description = "Tell the time."
        inputs: ClassVar[dict[str, Any]] = {}
        output_type = "string"

        def forward(self) -> str:
            return "noon"

    copies = [SimpleNamespace(id=call_id, tool="clock", input={}) for call_id in "abc"]
    agent = _agent(copies, tools=[Clock()])
    events = _guarded(agent, ToolPolicy(dedupeToolCalls=True, effects={"clock": "read"}))
    agent.run("Go.")
    assert sorted(_told(events)) == ["succeeded", "tool_call_started", "tool_rejected", "tool_rejected"]


def test_of_calls_with_one_id_those_that_do_not_run_are_not_counted() -> None:
    agent = _agent([FIRST, Call("a", "bash", "cat b.txt")], [AGAIN])
    events = _guarded(agent, ToolPolicy(maxToolCalls=2))
    agent.run("Go.")
    assert _told(events) == ["tool_call_started"] * 2 + ["succeeded", "denied", "tool_call_started", "succeeded"]


@pytest.mark.parametrize(("reset", "told"), [(True, "succeeded"), (False, "tool_rejected")])
def test_a_run_that_resets_the_memory_may_read_again(reset: bool, told: str) -> None:  # noqa: FBT001
    agent = _agent([FIRST])
    events = _guarded(agent, ToolPolicy(dedupeToolCalls=True, dedupeScope="session"))
    agent.run("Go.")
    agent.model.responses = [[AGAIN]]
    agent.run("Go on.", reset=reset)
    assert _told(events)[-1] == told


def test_a_managed_agent_spends_the_budget_and_has_its_own_history() -> None:
    helper = _agent([FIRST], [SECOND], name="helper", description="Helps.")
    task = SimpleNamespace(id="h", tool="helper", input={"task": "Help."})
    agent = _agent([FIRST], [task], managed_agents=[helper])
    events = _guarded(agent, ToolPolicy(maxToolCalls=3, dedupeToolCalls=True))
    assert agent.run("Go.") == FINAL_TEXT
    ran = ["tool_call_started", "succeeded"]
    assert _told(events) == [*ran, "tool_call_started", *ran, "tool_rejected", "succeeded"]


def test_an_agent_that_calls_tools_in_code_is_refused() -> None:
    with pytest.raises(TypeError, match="CodeAgent"):
        guard(CodeAgent([], ScriptedModel()), DEDUPE)


def test_the_first_of_two_copies_runs_whichever_thread_is_first() -> None:
    class Backwards(ToolCallingAgent):
        def process_tool_calls(self, chat_message: Any, memory_step: Any) -> Any:
            for one in reversed(chat_message.tool_calls):
                shown = self.execute_tool_call(one.function.name, one.function.arguments)
                yield ToolOutput(one.id, shown, one.function.name == "final_answer", str(shown), one)

    model = ScriptedModel()
    model.responses = [[FIRST, AGAIN]]
    agent = Backwards([Scripted("bash", "command", lambda _, text: text)], model, verbosity_level=LogLevel.OFF)
    _guarded(agent, DEDUPE)
    results = {event.id: event.output for event in agent.run("Go.", stream=True) if isinstance(event, ToolOutput)}
    assert results[FIRST.id] == FIRST.text
    assert "Duplicate tool call suppressed" in results[AGAIN.id]
