"""The proxy: the scenarios against a server in threads, then real processes, byte for byte."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import Any, ClassVar

import pytest
from samecall import Event, ToolPolicy
from samecall.adapters.mcp_proxy import Proxy
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

PATIENCE = 20.0


def _line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _request(number: object, name: str, arguments: dict[str, str], **meta: str) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def _response(number: object, text: str, payload: object = None, *, error: bool = False) -> dict[str, Any]:
    result = {"content": [{"type": "text", "text": text}], "structuredContent": {"result": payload}, "isError": error}
    return {"jsonrpc": "2.0", "id": number, "result": result}


class MCPProxy:
    """A client and a server with the proxy between them; the server answers each call from a thread of its own."""

    def __init__(self, sessions: Sessions, world: World) -> None:
        self._world = world
        self._answers: dict[str, SimpleQueue[Any]] = {}
        self._proxy = Proxy(sessions, self._serve, self._deliver)

    def play(self, turn: Turn) -> Played:
        played = Played()
        for number in range(len(turn.responses)):
            calls = self._world.respond(turn.prompt, number)
            ids = {call.id: f"{turn.prompt} {call.id}" for call in calls}
            for call in calls:
                self._answers[ids[call.id]] = SimpleQueue()
                meta = {SESSION: turn.session, TURN: turn.prompt}
                self._proxy.from_client(_line(_request(ids[call.id], call.tool, dict(call.input), **meta)))
            played.seen += [_seen(call, self._answers[ids[call.id]].get(timeout=PATIENCE)) for call in calls]
        return played

    def _serve(self, line: bytes) -> None:
        threading.Thread(target=self._answer, args=(json.loads(line),)).start()

    def _answer(self, request: dict[str, Any]) -> None:
        (text,) = request["params"]["arguments"].values()
        try:
            result = self._world.run(request["params"]["name"], text)
            response = _response(request["id"], json.dumps(result), result)
        except ToolBrokenError as error:
            response = _response(request["id"], str(error), error=True)
        self._proxy.from_server(_line(response))

    def _deliver(self, line: bytes) -> None:
        response = json.loads(line)
        self._answers[response["id"]].put(response["result"])


def _seen(call: Call, result: dict[str, Any]) -> Seen:
    text = "\n".join(block["text"] for block in result["content"])
    return Seen(call.id, text, result.get("structuredContent"), result["isError"])


class TestMCPProxy(Conformance):
    """The scenarios: requests reach the proxy in the order in which the client writes them."""

    driver = MCPProxy
    limits: ClassVar[Mapping[Need, str]] = {
        "denial": "who denies a call sits at the client: the proxy never hears of it"
    }


class Wire:
    """A proxy whose two ends are lists of lines."""

    def __init__(self, **policy: Any) -> None:
        self.events: list[Event] = []
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        sessions = Sessions(ToolPolicy(**policy), on_event=self.events.append)
        self.proxy = Proxy(sessions, self.to_server.append, self.to_client.append)

    def call(self, number: object, text: str = "1") -> None:
        self.proxy.from_client(_line(_request(number, "look", {"id": text})))

    def answered(self) -> dict[Any, Any]:
        return {
            message["id"]: message.get("result", message.get("error")) for message in map(json.loads, self.to_client)
        }


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0", "id":1,"method":"initialize","params":{}}\n',
        b'{"jsonrpc": "2.0","id":  2,"method":"tools/list"}\r\n',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}\n',
        b'{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}\n',
        b'{"jsonrpc":"2.0","id":8,"error":{"code":-1,"message":"no"}}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}}\n',
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
        b'{"id":1,"method":"tools/call","params":{"name":7}}\n',
        b'{"method":"tools/call","params":{"name":"look"}}\n',
        b'{"id":null,"method":"tools/call","params":{"name":"look"}}\n',
        b'{"id":[1],"result":{"tools":7}}\n',
        b'{"method":"notifications/cancelled","params":{"requestId":{}}}\n',
        b"[" * 100_000 + b"\n",
        b"\xff not json\n",
        b"\n",
        b"{",
    ],
)
def test_what_is_no_tool_call_passes_as_it_came(line: bytes) -> None:
    wire = Wire(maxToolCalls=0)
    wire.proxy.from_client(line)
    wire.proxy.from_server(line)
    assert wire.to_server == [line]
    assert wire.to_client == [line]


def test_a_call_that_runs_and_its_result_pass_as_they_came() -> None:
    wire = Wire(maxToolCalls=1)
    call, result = (
        b'{"id": "x", "method":"tools/call","params":{"name": "look" }}\n',
        b'{"id":"x", "result":{"content":[]}}\n',
    )
    wire.proxy.from_client(call)
    wire.proxy.from_server(result)
    assert (wire.to_server, wire.to_client) == ([call], [result])
    assert told(wire.events) == ["tool_call_started", "succeeded"]


def test_of_a_batch_only_what_runs_goes_on() -> None:
    wire = Wire(maxToolCalls=1)
    batch = [
        _request(1, "look", {"id": "1"}),
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        _request(3, "look", {"id": "2"}),
    ]
    wire.proxy.from_client(_line(batch))
    assert [part["id"] for part in json.loads(wire.to_server[0])] == [1, 2]
    assert wire.answered()[3]["isError"]


@pytest.mark.parametrize("response", [{"result": 7}, {"error": 7}, {"result": {"content": 7}}, {}])
def test_a_response_of_any_form_ends_its_call(response: dict[str, Any]) -> None:
    wire = Wire(dedupeToolCalls=True, onDuplicateToolCall="warn", effects={"look": "read"})
    wire.proxy.from_client(_line(_request("first", "look", {})))
    wire.proxy.from_server(_line(_response("first", "seen")))
    wire.proxy.from_client(b'{"id":1,"method":"tools/call","params":{"name":"look","_meta":7}}\n')
    wire.proxy.from_server(_line({"id": 1, **response}))
    assert len(wire.to_client) == 2
    assert told(wire.events)[-1] in {"succeeded", "failed"}


@pytest.mark.parametrize("tools", [7, [7], [{}], [{"name": 7, "annotations": 7}], None])
def test_a_list_of_tools_of_any_form_passes(tools: object) -> None:
    wire = Wire()
    wire.proxy.from_client(b'{"id":0,"method":"tools/list"}\n')
    wire.proxy.from_server(_line({"id": 0, "result": {"tools": tools}}))
    assert wire.answered() == {0: {"tools": tools}}


def test_ids_of_different_types_are_different_calls() -> None:
    wire = Wire(maxToolCalls=2)
    wire.call(1)
    wire.call("1")
    wire.proxy.from_server(_line(_response("1", "b")))
    wire.proxy.from_server(_line(_response(1, "a")))
    assert told(wire.events) == ["tool_call_started"] * 2 + ["succeeded"] * 2


def test_a_call_that_asks_for_input_first_has_not_run() -> None:
    wire = Wire(maxToolCalls=1)
    wire.call(1)
    wire.proxy.from_server(b'{"id":1,"result":{"resultType":"input_required","inputRequests":{}}}\n')
    wire.call(2)
    wire.proxy.from_server(_line(_response(2, "seen")))
    assert told(wire.events) == ["tool_call_started", "denied", "tool_call_started", "succeeded"]


def test_an_error_of_the_protocol_is_a_failed_call() -> None:
    wire = Wire()
    wire.call(1)
    wire.proxy.from_server(b'{"id":1,"error":{"code":-32602,"message":"Invalid arguments"}}\n')
    assert told(wire.events) == ["tool_call_started", "failed"]


def test_a_call_that_the_client_cancels_is_cancelled_and_the_server_hears_of_it() -> None:
    wire = Wire()
    wire.call(1)
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    wire.proxy.from_client(cancel)
    wire.proxy.from_server(_line(_response(1, "too late")))
    assert wire.to_server[1] == cancel
    assert told(wire.events) == ["tool_call_started", "cancelled"]


def test_a_call_that_waits_for_its_copy_is_answered_also_when_the_server_dies() -> None:
    wire = Wire(dedupeToolCalls=True, onDuplicateToolCall="reuse", effects={"look": "read"})
    wire.call(1)
    wire.call(2)
    wire.proxy.close()
    assert set(wire.answered()) == {2}
    assert "unknown" in told(wire.events)


def test_annotations_declare_effects() -> None:
    wire = Wire(dedupeToolCalls=True)
    wire.proxy.from_client(b'{"id":0,"method":"tools/list"}\n')
    tools = [{"name": "look", "inputSchema": {}, "annotations": {"readOnlyHint": True}}]
    wire.proxy.from_server(_line({"id": 0, "result": {"tools": tools}}))
    for number, text in enumerate(("1", "2", "1"), 1):
        wire.call(number, text)
        if number not in wire.answered():
            wire.proxy.from_server(_line(_response(number, "seen")))
    assert [number for number, result in wire.answered().items() if result.get("isError")] == [3]


SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "die":
        sys.exit(7)
    if "id" in request:
        text = request.get("params", {}).get("arguments", {}).get("id", "-")
        result = {"content": [{"type": "text", "text": text}], "isError": False}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start ``samecall mcp`` in front of a small server."""
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    options = ["--max-tool-calls", "1", "--dedupe-tool-calls"]
    command = [sys.executable, "-m", "samecall", "mcp", *options, "--", sys.executable, str(script)]
    # The command is fixed; nothing in it comes from outside.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ)  # noqa: S603
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _ask(process: subprocess.Popen[bytes], message: object) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_line(message))
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def test_the_process_refuses_and_ends_with_its_client(proxied: subprocess.Popen[bytes]) -> None:
    assert (
        _ask(proxied, _request(1, "look", {"id": "big" * 100_000}))["result"]["content"][0]["text"] == "big" * 100_000
    )
    assert _ask(proxied, _request(2, "look", {"id": "2"}))["result"]["isError"] is True
    assert _ask(proxied, {"jsonrpc": "2.0", "id": 3, "method": "ping"})["result"]["isError"] is False
    rest, _ = proxied.communicate(timeout=PATIENCE)
    assert (rest, proxied.returncode) == (b"", 0)


