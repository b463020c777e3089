"""A server of the official MCP SDK under the gate: in memory, and behind the proxy as a process of its own."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from samecall import Event, MemoryStore, ToolPolicy
from samecall.adapters.mcp import SESSION, TURN, Turns, guard
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
    told,
)

pytest.importorskip("mcp", reason="mcp is not installed")

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
        shown = [TextContent(type="text", text=json.dumps(result))]
        return CallToolResult(content=shown, structured_content={"result": result})

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
    limits = {"denial": "a person who denies a call sits at the client: the server never hears of it"}


async def _call(server: MCPServer, *texts: str) -> list[bool]:
    async with Client(server) as client:
        await client.list_tools()
        return [(await client.call_tool("look", {"id": text})).is_error for text in texts]
