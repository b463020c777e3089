"""Strands' agent, with a scripted model, under the gate."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from samecall import Event, ToolCallFinished, ToolPolicy
from samecall.adapters.sessions import Sessions
from samecall.adapters.strands import guard

from tests.policy.adapters.harness import FINAL_TEXT, Call, Conformance, Need, Played, Seen, Turn, World

pytest.importorskip("strands", reason="strands-agents is not installed")

from pydantic import BaseModel
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent, BeforeToolsEvent
from strands.models import Model


class ScriptedModel(Model):
    """A model that is told what to say by the conversation."""

    def __init__(self, respond: Callable[[str, int], Sequence[Call]]) -> None:
        self._respond = respond

    def update_config(self, **_: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        start = max(
            place for place, one in enumerate(messages) if one["role"] == "user" and "text" in one["content"][0]
        )
        answered = sum(one["role"] == "assistant" for one in messages[start:])
        calls = self._respond(messages[start]["content"][0]["text"], answered)
        yield {"messageStart": {"role": "assistant"}}
        for call in calls:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": call.tool, "toolUseId": call.id}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call.input)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": FINAL_TEXT}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


class Strands:
    """An agent for each session, with a hook that cancels what the scenario denies."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._sessions = sessions
        self._world = world
        self._agents: dict[str, Agent] = {}
        self._failures: list[str] = []

    def play(self, turn: Turn) -> Played:
        agent = self._agents.setdefault(turn.session, self._agent(turn.session))
        begun, failed = len(agent.messages), len(self._failures)
        text = str(agent(turn.prompt)).strip()
        results = [
            content["toolResult"]
            for one in agent.messages[begun:]
            for content in one["content"]
            if "toolResult" in content
        ]
        return Played([_seen(result) for result in results], self._failures[failed:], text)

    def _agent(self, session_id: str) -> Agent:
        def run(name: str, text: str) -> Any:
            gives = self._world.run(name, text)
            return {"status": "success", "content": [{"text" if isinstance(gives, str) else "json": gives}]}

        @tool
        def bash(command: str) -> Any:
            """Run a command."""
            return run("bash", command)

        @tool
        def lookup(id: str) -> Any:  # noqa: A002 - the argument's name
            """Look a record up."""
            return run("lookup", id)

        @tool
        def job_status(job: str) -> Any:
            """Ask how a job is doing."""
            return run("job_status", job)

        agent = Agent(
            ScriptedModel(self._world.respond),
            tools=[bash, lookup, job_status],
            plugins=[guard(self._sessions, session_id=session_id)],
            callback_handler=None,
        )
        agent.add_hook(self._forbid, BeforeToolCallEvent)
        agent.add_hook(self._notice, AfterToolCallEvent)
        return agent

    def _forbid(self, event: BeforeToolCallEvent) -> None:
        if self._world.denies(event.tool_use["name"], str(event.tool_use["input"].get("command"))):
            event.cancel_tool = "Not allowed."

    def _notice(self, event: AfterToolCallEvent) -> None:
        if event.exception:
            self._failures.append(event.tool_use["toolUseId"])


def _seen(result: Any) -> Seen:
    return Seen(result["toolUseId"], json.dumps(result["content"]), result["content"], result["status"] == "error")


class TestStrands(Conformance):
    """The scenarios; the calls of a batch are tasks."""

    driver = Strands
    limits: ClassVar[Mapping[Need, str]] = {
        "sessions": "an agent object is one conversation and takes one turn at a time"
    }


def _agent(*responses: Sequence[Any], policy: ToolPolicy, tools: Sequence[Any] = ()) -> tuple[Agent, list[Event]]:
    """Return an agent that makes these calls in each turn, and the events of its gate."""

    def respond(_: str, answered: int) -> Sequence[Any]:
        return responses[answered] if answered < len(responses) else ()

    events: list[Event] = []
    plugin = guard(Sessions(policy, on_event=events.append))
    return Agent(ScriptedModel(respond), tools=[*tools] or [bash], plugins=[plugin], callback_handler=None), events


def _told(events: Sequence[Event]) -> list[str]:
    told = [event for event in events if event.type != "turn_started"]
    return [event.outcome if isinstance(event, ToolCallFinished) else event.type for event in told]


@tool
def bash(command: str) -> str:
    """Run a command."""
    return command


FIRST, AGAIN = Call("a", "bash", "cat a.txt"), Call("b", "bash", "cat a.txt")
DEDUPE = ToolPolicy(dedupeToolCalls=True)


def test_each_agent_object_is_a_session() -> None:
    plugin = guard(ToolPolicy(maxToolCallsPerSession=1))
    for _ in range(2):
        agent = Agent(ScriptedModel(lambda _, answered: [] if answered else [FIRST]), tools=[bash], plugins=[plugin])
        agent("Go.")
        assert agent.messages[2]["content"][0]["toolResult"]["status"] == "success"


def test_a_whole_batch_that_a_hook_cancels_was_denied() -> None:
    agent, events = _agent([FIRST, Call("c", "bash", "cat c.txt")], policy=DEDUPE)
    agent.add_hook(lambda event: setattr(event, "cancel", "Not now."), BeforeToolsEvent)
    agent("Go.")
    assert _told(events) == ["tool_call_started"] * 2 + ["denied"] * 2


def test_a_call_that_waits_for_a_person_is_not_over() -> None:
    @tool(context=True)
    def bash(command: str, tool_context: ToolContext) -> str:
        """Ask first."""
        return f"{command}: {tool_context.interrupt('ask', reason='May I?')}"

    agent, events = _agent([FIRST], [AGAIN], policy=DEDUPE, tools=[bash])
    (question,) = agent("Go.").interrupts
    assert _told(events) == ["tool_call_started"]
    agent([{"interruptResponse": {"interruptId": question.id, "response": "yes"}}])
    assert _told(events) == ["tool_call_started", "succeeded", "tool_rejected"]


def test_a_refusal_that_a_hook_retries_stays_a_refusal() -> None:
    def retry(event: AfterToolCallEvent) -> None:
        event.retry = event.result["status"] == "error" and not retried
        retried.append(event.tool_use["toolUseId"])

    retried: list[str] = []
    agent, events = _agent([FIRST], policy=ToolPolicy(maxToolCalls=0))
    agent.add_hook(retry, AfterToolCallEvent)
    agent("Go.")
    assert retried == ["a", "a"]
    assert _told(events) == ["tool_rejected"]


def test_the_answer_in_a_structure_is_no_tool_call() -> None:
    class Verdict(BaseModel):
        """The final answer."""

        text: str

    call = SimpleNamespace(id="v", tool="Verdict", input={"text": "guilty"})
    agent, events = _agent([call], policy=ToolPolicy(maxToolCalls=0))
    result = agent("Go.", structured_output_model=Verdict)
    assert result.structured_output == Verdict(text="guilty")
    assert _told(events) == []


def test_what_the_users_code_calls_is_no_call_of_the_model() -> None:
    agent, events = _agent(policy=ToolPolicy(maxToolCalls=0))
    assert agent.tool.bash(command="ls")["status"] == "success"
    assert _told(events) == []


def test_a_run_that_is_cancelled_cancels_its_call() -> None:
    async def go() -> list[str]:
        started = asyncio.Event()

        @tool
        async def bash(command: str) -> str:
            """Never end."""
            started.set()
            await asyncio.sleep(3600)
            return command

        agent, events = _agent([FIRST], policy=DEDUPE, tools=[bash])
        run = asyncio.create_task(agent.invoke_async("Go."))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return _told(events)

    assert asyncio.run(go()) == ["tool_call_started", "cancelled"]
