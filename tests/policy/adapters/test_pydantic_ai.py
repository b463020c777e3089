"""pydantic-ai's agent, with its own ``FunctionModel``, under the gate."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from samecall import Event, ToolPolicy
from samecall.adapters.pydantic_ai import guard
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import (
    FINAL_TEXT,
    Call,
    Conformance,
    Played,
    Seen,
    ToolBrokenError,
    Turn,
    World,
    need_framework,
    told,
)

need_framework("pydantic_ai")

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, Tool, ToolDenied
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, SkipToolExecution
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel


def _model(world: World) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        place, prompt = _last_prompt(messages)
        answered = sum(isinstance(message, ModelResponse) for message in messages[place:])
        calls = world.respond(prompt, answered)
        if not calls:
            return ModelResponse([TextPart(FINAL_TEXT)])
        return ModelResponse([ToolCallPart(call.tool, json.dumps(call.input), call.id) for call in calls])

    return FunctionModel(respond)


def _last_prompt(messages: Sequence[ModelMessage]) -> tuple[int, str]:
    return max(
        (place, str(part.content))
        for place, message in enumerate(messages)
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    )


class PydanticAI:
    """An agent whose shell commands need an approval, which is asked for where the scenario denies one."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        def run(tool: str, text: str) -> Any:
            try:
                return world.run(tool, text)
            except ToolBrokenError as error:
                raise ModelRetry(str(error)) from error

        def bash(command: str) -> Any:
            if world.denies("bash", command):
                raise ApprovalRequired
            return run("bash", command)

        def lookup(id: str) -> Any:  # noqa: A002 - the argument's name
            return run("lookup", id)

        def job_status(job: str) -> Any:
            return run("job_status", job)

        self._agent = Agent(
            _model(world),
            tools=[Tool(tool, max_retries=3) for tool in (bash, lookup, job_status)],
            capabilities=[guard(sessions)],
            output_type=[str, DeferredToolRequests],
        )

    def play(self, turn: Turn) -> Played:
        return asyncio.run(self._play(turn))

    async def _play(self, turn: Turn) -> Played:
        result = await self._agent.run(turn.prompt, conversation_id=turn.session)
        while isinstance(result.output, DeferredToolRequests):
            denied = DeferredToolResults(
                approvals={call.tool_call_id: ToolDenied() for call in result.output.approvals}
            )
            result = await self._agent.run(message_history=result.all_messages(), deferred_tool_results=denied)
        returns = [
            part
            for message in result.all_messages()
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, ToolReturnPart)
        ]
        return Played(
            [
                Seen(one.tool_call_id, one.model_response_str(), one.content, one.outcome != "success")
                for one in returns
            ],
            [one.tool_call_id for one in returns if one.outcome == "retried"],
            result.output,
        )


class TestPydanticAI(Conformance):
    """The scenarios, in an event loop: the calls of a batch are tasks."""

    driver = PydanticAI


FIRST, SECOND = Call("a", "bash", "cat a.txt"), Call("b", "bash", "cat a.txt")


def _script(*responses: Sequence[ToolCallPart]) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        answered = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(responses[answered] if answered < len(responses) else [TextPart(FINAL_TEXT)])

    return FunctionModel(respond)


def _part(call: Call) -> ToolCallPart:
    return ToolCallPart(call.tool, call.input, call.id)


def _guarded(events: list[Event], **policy: Any) -> Any:
    return guard(Sessions(ToolPolicy(**policy), on_event=events.append))


def test_what_a_tool_raises_passes_and_is_a_failure() -> None:
    events: list[Event] = []

    def bash(command: str) -> str:
        raise ToolBrokenError(command)

    agent = Agent(_script([_part(FIRST)]), tools=[bash], capabilities=[_guarded(events)])
    with pytest.raises(ToolBrokenError):
        asyncio.run(agent.run("Go."))
    assert told(events) == ["tool_call_started", "failed"]


def test_arguments_that_are_none_are_a_failed_call() -> None:
    events: list[Event] = []

    def bash(command: str) -> str:
        return command

    wrong = ToolCallPart("bash", '{"command": ', "w")
    agent = Agent(_script([wrong], [_part(FIRST)]), tools=[bash], capabilities=[_guarded(events)])
    asyncio.run(agent.run("Go."))
    assert told(events) == ["tool_call_started", "failed", "tool_call_started", "succeeded"]


def test_the_answer_in_a_structure_is_no_tool_call() -> None:
    class Verdict(BaseModel):
        text: str

    events: list[Event] = []
    model = _script([ToolCallPart("final_result", {"text": "guilty"}, "v")])
    agent = Agent(model, output_type=Verdict, capabilities=[_guarded(events, maxToolCalls=0)])
    assert asyncio.run(agent.run("Go.")).output == Verdict(text="guilty")
    assert told(events) == []


def test_a_model_is_given_back_as_the_json_that_was_read() -> None:
    class Judgment(BaseModel):
        title: str

    events: list[Event] = []

    def bash(command: str) -> Judgment:
        return Judgment(title=command)

    model = _script([_part(FIRST)], [_part(SECOND)])
    reuse = _guarded(events, dedupeToolCalls=True, onDuplicateToolCall="reuse")
    result = asyncio.run(Agent(model, tools=[bash], capabilities=[reuse]).run("Go."))
    returns = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [one.model_response_str() for one in returns] == ['{"title":"cat a.txt"}'] * 2
    assert told(events) == ["tool_call_started", "succeeded", "tool_reused"]


def test_a_call_that_another_capability_answers_did_not_run() -> None:
    class Forbid(AbstractCapability[Any]):
        async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
            del ctx, call, tool_def, args
            raise SkipToolExecution("not allowed")

    events: list[Event] = []

    def bash(command: str) -> str:
        raise AssertionError(command)

    agent = Agent(_script([_part(FIRST)]), tools=[bash], capabilities=[Forbid(), _guarded(events)])
    result = asyncio.run(agent.run("Go."))
    assert "not allowed" in str(result.all_messages())
    assert told(events) == ["tool_call_started", "denied"]


def test_a_run_that_is_cancelled_cancels_its_call() -> None:
    async def go() -> list[str]:
        events: list[Event] = []
        started = asyncio.Event()

        async def bash(command: str) -> str:
            started.set()
            await asyncio.sleep(3600)
            return command

        agent = Agent(_script([_part(FIRST)]), tools=[bash], capabilities=[_guarded(events)])
        run = asyncio.create_task(agent.run("Go."))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return told(events)

    assert asyncio.run(go()) == ["tool_call_started", "cancelled"]
