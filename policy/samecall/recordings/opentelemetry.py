"""OpenTelemetry spans of agents, as OTLP JSON: ``execute_tool`` spans, and the messages of a model's spans.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ (1.37 to 1.41, in development). A conversation is a session, and a
trace of it a turn; a trace without ``gen_ai.conversation.id`` is a session. A tool's span need not have it: its trace's
counts. Arguments and results are there only where the instrumentation was told to record them. Exporters write a span
when it ends: spans that come together are sorted by their start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .draft import Draft, Drafts
from .values import Json, arguments, identity, instant, items, kind, obj, string, words

FORMAT = "opentelemetry"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are spans with attributes of this kind."""
    return any(
        string(attribute.get("key")).startswith("gen_ai.")
        for record in records
        for span in _spans(record)
        for attribute in items(span.get("attributes"))
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read an export, or a single span."""
    spans = sorted(_spans(record), key=lambda span: instant(span.get("startTimeUnixNano"), 1e-9) or 0.0)
    for span in spans:
        conversation = string(_attributes(span).get("gen_ai.conversation.id"))
        if conversation:
            drafts.sessions[string(span.get("traceId"))] = conversation
    for span in spans:
        _read_span(span, drafts)
    return bool(spans)


def _spans(record: Json) -> Iterator[Json]:
    for resource in items(record.get("resourceSpans")):
        for scope in items(resource.get("scopeSpans")):
            yield from items(scope.get("spans"))
    if "spanId" in record:
        yield record


def _read_span(span: Json, drafts: Drafts) -> None:
    found = _attributes(span)
    operation = string(found.get("gen_ai.operation.name"))
    if not any(name.startswith("gen_ai.") for name in found):
        return
    trace = string(span.get("traceId"))
    draft = drafts.get(string(found.get("gen_ai.conversation.id")) or drafts.sessions.get(trace, trace))
    draft.turn_of(trace)
    if operation == "execute_tool":
        _read_tool(span, found, draft)
        return
    draft.batch(string(span.get("spanId")))
    for message in [*_messages(found, "gen_ai.input.messages"), *_messages(found, "gen_ai.output.messages")]:
        _read_message(message, draft)


def _read_tool(span: Json, found: Json, draft: Draft) -> None:
    started, ended = (instant(span.get(f"{end}TimeUnixNano"), 1e-9) for end in ("start", "end"))
    given = arguments(found.get("gen_ai.tool.call.arguments"))
    name = string(found.get("gen_ai.tool.name"))
    call_id = identity(found.get("gen_ai.tool.call.id"))
    if call_id is None or not draft.has(call_id):
        # A call that its model's span does not show: it may be of any batch, so it is one.
        draft.batch()
    made = draft.call(name, given, call_id, started=started)
    result = found.get("gen_ai.tool.call.result")
    # Status 2 is an error: https://github.com/open-telemetry/opentelemetry-proto, trace.proto
    failed = "error.type" in found or obj(span.get("status")).get("code") in (2, "STATUS_CODE_ERROR")
    draft.result(made, None if result is None else words(result), "failed" if failed else "succeeded", ended=ended)


def _messages(found: Json, name: str) -> list[Json]:
    return items(arguments(found.get(name)))


def _read_message(message: Json, draft: Draft) -> None:
    for part in items(message.get("parts")):
        match kind(part):
            case "tool_call":
                draft.call(string(part.get("name")), arguments(part.get("arguments")), identity(part.get("id")))
            case "tool_call_response":
                text = words(part.get("response", part.get("result")))
                draft.result(string(part.get("id")), text, "succeeded")
            case "text":
                if message.get("role") == "assistant":
                    draft.text(string(part.get("content")))
            case _:
                pass


def _attributes(span: Json) -> Json:
    return {string(attribute.get("key")): _value(attribute.get("value")) for attribute in items(span.get("attributes"))}


def _value(value: object) -> object:
    """Return an attribute's value out of the wrapping that tells its type."""
    body = obj(value)
    for name in ("stringValue", "intValue", "doubleValue", "boolValue"):
        if name in body:
            return body[name]
    if "arrayValue" in body:
        return [_value(part) for part in items(obj(body["arrayValue"]).get("values"))]
    if "kvlistValue" in body:
        pairs = items(obj(body["kvlistValue"]).get("values"))
        return {string(pair.get("key")): _value(pair.get("value")) for pair in pairs}
    return None
