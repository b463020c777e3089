"""OpenHands: logs of requests to the model (``messages`` and ``response``), and events, old and new.

A log is cumulative: it holds the session up to its request. Models without native calls write them as XML-like text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .draft import Draft, Drafts
from .openai_messages import read_message
from .values import Json, arguments, by_status, identity, instant, items, obj, outcome_of, string, words

FORMAT = "openhands"

_FUNCTION = re.compile(r"<function=([\w.-]+)>")
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>")
_RESULT = re.compile(r"\AEXECUTION RESULT of \[[\w.-]+\]:\n?")
_EVENTS = {"ActionEvent", "ObservationEvent", "MessageEvent", "AgentErrorEvent", "UserRejectObservation"}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether this is a request log, or events that name their cause or have these kinds."""
    return any(
        ("messages" in record and "response" in record)
        or any(
            ("cause" in event and "observation" in event) or string(event.get("kind")) in _EVENTS
            for event in [record, *items(record.get("history"))]
        )
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read an event, or a log or an evaluation's ``history``: a session."""
    if "messages" in record and "response" in record:
        _read_log(record, drafts.next())
        return True
    history = items(record.get("history"))
    if history:
        draft = drafts.next()
        for event in history:
            _read_event(event, draft)
        return True
    return _read_event(record, drafts.get())


def _read_log(log: Json, draft: Draft) -> None:
    replies = [obj(choice.get("message")) for choice in items(obj(log.get("response")).get("choices"))]
    messages = [*items(log.get("messages")), *replies]
    native = any(message.get("tool_calls") for message in messages) and not items(log.get("raw_messages"))
    for message in messages:
        if native:
            read_message(message, draft)
        else:
            _read_text(message, draft)


def _read_text(message: Json, draft: Draft) -> None:
    text = words(message.get("content"))
    if message.get("role") == "assistant":
        start = _FUNCTION.search(text)
        end = text.find("</function>", start.end()) if start else -1
        draft.waiting = []
        if start is None or end < 0:
            draft.text(text)
            return
        draft.text(text[: start.start()] + text[end + len("</function>") :])
        draft.batch()
        draft.waiting = [draft.call(start[1], _parameters(text[start.end() : end]))]
    elif message.get("role") == "user" and draft.waiting and _RESULT.match(text):
        result = _RESULT.sub("", text)
        draft.result(draft.waiting.pop(), result, outcome_of(result))
    elif message.get("role") == "user":
        draft.turn()


def _parameters(body: str) -> dict[str, object]:
    found: dict[str, object] = {}
    place = 0
    while tag := _PARAMETER.search(body, place):
        place = body.find("</parameter>", tag.end())
        if place < 0:
            break
        found[tag[1]] = body[tag.end() : place].strip("\n")
    return found


def _read_event(event: Json, draft: Draft) -> bool:
    if string(event.get("kind")) in _EVENTS:
        return _read_new_event(event, draft)
    origin = obj(event.get("tool_call_metadata"))
    at = instant(event.get("timestamp"))
    if event.get("source") == "user" and event.get("action") == "message":
        draft.turn()
    elif event.get("source") == "agent" and event.get("action") and origin:
        draft.batch(identity(obj(origin.get("model_response")).get("id")))
        call = _native(origin)
        name = string(origin.get("function_name"))
        draft.call(name, arguments(call.get("arguments")), str(event.get("id")), started=at)
    elif "observation" in event:
        text = words(event.get("content"))
        status = obj(obj(event.get("extras")).get("metadata")).get("exit_code")
        draft.result(str(event.get("cause")), text, by_status(status, text), ended=at)
    elif event.get("source") == "agent" and event.get("action") == "message":
        draft.text(string(obj(event.get("args")).get("content")))
    else:
        return False
    return True


def _read_new_event(event: Json, draft: Draft) -> bool:
    at = instant(event.get("timestamp"))
    call_id = string(event.get("tool_call_id"))
    match event.get("kind"):
        case "MessageEvent" if event.get("source") == "user":
            draft.turn()
        case "MessageEvent":
            draft.text(words(obj(event.get("llm_message")).get("content")))
        case "ActionEvent":
            call = obj(event.get("tool_call"))
            given = arguments(call.get("arguments", obj(call.get("function")).get("arguments")))
            draft.batch(identity(event.get("llm_response_id")))
            draft.call(string(event.get("tool_name")), given, call_id or None, started=at)
        case "ObservationEvent":
            seen = obj(event.get("observation"))
            text = words(seen.get("content", seen.get("output")))
            failed = seen.get("is_error") is True
            draft.result(call_id, text, "failed" if failed else by_status(seen.get("exit_code"), text), ended=at)
        case "UserRejectObservation":
            draft.result(call_id, string(event.get("rejection_reason")), "denied", ended=at)
        case _:
            draft.result(call_id, string(event.get("error")), "failed", ended=at)
    return True


def _native(origin: Json) -> Json:
    """Find the call as the model made it: the event's own ``args`` hold the harness's fields, too."""
    calls = [
        call
        for choice in items(obj(origin.get("model_response")).get("choices"))
        for call in items(obj(choice.get("message")).get("tool_calls"))
    ]
    found = [obj(call.get("function")) for call in calls if call.get("id") == origin.get("tool_call_id")]
    return found[0] if found else {}
