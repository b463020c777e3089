"""LangChain's agent, with its own fake chat model, under the gate."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import pytest
from samecall import Event, ToolPolicy
from samecall.adapters.langchain import guard
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

need_framework("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel


class ScriptedModel(GenericFakeChatModel):
    """The library's fake, which says what it is told, told by the conversation: it has no memory to mix up."""

    respond: Callable[[str, int], Sequence[Call]]
    messages: Any = iter(())

    def bind_tools(self, tools: Any, **_: Any) -> "ScriptedModel":
        return self

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        start = max(place for place, message in enumerate(messages) if isinstance(message, HumanMessage))
        answered = sum(isinstance(message, AIMessage) for message in messages[start:])
        calls = self.respond(str(messages[start].content), answered)
        message = AIMessage(
            "" if calls else FINAL_TEXT,
            tool_calls=[{"name": call.tool, "args": call.input, "id": call.id} for call in calls],
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def _tools(world: World) -> list[StructuredTool]:
    def run(tool: str, text: str) -> tuple[str, Any]:
        try:
            result = world.run(tool, text)
        except ToolBrokenError as error:
            raise ToolException(str(error)) from error
        return json.dumps(result), result

    def bash(command: str) -> tuple[str, Any]:
        """Run a command."""
        return run("bash", command)

    def lookup(id: str) -> tuple[str, Any]:  # noqa: A002 - the argument's name
        """Look a record up."""
        return run("lookup", id)

    def job_status(job: str) -> tuple[str, Any]:
        """Ask how a job is doing."""
        return run("job_status", job)

    return [
        StructuredTool.from_function(tool, response_format="content_and_artifact", handle_tool_error=True)
        for tool in (bash, lookup, job_status)
    ]


class LangChain:
    """An agent of ``create_agent`` with a checkpointer, and a person who is asked about every shell command."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._world = world
        self._agent = create_agent(
            ScriptedModel(respond=world.respond),
            _tools(world),
            middleware=[
                guard(sessions),
                HumanInTheLoopMiddleware({"bash": {"allowed_decisions": ["approve", "reject"]}}),
            ],
            checkpointer=InMemorySaver(),
        )

    def play(self, turn: Turn) -> Played:
        config: Any = {"configurable": {"thread_id": turn.session}}
        state = self.invoke({"messages": [HumanMessage(turn.prompt)]}, config)
        while pauses := state.get("__interrupt__"):
            asked = [request["args"]["command"] for request in pauses[0].value["action_requests"]]
            decisions = [{"type": "reject" if self._world.denies("bash", text) else "approve"} for text in asked]
            state = self.invoke(Command(resume={"decisions": decisions}), config)
        return _played(state["messages"])

    def invoke(self, given: Any, config: Any) -> Any:
        return self._agent.invoke(given, config)


class AsyncLangChain(LangChain):
    """The same in an event loop."""

    def invoke(self, given: Any, config: Any) -> Any:
        return asyncio.run(self._agent.ainvoke(given, config))


def _played(messages: list[Any]) -> Played:
    start = max(place for place, message in enumerate(messages) if isinstance(message, HumanMessage))
    results = [message for message in messages[start:] if isinstance(message, ToolMessage)]
    seen = [Seen(one.tool_call_id, str(one.content), one.artifact, one.status == "error") for one in results]
    return Played(seen, text=str(messages[-1].content))


class TestLangChain(Conformance):
    """The scenarios, synchronously: the calls of a batch run in threads."""

    driver = LangChain


class TestAsyncLangChain(Conformance):
    """The scenarios in an event loop: the calls of a batch are tasks."""

    driver = AsyncLangChain


def _agent(
    tool: Callable[..., Any], *responses: Sequence[Call], policy: ToolPolicy, **options: Any
) -> tuple[Any, list[Event]]:
    """Return an agent with one tool that makes these calls, and the events of its gate."""
    events: list[Event] = []

    def respond(_: str, answered: int) -> Sequence[Call]:
        return responses[answered] if answered < len(responses) else ()

    middleware = [guard(Sessions(policy, on_event=events.append)), *options.pop("middleware", [])]
    return create_agent(ScriptedModel(respond=respond), [tool], middleware=middleware, **options), events


FIRST, SECOND = Call("a", "bash", "cat a.txt"), Call("b", "bash", "cat a.txt")
ASK = {"messages": [HumanMessage("Go.")]}
DEDUPE = ToolPolicy(dedupeToolCalls=True)


def test_what_a_tool_raises_passes_and_is_a_failure() -> None:
    def bash(command: str) -> str:
        """Fail."""
        raise ToolBrokenError(command)

    agent, events = _agent(bash, [FIRST], policy=DEDUPE)
    with pytest.raises(ToolBrokenError):
        agent.invoke(ASK)
    assert told(events) == ["tool_call_started", "failed"]


def test_retries_within_one_call_are_one_call() -> None:
    runs: list[str] = []

    def bash(command: str) -> str:
        """Fail once."""
        runs.append(command)
        if len(runs) == 1:
            raise ToolBrokenError(command)
        return "first file"

    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0)
    agent, events = _agent(bash, [FIRST], [SECOND], policy=DEDUPE, middleware=[retry])
    state = agent.invoke(ASK)
    assert len(runs) == 2
    assert told(events) == ["tool_call_started", "succeeded", "tool_rejected"]
    assert [message.status for message in state["messages"] if isinstance(message, ToolMessage)] == ["success", "error"]


def test_a_call_that_waits_for_a_person_is_not_over() -> None:
    def bash(command: str) -> str:
        """Ask first."""
        return f"{command}: {interrupt('May I?')}"

    agent, events = _agent(bash, [FIRST], [SECOND], policy=DEDUPE, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    agent.invoke(ASK, config)
    assert told(events) == ["tool_call_started"]
    state = agent.invoke(Command(resume="yes"), config)
    assert told(events) == ["tool_call_started", "succeeded", "tool_rejected"]
    assert state["messages"][2].content == "cat a.txt: yes"


def test_a_command_is_never_given_back() -> None:
    def bash(command: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Change the graph's state."""
        return Command(update={"messages": [ToolMessage(command, tool_call_id=tool_call_id)]})

    agent, events = _agent(
        bash, [FIRST], [SECOND], policy=ToolPolicy(dedupeToolCalls=True, onDuplicateToolCall="reuse")
    )
    agent.invoke(ASK)
    assert told(events) == ["tool_call_started", "succeeded", "tool_rejected"]


def test_the_answer_in_a_structure_is_no_tool_call() -> None:
    class Verdict(BaseModel):
        """The final answer."""

        text: str

    def bash(command: str) -> str:
        """Not called."""
        raise AssertionError(command)

    agent, events = _agent(bash, policy=ToolPolicy(maxToolCalls=0), response_format=ToolStrategy(Verdict))
    answer = AIMessage("", tool_calls=[{"name": "Verdict", "args": {"text": "guilty"}, "id": "v"}])
    with pytest.MonkeyPatch.context() as patch:
        result = ChatResult(generations=[ChatGeneration(message=answer)])
        patch.setattr(ScriptedModel, "_generate", lambda *_, **__: result)
        assert agent.invoke(ASK)["structured_response"].text == "guilty"
    assert told(events) == []


def test_a_run_that_is_cancelled_cancels_its_call() -> None:
    async def go() -> list[str]:
        started = asyncio.Event()

        async def bash(command: str) -> str:
            """Never end."""
            started.set()
            await asyncio.sleep(3600)
            return command

        agent, events = _agent(bash, [FIRST], policy=DEDUPE)
        run = asyncio.create_task(agent.ainvoke(ASK))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return told(events)

    assert asyncio.run(go()) == ["tool_call_started", "cancelled"]


def test_without_a_thread_each_run_is_a_session() -> None:
    def bash(command: str) -> str:
        """Run a command."""
        return command

    policy = ToolPolicy(maxToolCallsPerSession=1)
    agent, events = _agent(bash, [FIRST], policy=policy)
    agent.invoke(ASK)
    agent.invoke(ASK)
    assert len({event.session_id for event in events}) == 2
    assert told(events) == ["tool_call_started", "succeeded"] * 2
