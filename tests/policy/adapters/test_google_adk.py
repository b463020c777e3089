"""ADK's runner, with a scripted model, under the gate."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest
from samecall import Event, ToolPolicy, ToolRejected
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
from google.adk.tools import AgentTool, FunctionTool
from google.genai import types


class ScriptedModel(BaseLlm):
    """A model that is told what to say by the conversation: it has no memory to mix up."""

    respond: Callable[[str, int], Sequence[Call]]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:  # noqa: FBT001, FBT002, ARG002 - the signature is ADK's
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

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> Any:  # noqa: ARG002
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
        place: dict[str, str] = {"user_id": "user", "session_id": turn.session}
        if not await self._runner.session_service.get_session(app_name="app", **place):
            await self._runner.session_service.create_session(app_name="app", **place)
        failed = len(self._answering.failures)
        played = Played()
        async for event in self._runner.run_async(new_message=types.UserContent(turn.prompt), **place):
            played.seen += [_seen(response) for response in event.get_function_responses()]
            if event.is_final_response():
                played.text = event.content.parts[0].text
        played.failures = self._answering.failures[failed:] if turn.session == "main" else None
        return played


def _seen(response: Any) -> Seen:
    return Seen(response.id, json.dumps(response.response), response.response, "error" in response.response)


class TestGoogleADK(Conformance):
    """The scenarios; the calls of a batch are tasks."""

    driver = GoogleADK
