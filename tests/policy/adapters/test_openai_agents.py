"""The Agents SDK, with a model of its own test kit's parts, under the gate."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from samecall import Event, ToolPolicy
from samecall.adapters.openai_agents import guard_tools, turn_hooks
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import (
    FINAL_TEXT,
    Conformance,
    Played,
    Seen,
    ToolBrokenError,
    Turn,
    World,
    need_framework,
    told,
)

need_framework("agents")

from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    RunContextWrapper,
    Runner,
    RunResult,
    Tool,
    UserError,
    WebSearchTool,
    function_tool,
)
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext
from agents.usage import Usage

OFFLINE = RunConfig(tracing_disabled=True)


class ScenarioModel(Model):
    """A model that is told what to say by the conversation."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        start = max(place for place, item in enumerate(items) if item.get("role") == "user")
        asked = [item["call_id"] for item in items[start:] if item.get("type") == "function_call"]
        turn = self._world.turns[items[start]["content"]]
        ends = [sum(map(len, turn.responses[:number])) for number in range(len(turn.responses) + 1)]
        calls = self._world.respond(turn.prompt, ends.index(len(asked)))
        output = [function_call(call.tool, call.input, call_id=call.id) for call in calls]
        return ModelResponse(output or [assistant_message(FINAL_TEXT)], Usage(), None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class OpenAIAgents:
    """An agent whose shell commands need a person's approval where the scenario denies one."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        async def denied(_: RunContextWrapper[Any], arguments: dict[str, Any], __: str) -> bool:
            return world.denies("bash", arguments["command"])

        def failed(context: RunContextWrapper[Any], error: Exception) -> str:
            assert isinstance(context, ToolContext)
            context.context.append(context.tool_call_id)
            return f"It failed: {error}"

        @function_tool(needs_approval=denied, failure_error_function=failed)
        async def bash(command: str) -> Any:
            return await asyncio.to_thread(world.run, "bash", command)

        @function_tool(failure_error_function=failed)
        def lookup(id: str) -> Any:  # noqa: A002 - the argument's name
            return world.run("lookup", id)

        @function_tool(failure_error_function=failed)
        def job_status(job: str) -> Any:
            return world.run("job_status", job)

        self._agent = Agent(
            "agent", tools=guard_tools([bash, lookup, job_status], sessions), model=ScenarioModel(world)
        )

    def play(self, turn: Turn) -> Played:
        return asyncio.run(self._play(turn))

    async def _play(self, turn: Turn) -> Played:
        hooks, failures = turn_hooks(turn.session), list[str]()
        options: Any = {"hooks": hooks, "run_config": OFFLINE}
        result = await Runner.run(self._agent, turn.prompt, context=failures, **options)
        while result.interruptions:
            state = result.to_state()
            for one in state.get_interruptions():
                state.reject(one)
            result = await Runner.run(self._agent, state, **options)
        items: list[Any] = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
        return Played([Seen(item["call_id"], item["output"]) for item in items], failures, result.final_output)


class TestOpenAIAgents(Conformance):
    """The scenarios, in an event loop: the calls of a batch are tasks."""

    driver = OpenAIAgents


FIRST = function_call("bash", {"command": "cat a.txt"}, call_id="a")
SECOND = function_call("bash", {"command": "cat a.txt"}, call_id="b")
DONE = assistant_message(FINAL_TEXT)


def _agent(events: list[Event], tool: Tool, *responses: list[Any], **policy: Any) -> Agent[Any]:
    tools = guard_tools([tool], Sessions(ToolPolicy(**policy), on_event=events.append))
    return Agent("agent", tools=tools, model=ScriptedModel([*responses, [DONE]]))


def _outputs(result: RunResult) -> list[Any]:
    items: list[Any] = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    return [item["output"] for item in items]


def _run(agent: Agent[Any], **options: Any) -> list[Any]:
    return _outputs(asyncio.run(Runner.run(agent, "Go.", run_config=OFFLINE, **options)))


@function_tool
def bash(command: str) -> str:
    """Run a command."""
    return f"output of {command}"


def test_the_words_for_a_failure_are_the_tools_own() -> None:
    @function_tool(name_override="bash")
    def broken(command: str) -> str:
        raise ToolBrokenError(command)

    events: list[Event] = []
    guarded = _run(_agent(events, broken, [FIRST]))
    assert guarded == _run(Agent("agent", tools=[broken], model=ScriptedModel([[FIRST], [DONE]])))
    assert told(events) == ["tool_call_started", "failed"]


def test_a_failure_that_the_tool_does_not_handle_passes() -> None:
    @function_tool(name_override="bash", failure_error_function=None)
    def broken(command: str) -> str:
        raise ToolBrokenError(command)

    events: list[Event] = []
    with pytest.raises(UserError):
        _run(_agent(events, broken, [FIRST]))
    assert told(events) == ["tool_call_started", "failed"]


def test_arguments_that_are_none_are_a_failed_call() -> None:
    events: list[Event] = []
    _run(_agent(events, bash, [function_call("bash", '{"command": ', call_id="w")]))
    assert told(events) == ["tool_call_started", "failed"]


def test_a_tool_without_a_wrapper_of_the_sdk_is_guarded_too() -> None:
    async def invoke(_: Any, arguments: str) -> dict[str, str]:
        return {"echo": arguments}

    events: list[Event] = []
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    tool = FunctionTool("bash", "Echo.", schema, invoke)
    reuse = {"dedupeToolCalls": True, "onDuplicateToolCall": "reuse"}
    first, second = _run(_agent(events, tool, [FIRST], [SECOND], **reuse))
    assert first == second
    assert told(events) == ["tool_call_started", "succeeded", "tool_reused"]


def test_without_hooks_each_run_is_a_session_and_a_turn() -> None:
    events: list[Event] = []
    tools = guard_tools([bash], Sessions(ToolPolicy(maxToolCalls=1), on_event=events.append))
    agent = Agent("agent", tools=tools, model=ScriptedModel([[FIRST, SECOND], [DONE], [FIRST], [DONE]]))
    assert [output.startswith("output") for output in _run(agent)] == [True, False]
    assert [output.startswith("output") for output in _run(agent)] == [True]
    assert len({event.session_id for event in events}) == 2


def test_an_agent_that_is_a_tool_is_a_subagent_of_the_session() -> None:
    events: list[Event] = []
    sessions = Sessions(ToolPolicy(maxToolCalls=1, exemptTools=["helper"]), on_event=events.append)
    helper = Agent("helper", tools=guard_tools([bash], sessions.child(1, name="helper")))
    helper.model = ScriptedModel([[FIRST, SECOND], [DONE]])
    asks = [function_call("helper", {"input": "Help."}, call_id="h"), FIRST]
    tools = guard_tools([helper.as_tool("helper", "Help."), bash], sessions)
    _run(Agent("agent", tools=tools, model=ScriptedModel([asks, [DONE]])), hooks=turn_hooks("main"))
    assert {event.session_id for event in events} == {"main"}
    helped = told([event for event in events if event.agent])
    assert Counter(helped) == Counter(["tool_call_started", "succeeded", "tool_rejected"])


def test_a_run_that_waited_for_an_approval_goes_on_in_its_turn() -> None:
    @function_tool(name_override="bash", needs_approval=True)
    def risky(command: str) -> str:
        return f"output of {command}"

    events: list[Event] = []
    agent = _agent(events, risky, [FIRST], [SECOND], dedupeToolCalls=True)
    hooks = turn_hooks("main")

    async def go() -> list[Any]:
        result = await Runner.run(agent, "Go.", run_config=OFFLINE, hooks=hooks)
        while result.interruptions:
            state = result.to_state()
            state.approve(state.get_interruptions()[0])
            result = await Runner.run(agent, state, run_config=OFFLINE, hooks=hooks)
        return _outputs(result)

    first, second = asyncio.run(go())
    assert first == "output of cat a.txt"
    assert second.startswith("Duplicate tool call suppressed")
    assert told(events) == ["tool_call_started", "succeeded", "tool_rejected"]


def test_hosted_tools_stay_as_they_are() -> None:
    hosted = WebSearchTool()
    assert guard_tools([hosted], ToolPolicy(maxToolCalls=0)) == [hosted]


def test_the_tool_that_was_given_is_left_alone() -> None:
    events: list[Event] = []
    _agent(events, bash, maxToolCalls=0)
    assert _run(Agent("agent", tools=[bash], model=ScriptedModel([[FIRST], [DONE]]))) == ["output of cat a.txt"]
    assert events == []


def test_a_call_that_runs_out_of_time_is_cancelled() -> None:
    @function_tool(name_override="bash", timeout=0.01)
    async def slow(command: str) -> str:
        await asyncio.sleep(3600)
        return command

    events: list[Event] = []
    (output,) = _run(_agent(events, slow, [FIRST]))
    assert "timed out" in output
    assert told(events) == ["tool_call_started", "cancelled"]
