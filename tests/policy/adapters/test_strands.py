"""Strands' agent, with a scripted model, under the gate."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, ClassVar

import pytest
from samecall import Event, ToolPolicy
from samecall.adapters.sessions import Sessions
from samecall.adapters.strands import guard

from tests.policy.adapters.harness import FINAL_TEXT, Call, Conformance, Need, Played, Seen, ToolBrokenError, Turn, World

pytest.importorskip("strands", reason="strands-agents is not installed")

from pydantic import BaseModel
from strands import Agent, tool
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
        start = max(place for place, one in enumerate(messages) if one["role"] == "user" and "text" in one["content"][0])
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
            content["toolResult"] for one in agent.messages[begun:] for content in one["content"] if "toolResult" in content
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
    limits: ClassVar[Mapping[Need, str]] = {"sessions": "an agent object is one conversation and takes one turn at a time"}
