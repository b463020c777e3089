"""Messages of content blocks: Anthropic's, and without Claude Code's envelope Cursor's, Cline's, Droid's, Pi's.

https://docs.claude.com/en/api/messages: ``tool_use`` in the assistant's message, ``tool_result`` in the user's.
"""

from __future__ import annotations

from collections.abc import Sequence

from .conversations import conversations, every_message, messages_of
from .draft import Draft, Drafts
from .values import Json, arguments, flagged, identity, instant, items, kind, obj, string, words

FORMAT = "blocks"

# Records beside the messages that tell of no call.
_SILENT = {"session", "session_start", "model_change", "thinking_level_change", "compaction", "custom"}
_CALLS = {"tool_use", "toolCall", "server_tool_use", "mcp_tool_use"}


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether there are messages made of typed blocks."""
    return any(
        "type" in block for message in every_message(records) for block in items(_message(message).get("content"))
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a message, or a conversation: a session."""
    conversation = messages_of(record)
    if not conversation:
        return read_message(record, drafts.get())
    draft = drafts.next()
    for message in next(conversations([record])):
        read_message(message, draft)
    draft.end()
    return True


def read_message(record: Json, draft: Draft) -> bool:
    """Read one message."""
    message = _message(record)
    content = message.get("content")
    match message.get("role", record.get("role")):
        case "user":
            _read_user(message, draft)
        case "assistant":
            draft.batch()
            for block in items(content):
                if kind(block) in _CALLS:
                    given = arguments(block.get("input", block.get("arguments", {})))
                    started = instant(record.get("timestamp"))
                    name = string(block.get("name"))
                    draft.waiting.append(draft.call(name, given, identity(block.get("id")), started=started))
                elif string(block.get("type")).endswith("_tool_result"):
                    # What the provider ran stands in the assistant's own message.
                    draft.result(string(block.get("tool_use_id")), words(block.get("content")), "succeeded")
                else:
                    draft.text(string(block.get("text")))
            draft.text(string(content))
        case "toolResult":
            call_id = string(message.get("toolCallId"))
            draft.result(call_id, words(content), flagged(message.get("isError")))
        case _:
            return kind(record) in _SILENT
    return True


def _read_user(message: Json, draft: Draft) -> None:
    results = [block for block in items(message.get("content")) if kind(block) == "tool_result"]
    if not results:
        draft.turn()
    for block in results:
        call_id = string(block.get("tool_use_id"))
        if not draft.has(call_id) and draft.waiting:
            call_id = draft.waiting[0]  # Cursor's calls have no id: results come in the order of the calls
        if call_id in draft.waiting:
            draft.waiting.remove(call_id)
        draft.result(call_id, words(block.get("content")), flagged(block.get("is_error")))


def _message(record: Json) -> Json:
    return obj(record.get("message")) if "message" in record else record
