"""The Claude Agent SDK under the gate, against a stand-in for the Claude Code process: its side of the protocol."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, ClassVar

import pytest
from samecall import Event, PolicyError, ToolPolicy
from samecall.adapters.claude_agent_sdk import guard
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import (
    FINAL_TEXT,
    Call,
    Conformance,
    Need,
    Played,
    Seen,
    ToolBrokenError,
    Turn,
    World,
    need_framework,
    told,
)

need_framework("claude_agent_sdk")

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ClaudeSDKClient, TextBlock, Transport


class StandIn(Transport):
    """What Claude Code does with hooks in one turn: it asks before each call of a response, and tells how it ended."""

    def __init__(self, world: World, turn: Turn) -> None:
        self._world = world
        self._turn = turn
        self._out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._callbacks: dict[str, list[str]] = {}
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._turns: set[asyncio.Task[None]] = set()
        self.seen: list[Seen] = []

    async def connect(self) -> None:
        pass

    async def write(self, data: str) -> None:
        message = json.loads(data)
        match message:
            case {"type": "control_request", "request": {"subtype": "initialize", "hooks": hooks}}:
                self._callbacks = {
                    event: [callback for matcher in matchers for callback in matcher["hookCallbackIds"]]
                    for event, matchers in hooks.items()
                }
                ready = {"subtype": "success", "request_id": message["request_id"], "response": {}}
                await self._out.put({"type": "control_response", "response": ready})
            case {"type": "control_response", "response": {"request_id": asked, **response}}:
                self._answers.pop(asked).set_result(response["response"])
            case {"type": "user"}:
                self._turns.add(asyncio.create_task(self._play()))
            case _:
                raise AssertionError(message)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (message := await self._out.get()) is not None:
            yield message

    async def close(self) -> None:
        await self._out.put(None)

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        pass

    async def _play(self) -> None:
        await self._hook("UserPromptSubmit", prompt=self._turn.prompt)
        for number in range(len(self._turn.responses)):
            calls = self._world.respond(self._turn.prompt, number)
            await self._say(
                [{"type": "tool_use", "id": call.id, "name": call.tool, "input": call.input} for call in calls]
            )
            results = await asyncio.gather(*map(self._call, calls))
            self.seen += results
            blocks = [_block(one) for one in results]
            await self._out.put({"type": "user", "message": {"role": "user", "content": blocks}})
        await self._say([{"type": "text", "text": FINAL_TEXT}])
        await self._hook("Stop", stop_hook_active=False)
        times = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 1, "session_id": self._turn.session}
        await self._out.put({"type": "result", "subtype": "success", "is_error": False, **times})

    async def _say(self, content: list[dict[str, Any]]) -> None:
        message = {"role": "assistant", "model": "scripted", "content": content}
        await self._out.put({"type": "assistant", "message": message, "session_id": self._turn.session})

    async def _call(self, call: Call) -> Seen:
        named = {"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id}
        (said,) = await self._hook("PreToolUse", **named)
        before = said.get("hookSpecificOutput", {})
        if before.get("permissionDecision") == "deny":
            return Seen(call.id, before["permissionDecisionReason"], error=True)
        if self._world.denies(call.tool, call.text):
            return Seen(call.id, "The user doesn't want to proceed.", error=True)
        try:
            result = await asyncio.to_thread(self._world.run, call.tool, call.text)
        except ToolBrokenError as error:
            await self._hook("PostToolUseFailure", **named, error=str(error))
            return Seen(call.id, str(error), error=True)
        await self._hook("PostToolUse", **named, tool_response=result)
        return Seen(call.id, f"{json.dumps(result)}\n{before.get('additionalContext', '')}", result, error=False)

    async def _hook(self, event: str, **fields: Any) -> list[Any]:
        common = {
            "session_id": self._turn.session,
            "prompt_id": self._turn.prompt,
            "hook_event_name": event,
            "cwd": "/",
        }
        return [await self._ask(callback, {**common, **fields}) for callback in self._callbacks[event]]

    async def _ask(self, callback: str, event: dict[str, Any]) -> Any:
        asked = f"{event['hook_event_name']} {event.get('tool_use_id', '')}"
        self._answers[asked] = answer = asyncio.get_running_loop().create_future()
        request = {"subtype": "hook_callback", "callback_id": callback, "input": event}
        await self._out.put({"type": "control_request", "request_id": asked, "request": request})
        return await answer


def _block(one: Seen) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": one.call_id, "content": one.text, "is_error": one.error}


class ClaudeAgentSDK:
    """The SDK's client with our hooks, one connection a turn, as for a session that is resumed."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._world = world
        self._hooks = guard(sessions)

    def play(self, turn: Turn) -> Played:
        return asyncio.run(self._play(turn))

    async def _play(self, turn: Turn) -> Played:
        stand_in = StandIn(self._world, turn)
        text = ""
        async with ClaudeSDKClient(ClaudeAgentOptions(hooks=self._hooks), transport=stand_in) as client:
            await client.query(turn.prompt)
            async for message in client.receive_response():
                if isinstance(message, AssistantMessage):
                    text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
        return Played(stand_in.seen, text=text)


