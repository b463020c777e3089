"""The JSON of MCP's tool calls, read and written: what the middleware and the proxy share."""

from __future__ import annotations

from typing import Any, cast

from ..decisions import Outcome, Reject, Reuse
from ..options import EffectKind
from .calls import Ran

SESSION, TURN = "samecall/session", "samecall/turn"
"""Keys of ``_meta`` by which a client says which session and which turn a call belongs to."""


def fields_of(value: object) -> dict[str, Any]:
    """Return a JSON object as it is, and what is none as an empty one: nobody on the wire is bound to the form."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def effects_of(listed: object) -> dict[str, EffectKind]:
    """Return what the tools of a ``tools/list`` result say of themselves.

    >>> effects_of({"tools": [{"name": "look", "annotations": {"readOnlyHint": True}}, {"name": "new"}]})
    {'look': 'read'}
    """
    tools = fields_of(listed).get("tools")
    declared: dict[str, EffectKind] = {}
    for tool in map(fields_of, cast("list[object]", tools) if isinstance(tools, list) else ()):
        hints = fields_of(tool.get("annotations"))
        if hints.get("readOnlyHint") is True:
            declared[str(tool.get("name"))] = "read"
        elif hints.get("readOnlyHint") is False or hints.get("destructiveHint") is True:
            declared[str(tool.get("name"))] = "write"
    return declared


def ending(result: object) -> tuple[Outcome, object]:
    """Say how a ``tools/call`` result ended."""
    fields = fields_of(result)
    if fields.get("resultType") == "input_required":
        return "denied", None  # it has not run: the client asks again, with the answer
    return ("failed" if fields.get("isError") else "succeeded"), result


def answer(done: Ran[Any] | Reject | Reuse) -> Any:
    """Return the result of a call that ran, was refused, or gets an earlier result."""
    match done:
        case Ran(result, notice) if notice and isinstance(result, dict):
            fields = fields_of(done.result)
            shown = cast("list[object]", fields["content"]) if isinstance(fields.get("content"), list) else []
            return {**fields, "content": [*shown, {"type": "text", "text": notice}]}
        case Ran(result):
            return result
        case Reject():
            return refusal(done.message)
        case Reuse(result=kept):
            return fields_of(kept) or refusal(str(kept))  # a text: the leader raised


def refusal(text: str) -> dict[str, Any]:
    """Return a result that the model reads as an error. Only such a one may lack what an output schema asks for."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}
