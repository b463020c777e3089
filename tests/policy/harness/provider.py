"""A provider that plays a script on a free port, and checks every history that it is sent.

It speaks OpenAI's chat API and Anthropic's messages API.

It is also the source that the scripted models read: any path answers, ``/slow`` late, and who asks is counted.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """One reply: text, and calls as (tool, arguments, id); arguments that are text go out as they are."""

    text: str = ""
    calls: Sequence[tuple[str, Json | str, str]] = ()
    finish_reason: str = ""
    usage: bool = True


@dataclass(frozen=True)
class Fail:
    """No reply: an error status, or a body that ends early, or is no JSON, or comes late."""

    status: int = 200
    body: bytes = b""
    missing: int = 0
    seconds: float = 0


@dataclass
class Script:
    """What the model does: batches of calls in turn, then the answer. ``deaf``: it calls tools even if they are off."""

    steps: Sequence[Say | Fail] = ()
    answer: str = "The answer."
    deaf: bool = False
    delay: float = 0


@dataclass
class Provider:
    """The running server, and what it saw."""

    url: str
    script: Script = field(default_factory=Script)
    requests: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: Counter[str] = field(default_factory=Counter)
    asked: threading.Event = field(default_factory=threading.Event)
    step: int = 0

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def play(self, *steps: Say | Fail, answer: str = "The answer.", deaf: bool = False, delay: float = 0) -> None:
        """Take a new script."""
        self.script, self.step = Script(steps, answer, deaf, delay), 0

    def reply(self, request: Json) -> Say | Fail:
        self.requests.append(request)
        self.problems += faults(request["messages"])
        self.asked.set()
        time.sleep(self.script.delay)
        off = request.get("tool_choice") == "none" or not request.get("tools")
        if off and not self.script.deaf:
            return Say(self.script.answer)
        steps, place = self.script.steps, self.step
        self.step += 1
        if place < len(steps):
            return steps[place]
        return steps[-1] if self.script.deaf else Say(self.script.answer)


def faults(messages: list[Json]) -> list[str]:
    """Say what makes a history invalid: a call id that is used twice, not answered, or answered twice."""
    found, seen = [], set[str]()
    waiting: Counter[str] = Counter()
    for message in messages:
        if message["role"] == "tool":
            waiting[message["tool_call_id"]] -= 1
            if waiting[message["tool_call_id"]] < 0:
                found.append(f"a result nobody asked for: {message['tool_call_id']}")
            continue
        found += [f"no result: {call_id}" for call_id, count in waiting.items() if count > 0]
        waiting = Counter()
        if message["role"] == "assistant":
            calls = [call["id"] for call in message.get("tool_calls") or []]
            found += [f"an id used twice: {call_id}" for call_id in calls if call_id in seen]
            seen.update(calls)
            waiting.update(calls)
            if not calls and not message.get("content"):
                found.append("an empty message")
    return found + [f"no result: {call_id}" for call_id, count in waiting.items() if count > 0]


def from_anthropic(request: Json) -> Json:
    """Return a request to the messages API as far as the script and the checks need it, in the form of the other."""
    messages = list[Json]()
    for message in request["messages"]:
        blocks = message["content"]
        calls = [{"id": block["id"]} for block in blocks if block["type"] == "tool_use"]
        results = [block for block in blocks if block["type"] == "tool_result"]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        for block in results:
            content = "".join(part["text"] for part in block["content"])
            messages.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": content})
        if calls or text or not results:
            messages.append({"role": message["role"], "content": text, "tool_calls": calls})
    return {"messages": messages, "tools": request.get("tools"), "tool_choice": request["tool_choice"]["type"]}


def anthropic_message(say: Say) -> Json:
    calls = [{"type": "tool_use", "id": call_id, "name": name, "input": given} for name, given, call_id in say.calls]
    text = [{"type": "text", "text": say.text}] if say.text else []
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [*text, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def completion(say: Say) -> Json:
    calls = [
        {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for name, given, call_id in say.calls
    ]
    body: Json = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": say.finish_reason or ("tool_calls" if calls else "stop"),
                "message": {
                    "role": "assistant",
                    "content": say.text or None,
                    **({"tool_calls": calls} if calls else {}),
                },
            }
        ],
    }
    if say.usage:
        body["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return body


class Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        self.provider.read[self.path.partition("?")[0]] += 1
        if self.path == "/slow":
            time.sleep(0.2)
        self._send(200, json.dumps({"path": self.path, "text": "A report of an allegation is no defence."}).encode())

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        anthropic = self.path.endswith("/messages")
        match self.provider.reply(from_anthropic(request) if anthropic else request):
            case Say() as say:
                body = anthropic_message(say) if anthropic else completion(say)
                self._send(200, json.dumps(body).encode())
            case Fail() as fail:
                time.sleep(fail.seconds)
                self._send(fail.status, fail.body, fail.missing)

    def _send(self, status: int, body: bytes, missing: int = 0) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) + missing))
            self.end_headers()
            self.wfile.write(body)
        except BrokenPipeError:  # the client gave up waiting
            pass
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[Provider]:
    """Serve on a free port."""

    class Bound(Handler):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    Bound.provider = provider
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


def bash(*commands: str, first: int = 1) -> Say:
    """Return a batch of bash calls, their ids counted from ``first``."""
    return Say(calls=[("bash", {"command": command}, f"call_{first + n}") for n, command in enumerate(commands)])
