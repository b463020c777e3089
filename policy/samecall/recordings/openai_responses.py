"""OpenAI's Responses: ``function_call`` items with ``call_id``, and the items of its own tools.

A file is items one a line or in a list, or whole responses (``output``), or requests (``input``).
https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

from collections.abc import Sequence

from .conversations import every_message
from .draft import Draft, Drafts
from .values import Json, arguments, flagged, identity, items, kind, obj, outcome_of, string, words

FORMAT = "openai_responses"

_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call"}
# Run by the provider: the call holds its result, if any.
_HOSTED = {"mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"}
_INPUTS = ("arguments", "input", "action", "operation")
_HOSTED_INPUTS = ("arguments", "action", "queries", "code")


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are items of these kinds."""
    return any(
        (kind(item) in _CALLS and ("call_id" in item or "id" in item)) or kind(item) in _HOSTED
        for record in records
        for item in [*every_message([record]), *_wrapped(record)]
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read an item, or a response with its items."""
    wrapped = _wrapped(record) or items(record.get("messages"))
    if not wrapped:
        return read_item(record, drafts.get())
    for item in wrapped:
        read_item(item, drafts.get())
    return True


def _wrapped(record: Json) -> list[Json]:
    response = obj(record.get("response")) or record
    return [*items(record.get("input")), *items(response.get("output"))] if not kind(record) else []


def read_item(item: Json, draft: Draft) -> bool:
    """Read an item. Calls that come before any output are one batch."""
    call_id = identity(item.get("call_id")) or identity(item.get("id"))
    if item.get("role") == "user":
        draft.turn()
    elif item.get("role") == "assistant":
        draft.batch()
        draft.text(words(item.get("content")))
    elif kind(item) in _CALLS:
        draft.batch("calls")
        draft.call(name_of(item), input_of(item, _INPUTS), call_id)
    elif kind(item).endswith("_call_output"):
        draft.batch()
        text = words(item.get("output"))
        draft.result(string(item.get("call_id")), text, outcome_of(text))
    elif kind(item) in _HOSTED:
        draft.batch("calls")
        made = draft.call(name_of(item), input_of(item, _HOSTED_INPUTS), call_id)
        if "output" in item or item.get("error"):
            draft.result(made, words(item.get("output") or item.get("error")), flagged(bool(item.get("error"))))
    else:
        return False
    return True


def name_of(item: Json) -> str:
    """Return the tool's name; the items of its own tools have none."""
    return string(item.get("name")) or kind(item).removesuffix("_call")


def input_of(item: Json, fields: tuple[str, ...] = _INPUTS) -> object:
    """Return the arguments: they have another name for each kind of item."""
    return arguments(next((item[field] for field in fields if field in item), None))
