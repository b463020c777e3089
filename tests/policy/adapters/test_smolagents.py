"""smolagents' ``ToolCallingAgent``, with a scripted model, under the gate."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import pytest
from samecall import Event, ToolPolicy
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
        return guard(agent, self._sessions, session_id=session_id), model


class TestSmolAgents(Conformance):
    """The scenarios; the calls of a batch run in threads."""

    driver = SmolAgents
    limits: ClassVar[Mapping[Need, str]] = {
        "sessions": "an agent object is one conversation and takes one turn at a time",
        "denial": "nobody else has a place between the model's call and the tool",
    }
