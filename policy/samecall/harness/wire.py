"""Between pydantic-ai's messages and ours: calls that come in, results that go out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from callkey import ToolCall
from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart

from ..decisions import Answer
from ..errors import ToolFailedError

_CANCELLED = "Cancelled by the user before there was a result."


def tool_call(part: ToolCallPart) -> ToolCall:
    """Return a call. Arguments that are not JSON stay text: they are keyed as such, and no tool takes them."""
    return ToolCall(part.tool_name, _arguments(part.args), part.tool_call_id)


def _arguments(given: str | dict[str, Any] | None) -> Any:
    if not isinstance(given, str):
        return given or {}
    try:
        return json.loads(given) if given.strip() else {}
    except (ValueError, RecursionError):
        return given


def with_own_ids(response: ModelResponse, taken: set[str]) -> ModelResponse:
    """Give each call an id that is not ``taken``, and take it: some servers count from zero each time."""
    parts = list(response.parts)
    for place, part in enumerate(parts):
        if isinstance(part, ToolCallPart):
            given = part.tool_call_id or "call"
            call_id, number = given, 2
            while call_id in taken:
                call_id, number = f"{given}-{number}", number + 1
            taken.add(call_id)
            parts[place] = replace(part, tool_call_id=call_id)
    return replace(response, parts=parts)


def returned(call: ToolCall, answer: Answer | None) -> ToolReturnPart:
    """Return a call's result as the model reads it; ``None``: there was none in time."""
    call_id = call.id or ""
    if answer is None:
        return ToolReturnPart(call.name, _CANCELLED, call_id, outcome="interrupted")
    content = answer.content
    if answer.notice:
        content = f"{content}\n\n{answer.notice}" if isinstance(content, str) else [content, answer.notice]
    # A tool that reports its own failure says so in its text, which is better read as it is than wrapped as an error.
    failed = answer.error and not isinstance(answer.exception, ToolFailedError)
    return ToolReturnPart(call.name, content, call_id, outcome="failed" if failed else "success")


def text_of(response: ModelResponse) -> str:
    """Return what the model said."""
    return (response.text or "").strip()