class TestClaudeAgentSDK(Conformance):
    """The scenarios: Claude Code asks for each call of a response, in its order."""

    driver = ClaudeAgentSDK
    limits: ClassVar[Mapping[Need, str]] = {
        "denial": "Claude Code does not tell its hooks that the user denied a call: its place is given back at the end",
        "reuse": "a hook can refuse a call, not answer it",
    }


def _events(**policy: Any) -> tuple[Any, list[Event]]:
    events: list[Event] = []
    hooks = guard(Sessions(ToolPolicy(**policy), on_event=events.append))

    def hook(name: str, **fields: Any) -> Any:
        event: Any = {"session_id": "s", "prompt_id": "p", "hook_event_name": name, **fields}
        return asyncio.run(hooks[name][0].hooks[0](event, None, {"signal": None}))  # type: ignore[index, arg-type]

    return hook, events


CALL = {"tool_name": "Bash", "tool_input": {"command": "cat a.txt"}, "tool_use_id": "a"}


def test_reuse_is_refused_where_it_could_not_be_kept() -> None:
    with pytest.raises(PolicyError, match="a hook cannot answer a call"):
        guard(ToolPolicy(dedupeToolCalls=True, onDuplicateToolCall="reuse"))


@pytest.mark.parametrize("end", ["Stop", "UserPromptSubmit"])
def test_a_call_that_never_ran_was_denied_when_the_turn_is_over(end: str) -> None:
    hook, events = _events()
    hook("PreToolUse", **CALL)
    hook(end, prompt="Go on.")
    assert told(events) == ["tool_call_started", "denied"]


def test_an_interrupted_call_is_cancelled() -> None:
    hook, events = _events()
    hook("PreToolUse", **CALL)
    hook("PostToolUseFailure", **CALL, error="interrupted", is_interrupt=True)
    assert told(events) == ["tool_call_started", "cancelled"]


def test_a_call_ends_as_it_was_proposed_whatever_another_hook_made_of_it() -> None:
    hook, events = _events(dedupeToolCalls=True)
    hook("PreToolUse", **CALL)
    hook("PostToolUse", **{**CALL, "tool_input": {"command": "cat b.txt"}}, tool_response="b")
    assert told(events) == ["tool_call_started", "succeeded"]


def test_a_subagent_has_a_history_of_its_own_and_shares_the_budget() -> None:
    hook, events = _events(maxToolCalls=2, dedupeToolCalls=True)
    for agent, number in (({}, "a"), ({"agent_id": "helper"}, "b"), ({"agent_id": "helper"}, "c")):
        said = hook("PreToolUse", **{**CALL, "tool_use_id": number}, **agent)
        if not said:
            hook("PostToolUse", **{**CALL, "tool_use_id": number}, **agent, tool_response="")
    assert told(events) == ["tool_call_started", "succeeded"] * 2 + ["tool_rejected"]


def test_after_compaction_a_call_may_be_repeated() -> None:
    hook, events = _events(dedupeToolCalls=True)
    hook("PreToolUse", **CALL)
    hook("PostToolUse", **CALL, tool_response="")
    hook("PreCompact", trigger="auto", custom_instructions=None)
    assert hook("PreToolUse", **{**CALL, "tool_use_id": "b"}) == {}
    assert told(events) == ["tool_call_started", "succeeded", "tool_call_started"]
