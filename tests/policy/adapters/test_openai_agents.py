"""The Agents SDK, with a model of its own test kit's parts, under the gate."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from samecall import Event, ToolPolicy
from samecall.adapters.openai_agents import guard_tools, turn_hooks
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import FINAL_TEXT, Call, Conformance, Played, Seen, Turn, World, told

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents import Agent, FunctionTool, RunConfig, RunContextWrapper, Runner, RunState, function_tool
from agents.models.interface import Model
from agents.items import ModelResponse
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
        return ModelResponse(output or [assistant_message(FINAL_TEXT)], Usage(), None)  # type: ignore[arg-type, list-item]

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class OpenAIAgents:
    """An agent whose shell commands need a person's approval where the scenario denies one."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._failures: list[str] = []

        async def denied(_: RunContextWrapper[Any], arguments: dict[str, Any], __: str) -> bool:
            return world.denies("bash", arguments["command"])

        def failed(context: RunContextWrapper[Any], error: Exception) -> str:
            assert isinstance(context, ToolContext)
            self._failed(context.context, context.tool_call_id)
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

    def _failed(self, failures: list[str], call_id: str) -> None:
        failures.append(call_id)


class TestOpenAIAgents(Conformance):
    """The scenarios, in an event loop: the calls of a batch are tasks."""

    driver = OpenAIAgents
