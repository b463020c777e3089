"""LangChain's agent, with its own fake chat model, under the gate."""

import json
from collections.abc import Callable, Sequence
from typing import Any

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
)

pytest.importorskip("langchain", reason="langchain is not installed")

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt


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
            middleware=[guard(sessions), HumanInTheLoopMiddleware({"bash": {"allowed_decisions": ["approve", "reject"]}})],
            checkpointer=InMemorySaver(),
        )

    def play(self, turn: Turn) -> Played:
        config: Any = {"configurable": {"thread_id": turn.session}}
        state: Any = self._agent.invoke({"messages": [HumanMessage(turn.prompt)]}, config)
        while pauses := state.get("__interrupt__"):
            asked = [request["args"]["command"] for request in pauses[0].value["action_requests"]]
            decisions = [{"type": "reject" if self._world.denies("bash", text) else "approve"} for text in asked]
            state = self._agent.invoke(Command(resume={"decisions": decisions}), config)
        return _played(state["messages"])


def _played(messages: list[Any]) -> Played:
    start = max(place for place, message in enumerate(messages) if isinstance(message, HumanMessage))
    results = [message for message in messages[start:] if isinstance(message, ToolMessage)]
    seen = [Seen(one.tool_call_id, str(one.content), one.artifact, one.status == "error") for one in results]
    return Played(seen, text=str(messages[-1].content))


class TestLangChain(Conformance):
    """The scenarios, synchronously: the calls of a batch run in threads."""

    driver = LangChain
