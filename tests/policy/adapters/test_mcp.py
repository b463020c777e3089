"""A server of the official MCP SDK under the gate: in memory, and behind the proxy as a process of its own."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, ClassVar

from samecall import Event, ToolPolicy
from samecall.adapters.mcp import Turns, guard
from samecall.adapters.mcp_wire import SESSION, TURN
from samecall.adapters.sessions import Sessions

from tests.policy.adapters.harness import (
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

need_framework("mcp")

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations


def _server(world: World, sessions: Sessions) -> MCPServer:
    server = MCPServer("tools", middleware=[guard(sessions)], log_level="CRITICAL")

    def run(tool: str, text: str) -> CallToolResult:
        try:
            result = world.run(tool, text)
        except ToolBrokenError as error:
            raise ToolError(str(error)) from error
        shown = TextContent(type="text", text=json.dumps(result))
        return CallToolResult(content=[shown], structured_content={"result": result})

    @server.tool()
    def bash(command: str) -> CallToolResult:
        return run("bash", command)

    @server.tool()
    def lookup(id: str) -> CallToolResult:  # noqa: A002 - the argument's name
        return run("lookup", id)

    @server.tool()
    def job_status(job: str) -> CallToolResult:
        return run("job_status", job)

    return server


class MCP:
    """A client that calls what the script says, and tells the server which session and turn it is in."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._world = world
        self._server = _server(world, sessions)

    def play(self, turn: Turn) -> Played:
        return asyncio.run(self._play(turn))

    async def _play(self, turn: Turn) -> Played:
        played = Played()
        meta: Any = {SESSION: turn.session, TURN: turn.prompt}
        async with Client(self._server) as client:
            for number in range(len(turn.responses)):
                calls = self._world.respond(turn.prompt, number)
                played.seen += await asyncio.gather(*(_ask(client, call, meta) for call in calls))
        return played


async def _ask(client: Client, call: Call, meta: Any) -> Seen:
    result = await client.call_tool(call.tool, dict(call.input), meta=meta)
    text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
    return Seen(call.id, text, result.structured_content, result.is_error)


class TestMCP(Conformance):
    """The scenarios, in memory: the calls of a batch are requests at the same time."""

    driver = MCP
    limits: ClassVar[Mapping[Need, str]] = {
        "denial": "who denies a call sits at the client: the server never hears of it"
    }


def _looking(**options: Any) -> tuple[MCPServer, list[Event]]:
    """Return a server with one annotated tool, and the events of its gate."""
    events: list[Event] = []
    server = MCPServer("tools", middleware=[guard(Sessions(ToolPolicy(**options), on_event=events.append))])

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def look(id: str) -> str:  # noqa: A002 - the argument's name
        return id

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    def drop(id: str) -> str:  # noqa: A002 - the argument's name
        return id

    return server, events


async def _call(server: MCPServer, *calls: tuple[str, str], listed: bool = True) -> list[bool]:
    async with Client(server) as client:
        if listed:
            await client.list_tools()
        return [(await client.call_tool(tool, {"id": text})).is_error for tool, text in calls]


def test_a_tool_that_only_reads_makes_nothing_stale() -> None:
    server, _ = _looking(dedupeToolCalls=True)
    calls = [("look", "1"), ("look", "2"), ("look", "1"), ("drop", "1"), ("look", "1")]
    assert asyncio.run(_call(server, *calls)) == [False, False, True, False, False]


def test_what_the_policy_says_of_a_tool_goes_before_its_annotations() -> None:
    server, _ = _looking(dedupeToolCalls=True, effects={"look": "write"})
    assert asyncio.run(_call(server, ("look", "1"), ("look", "2"), ("look", "1"))) == [False, False, False]


def test_a_refusal_fits_a_tool_with_an_output_schema() -> None:
    server, events = _looking(maxToolCalls=0)
    assert asyncio.run(_call(server, ("look", "1"))) == [True]
    assert told(events) == ["tool_rejected"]


def test_a_silence_begins_a_turn() -> None:
    now = 0.0
    turns = Turns(idle=10, clock=lambda: now)
    first = turns.of("one")
    now = 9.0
    assert turns.of("one") == first != turns.of("two")
    now = 18.0
    assert turns.of("one") == first
    now = 28.0
    assert turns.of("one") != first


def test_what_other_middleware_answers_passes_in_its_own_form() -> None:
    server, events = _looking(dedupeToolCalls=True, onDuplicateToolCall="warn")

    async def short_cut(ctx: Any, call_next: Any) -> Any:
        return (
            CallToolResult(content=[], structured_content={"result": ""})
            if ctx.method == "tools/call"
            else await call_next(ctx)
        )

    server.middleware.append(short_cut)
    assert asyncio.run(_call(server, ("look", "1"), ("look", "1"))) == [False, False]
    assert told(events) == ["tool_call_started", "succeeded", "tool_warned", "tool_call_started", "succeeded"]
