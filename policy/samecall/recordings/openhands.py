"""OpenHands: logs of requests to the model (``messages`` and ``response``), and event trajectories.

A log is cumulative: it holds the session up to its request. Models without native calls write them as XML-like text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import openai_messages
from .recording import Draft, Json, Recording, arguments, items, obj, outcome_of, records, string, words

FORMAT = "openhands"

_FUNCTION = re.compile(r"<function=([\w.-]+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)
_RESULT = re.compile(r"\AEXECUTION RESULT of \[[\w.-]+\]:\n?")


def recognizes(document: object) -> bool:
    """Say whether this is a request log, or a list of events that name their cause."""
    body = obj(document)
    return ("messages" in body and "response" in body) or any(
        "cause" in event and "observation" in event for event in records(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read one session."""
    body = obj(document)
    if "messages" not in body:
        yield _read_events(records(document)).done(FORMAT)
        return
    replies = [obj(choice.get("message")) for choice in items(obj(body.get("response")).get("choices"))]
    raw = items(body.get("raw_messages"))
    messages = [*items(body.get("messages")), *replies]
    if any(message.get("tool_calls") for message in messages) and not raw:
        yield openai_messages.read_messages(messages).done(FORMAT)
    else:
        yield _read_text(messages).done(FORMAT)


def _read_text(messages: list[Json]) -> Draft:
    draft = Draft()
    waiting: str | None = None
    for message in messages:
        text = words(message.get("content"))
        if message.get("role") == "assistant":
            draft.text(_FUNCTION.sub("", text))
            draft.batch()
            waiting = None
            for name, body in _FUNCTION.findall(text)[:1]:
                given = {parameter: value.strip("\n") for parameter, value in _PARAMETER.findall(body)}
                waiting = draft.call(name, given)
        elif message.get("role") == "user" and waiting is not None and _RESULT.match(text):
            result = _RESULT.sub("", text)
            draft.result(waiting, result, outcome_of(result))
            waiting = None
        elif message.get("role") == "user":
            draft.turn()
    return draft


def _read_events(events: list[Json]) -> Draft:
    draft = Draft()
    for event in events:
        origin = obj(event.get("tool_call_metadata"))
        if event.get("source") == "user" and event.get("action") == "message":
            draft.turn()
        elif event.get("source") == "agent" and event.get("action") and origin:
            draft.batch()
            call = _native(origin)
            draft.call(string(origin.get("function_name")), arguments(call.get("arguments")), str(event.get("id")))
        elif "observation" in event:
            text = words(event.get("content"))
            status = obj(obj(event.get("extras")).get("metadata")).get("exit_code")
            failed = isinstance(status, int) and status != 0
            draft.result(str(event.get("cause")), text, "failed" if failed else outcome_of(text))
    return draft


def _native(origin: Json) -> Json:
    """Find the call as the model made it: the event's own ``args`` hold the harness's fields, too."""
    calls = [
        call
        for choice in items(obj(origin.get("model_response")).get("choices"))
        for call in items(obj(choice.get("message")).get("tool_calls"))
    ]
    found = [obj(call.get("function")) for call in calls if call.get("id") == origin.get("tool_call_id")]
    return found[0] if found else {}
