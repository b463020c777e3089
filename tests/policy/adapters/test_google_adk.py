"""ADK's runner, with a scripted model, under the gate."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from samecall import Event, ToolCallFinished, ToolPolicy, ToolRejected
from samecall.adapters.google_adk import guard
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import FINAL_TEXT, Call, Conformance, Played, Seen, Turn, World

pytest.importorskip("google.adk", reason="google-adk is not installed")

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

# An agent that is called as a tool gets a runner made in the way that ADK has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated:DeprecationWarning")


class ScriptedModel(BaseLlm):
    """A model that is told what to say by the conversation: it has no memory to mix up."""

    respond: Callable[[str, int], Sequence[Call]]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:  # noqa: FBT001, FBT002 - the signature is ADK's
        contents = llm_request.contents
        start = max(place for place, one in enumerate(contents) if one.role == "user" and one.parts[0].text)
        answered = sum(one.role == "model" for one in contents[start:])
        calls = [
            types.Part(function_call=types.FunctionCall(id=call.id, name=call.tool, args=call.input))
            for call in self.respond(contents[start].parts[0].text, answered)
        ]
        yield LlmResponse(content=types.Content(role="model", parts=calls or [types.Part(text=FINAL_TEXT)]))


class Answering(BasePlugin):
    """Lets the model read what a tool raises, as ADK's own retry plugin does; without one a run ends there."""

    def __init__(self) -> None:
        super().__init__("answering")
        self.failures: list[str] = []

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> Any:
        self.failures.append(tool_context.function_call_id)
        return {"error": f"{type(error).__name__}: {error}"}