def test_the_process_ends_with_its_server_and_with_its_status(proxied: subprocess.Popen[bytes]) -> None:
    assert proxied.stdin is not None
    proxied.stdin.write(_line({"jsonrpc": "2.0", "method": "die"}))
    proxied.stdin.flush()
    assert proxied.wait(PATIENCE) == 7


def test_a_signal_reaches_the_server(proxied: subprocess.Popen[bytes]) -> None:
    _ask(proxied, {"jsonrpc": "2.0", "id": 3, "method": "ping"})
    proxied.send_signal(signal.SIGTERM)
    assert proxied.wait(PATIENCE) == 128 + signal.SIGTERM


def test_a_command_that_is_not_there_is_said_in_one_line() -> None:
    command = [sys.executable, "-m", "samecall", "mcp", "--", "no-such-server"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - as above
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "samecall: cannot start no-such-server: No such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--", "true"], 0, ["every call may run: no --max-tool-calls, no --dedupe-tool-calls"]),
        (["--max-tool-calls", "1", "--", "true"], 0, []),
        (["--max-tool-calls", "1", "true"], 0, []),
        (
            ["--", "true", "--max-tool-calls=3"],
            0,
            [
                "--max-tool-calls=3 goes to true: options of samecall stand before --",
                "every call may run: no --max-tool-calls, no --dedupe-tool-calls",
            ],
        ),
        (["server", "--port", "3"], 2, ["No such option '--port'; options of the server's own command go after --"]),
        (["--effect", "x=y", "--", "true"], 2, ['--effect: x: must be "read" or "write" or "volatile"']),
    ],
)
def test_what_was_not_meant_is_told(arguments: list[str], status: int, told: list[str]) -> None:
    command = [sys.executable, "-m", "samecall", "mcp", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603 - as above
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.splitlines() == [f"samecall: {line}" for line in told]


SDK_SERVER = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("library", log_level="CRITICAL")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def look(id: str, context: Context) -> dict[str, str]:
    await context.report_progress(1, 2, "half way")
    return {"title": f"Judgment {id}"}

server.run()
"""


def test_a_client_and_a_server_of_the_official_sdk_do_not_notice_it(tmp_path: Path) -> None:
    need_framework("mcp")
    from mcp import Client, StdioServerParameters  # noqa: PLC0415

    script = tmp_path / "server.py"
    script.write_text(SDK_SERVER)
    options = ["--dedupe-tool-calls", "--on-duplicate-tool-call", "reuse", "--max-tool-calls", "2"]
    server = [sys.executable, str(script)]
    start = StdioServerParameters(command=sys.executable, args=["-m", "samecall", "mcp", *options, "--", *server])

    async def go() -> None:
        halves: list[float] = []

        async def half(progress: float, total: float | None, message: str | None) -> None:
            assert (total, message) == (2, "half way")
            halves.append(progress)

        async with Client(start) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["look"]
            first = await client.call_tool("look", {"id": "9"}, progress_callback=half)
            assert halves == [1]
            assert await client.call_tool("look", {"id": "9"}) == first
            await client.call_tool("look", {"id": "10"})
            assert (await client.call_tool("look", {"id": "11"})).is_error

    asyncio.run(go())
