"""Cline's and Roo's ``api_conversation_history.json`` of the time when calls were XML in the text.

Newer ones have ``tool_use`` blocks, which ``blocks`` reads. One call a message: its result is in the next one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .conversations import every_message, messages_of
from .draft import Draft, Drafts
from .values import Json, outcome_of, words

FORMAT = "cline"

# The tools of Cline 3 and Roo Code 3; any other tag is text.
_TOOLS = (
    "execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files|"
    "list_files|list_code_definition_names|codebase_search|browser_action|use_mcp_tool|access_mcp_resource|"
    "ask_followup_question|attempt_completion|plan_mode_respond|new_task|switch_mode|fetch_instructions|"
    "update_todo_list|web_fetch|load_mcp_documentation"
)
_OPEN = re.compile(rf"<({_TOOLS})>")
_PARAMETER = re.compile(r"<(\w{1,40})>")
_UNCLOSED = 20
"""So many tags without an end are looked for in a call: each is a walk to its end."""
_RESULT = re.compile(rf"\s*\[(?:{_TOOLS})\b.*?\] Result:\s*", re.DOTALL)


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether a message begins as only these results do, or a tool's tag is closed in the assistant's."""
    return any(
        (message.get("role") == "user" and _RESULT.match(words(message.get("content"))[:2000]) is not None)
        or (message.get("role") == "assistant" and _find(words(message.get("content"))) is not None)
        for message in every_message(records)
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a message, or a task with its messages."""
    conversation = messages_of(record)
    if not conversation:
        return _read_message(record, drafts.get())
    draft = drafts.next()
    for message in conversation:
        _read_message(message, draft)
    return True


def _read_message(message: Json, draft: Draft) -> bool:
    text = words(message.get("content"))
    if message.get("role") == "assistant":
        call = _find(text)
        draft.text(text if call is None else text[: call[2]] + text[call[3] :])
        draft.batch()
        if call is not None:
            draft.waiting = [draft.call(call[0], _parameters(call[1]))]
    elif message.get("role") == "user" and draft.waiting and _RESULT.match(text[:2000]):
        result = _RESULT.sub("", text, count=1)
        draft.result(draft.waiting.pop(), result, outcome_of(result))
    elif message.get("role") == "user":
        draft.turn()
    else:
        return False
    return True


def _find(text: str) -> tuple[str, str, int, int] | None:
    """Return the first tool's tag that is closed: its name, what is in it, where it begins and ends."""
    unclosed: set[str] = set()
    for tag in _OPEN.finditer(text):
        if tag[1] in unclosed:
            continue
        end = text.find(f"</{tag[1]}>", tag.end())
        if end >= 0:
            return tag[1], text[tag.end() : end], tag.start(), end + len(tag[1]) + 3
        unclosed.add(tag[1])
    return None


def _parameters(body: str) -> dict[str, object]:
    found: dict[str, object] = {}
    place = unclosed = 0
    while unclosed < _UNCLOSED and (tag := _PARAMETER.search(body, place)):
        end = body.find(f"</{tag[1]}>", tag.end())
        place = tag.end() if end < 0 else end
        if end < 0:
            unclosed += 1
        else:
            found[tag[1]] = body[tag.end() : end].strip("\n")
    return found