class GoogleADK:
    """A runner whose agent has a guardrail of its own, the way ADK's manual writes one."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        # In threads of the tools' own: they overlap, as the tools of other frameworks do.
        async def bash(command: str) -> Any:
            return await asyncio.to_thread(world.run, "bash", command)

        async def lookup(id: str) -> Any:  # noqa: A002 - the argument's name
            return await asyncio.to_thread(world.run, "lookup", id)

        async def job_status(job: str) -> Any:
            return await asyncio.to_thread(world.run, "job_status", job)

        def forbid(tool: Any, args: Any, tool_context: Any) -> Any:  # noqa: ARG001 - the signature is ADK's
            return {"status": "error"} if world.denies(tool.name, str(args.get("command"))) else None

        agent = LlmAgent(
            name="worker",
            model=ScriptedModel(model="scripted", respond=world.respond),
            tools=[bash, lookup, job_status],
            before_tool_callback=forbid,
        )
        self._answering = Answering()
        app = App(name="app", root_agent=agent, plugins=[guard(sessions), self._answering])
        self._runner = InMemoryRunner(app=app)

    def play(self, turn: Turn) -> Played:
        return asyncio.run(self._play(turn))

    async def _play(self, turn: Turn) -> Played:
        place: Any = {"user_id": "user", "session_id": turn.session}
        if not await self._runner.session_service.get_session(app_name="app", **place):
            await self._runner.session_service.create_session(app_name="app", **place)
        failed = len(self._answering.failures)
        played = Played()
        async for event in self._runner.run_async(new_message=types.UserContent(turn.prompt), **place):
            played.seen += [_seen(response) for response in event.get_function_responses()]
            if event.is_final_response() and event.content and event.content.parts:
                played.text = str(event.content.parts[0].text)
        played.failures = self._answering.failures[failed:] if turn.session == "main" else None
        return played


def _seen(response: Any) -> Seen:
    return Seen(response.id, json.dumps(response.response), response.response, "error" in response.response)


class TestGoogleADK(Conformance):
    """The scenarios; the calls of a batch are tasks."""

    driver = GoogleADK


def _agent(*responses: Sequence[Any], **options: Any) -> LlmAgent:
    """Return an agent that makes these calls, whatever it is asked."""

    def respond(_: str, answered: int) -> Sequence[Any]:
        return responses[answered] if answered < len(responses) else ()

    options = {"name": "worker", "tools": [bash], **options}
    return LlmAgent(model=ScriptedModel(model="scripted", respond=respond), **options)


def _run(agent: LlmAgent, policy: ToolPolicy, *messages: Any) -> tuple[dict[str, Any], list[str]]:
    """Let an agent answer messages; return the results by call id, and what its gate told."""
    events: list[Event] = []

    async def go() -> dict[str, Any]:
        app = App(name="app", root_agent=agent, plugins=[guard(Sessions(policy, on_event=events.append))])
        runner = InMemoryRunner(app=app)
        await runner.session_service.create_session(app_name="app", user_id="user", session_id="main")
        return {
            str(one.id): one.response
            for message in messages or [types.UserContent("Go.")]
            async for event in runner.run_async(user_id="user", session_id="main", new_message=message)
            for one in event.get_function_responses()
        }

    try:
        return asyncio.run(go()), _told(events)
    except OSError:
        return {}, _told(events)


def _told(events: Sequence[Event]) -> list[str]:
    told = [event for event in events if event.type != "turn_started"]
    return [event.outcome if isinstance(event, ToolCallFinished) else event.type for event in told]


async def bash(command: str) -> str:
    """Run a command."""
    return command


FIRST, SECOND, AGAIN = Call("a", "bash", "cat a.txt"), Call("b", "bash", "cat b.txt"), Call("c", "bash", "cat a.txt")
DEDUPE = ToolPolicy(dedupeToolCalls=True)


def test_what_a_tool_raises_ends_the_run_and_cancels_the_other_calls() -> None:
    async def bash(command: str) -> str:
        await asyncio.sleep(0.01 if command == FIRST.text else 3600)
        raise OSError(command)

    results, told = _run(_agent([FIRST, SECOND], tools=[bash]), DEDUPE)
    assert results == {}
    assert told == ["tool_call_started", "tool_call_started", "failed", "cancelled"]


def test_an_agent_that_is_called_as_a_tool_spends_its_callers_budget() -> None:
    helper = _agent([FIRST], [SECOND], name="helper")
    call = SimpleNamespace(id="h", tool="helper", input={"request": "Go."})
    results, told = _run(_agent([call], [SECOND], tools=[bash, AgentTool(helper)]), ToolPolicy(maxToolCalls=2))
    assert told == ["tool_call_started"] * 2 + ["succeeded", "tool_rejected", "succeeded", "tool_rejected"]
    assert "error" in results["b"]


def test_an_agent_that_is_called_as_a_tool_has_its_own_history() -> None:
    helper = _agent([FIRST], [AGAIN], name="helper")
    call = SimpleNamespace(id="h", tool="helper", input={"request": "Go."})
    _, told = _run(_agent([FIRST], [call], tools=[bash, AgentTool(helper)]), DEDUPE)
    ran = ["tool_call_started", "succeeded"]
    assert told == [*ran, "tool_call_started", *ran, "tool_rejected", "succeeded"]


def test_a_call_that_waits_for_a_person_has_not_run() -> None:
    agent = _agent([FIRST], [SECOND], tools=[FunctionTool(bash, require_confirmation=True)])
    _, told = _run(agent, ToolPolicy(maxToolCalls=1))
    assert told == ["tool_call_started", "denied"]


def test_the_final_answer_and_the_transfer_to_another_agent_are_no_tool_calls() -> None:
    transfer = SimpleNamespace(id="t", tool="transfer_to_agent", input={"agent_name": "other"})
    other = _agent([], name="other", tools=[])
    results, told = _run(_agent([transfer], sub_agents=[other]), ToolPolicy(maxToolCalls=0))
    assert told == []
    assert "error" not in results["t"]


def test_a_tool_that_does_not_exist_fails() -> None:
    results, told = _run(_agent([SimpleNamespace(id="x", tool="curl", input={})]), DEDUPE)
    assert told == ["tool_call_started", "failed"]
    assert "not available" in str(results["x"]) or "no tool" in str(results["x"])


def test_an_error_that_a_tool_returns_is_a_failure() -> None:
    async def bash(command: str) -> dict[str, str]:
        return {"error": command}

    _, told = _run(_agent([FIRST], [AGAIN], tools=[bash]), DEDUPE)
    assert told == ["tool_call_started", "failed"] * 2


def test_two_users_may_name_their_sessions_alike() -> None:
    events: list[Event] = []

    async def go() -> None:
        app = App(name="app", root_agent=_agent([FIRST]), plugins=[guard(Sessions(DEDUPE, on_event=events.append))])
        runner = InMemoryRunner(app=app)
        for user in ("one", "two"):
            await runner.session_service.create_session(app_name="app", user_id=user, session_id="main")
            message = types.UserContent("Go.")
            assert [event async for event in runner.run_async(user_id=user, session_id="main", new_message=message)]

    asyncio.run(go())
    assert {event.session_id for event in events} == {"app/one/main", "app/two/main"}


@pytest.mark.parametrize(("confirmed", "outcome"), [(True, "succeeded"), (False, "denied")])
def test_a_person_lets_a_call_run_or_denies_it(confirmed: bool, outcome: str) -> None:  # noqa: FBT001
    events: list[Event] = []

    async def go() -> None:
        agent = _agent([FIRST], tools=[FunctionTool(bash, require_confirmation=True)])
        app = App(name="app", root_agent=agent, plugins=[guard(Sessions(DEDUPE, on_event=events.append))])
        runner = InMemoryRunner(app=app)
        await runner.session_service.create_session(app_name="app", user_id="user", session_id="main")

        async def send(message: types.Content) -> list[types.FunctionCall]:
            run = runner.run_async(user_id="user", session_id="main", new_message=message)
            return [call async for event in run for call in event.get_function_calls()]

        (_, question) = await send(types.UserContent("Go."))
        answer = types.FunctionResponse(id=question.id, name=question.name, response={"confirmed": confirmed})
        await send(types.Content(role="user", parts=[types.Part(function_response=answer)]))

    asyncio.run(go())
    assert _told(events) == ["tool_call_started", "denied", "tool_call_started", outcome]


def test_a_plugin_that_holds_the_first_call_up_does_not_change_the_order() -> None:
    class Slow(BasePlugin):
        async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
            await asyncio.sleep(0.05 if tool_context.function_call_id == FIRST.id else 0)

    events: list[Event] = []

    async def go() -> None:
        plugins = [Slow("slow"), guard(Sessions(ToolPolicy(maxToolCalls=1), on_event=events.append))]
        runner = InMemoryRunner(app=App(name="app", root_agent=_agent([FIRST, SECOND]), plugins=plugins))
        await runner.run_debug("Go.", quiet=True)

    asyncio.run(go())
    assert [event.call_id for event in events if isinstance(event, ToolRejected)] == [SECOND.id]
