"""Claude Code session JSONL (``~/.claude/projects/…/<session>.jsonl``), and what is written like it.

One API message is split over several records that share ``message.id``; a call may be written several times, in the
session's file and in its subagent's, so calls are told apart by the id of their ``tool_use``. Subagents' calls
(``isSidechain``, or ``<session>/subagents/agent-*.jsonl``) are a session of their own: they have their own context.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..decisions import Outcome
from .draft import Draft, Drafts
from .values import Json, flagged, instant, items, kind, obj, string, words

FORMAT = "claude_code"

# Not typed by the user: output of local commands, notes of the program, notifications of background tasks.
_NOT_TYPED = re.compile(r"\s*(?:<(?:command|local-command|bash|task-notification)|Caveat:|\[Request interrupted)")
_DENIED = re.compile(
    r"The user doesn't want to (?:proceed|take this action)|.*denied by|.*Permission to use", re.IGNORECASE
)

_BOOKKEEPING = {
    "system", "summary", "progress", "result", "attachment", "file-history-snapshot", "queue-operation", "last-prompt",
    "permission-mode", "mode", "ai-title", "custom-title", "agent-name", "pr-link", "worktree-state", "relocated",
}  # fmt: skip


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether a record is a message of the kind, or the bookkeeping that only this program writes."""
    return any(
        _is_message(record)
        or ("sessionId" in record and "parentUuid" in record and "isSidechain" in record)
        or kind(record) in {"file-history-snapshot", "queue-operation"}
        or (kind(record) == "summary" and "leafUuid" in record)
        for record in records
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record. In a subagent's own file everything is the subagent's."""
    if not _is_message(record):
        return kind(record) in _BOOKKEEPING
    draft = drafts.get(None if drafts.name or record.get("isSidechain") is not True else _subagent(record))
    if kind(record) == "user":
        _read_user(record, draft)
    else:
        _read_assistant(record, draft, drafts)
    return True


def _subagent(record: Json) -> str:
    agent = string(record.get("agentId")) or "sidechain"
    session = string(record.get("sessionId"))
    return f"{session}/{agent}" if session else agent


def _read_user(record: Json, draft: Draft) -> None:
    content = obj(record.get("message")).get("content")
    if _is_typed(record, content):
        draft.turn()
    for block in items(content):
        if kind(block) == "tool_result":
            text = words(block.get("content"))
            ended = instant(record.get("timestamp"))
            draft.result(string(block.get("tool_use_id")), text, _outcome(block, text), ended=ended)


def _read_assistant(record: Json, draft: Draft, drafts: Drafts) -> None:
    message = obj(record.get("message"))
    draft.batch(message.get("id"))
    for block in items(message.get("content")):
        call_id = string(block.get("id"))
        if kind(block) == "text":
            draft.text(string(block.get("text")))
        elif kind(block) == "tool_use":
            name = string(block.get("name"))
            if call_id and drafts.ids.has(call_id, name):
                continue
            drafts.ids.add(call_id, name)
            started = instant(record.get("timestamp"))
            draft.call(name, block.get("input", {}), call_id or None, started=started)


def _is_message(record: Json) -> bool:
    content = obj(record.get("message")).get("content")
    return kind(record) in {"user", "assistant"} and isinstance(content, str | list)


def _is_typed(record: Json, content: object) -> bool:
    """Say whether the user typed this: it is not a tool's result, a note of the program or a local command."""
    if record.get("isMeta") is True:
        return False
    if isinstance(content, str):
        return not _NOT_TYPED.match(content)
    blocks = items(content)
    texts = [string(block.get("text")) for block in blocks if kind(block) == "text"]
    return not any(kind(block) == "tool_result" for block in blocks) and any(
        not _NOT_TYPED.match(text) for text in texts
    )


def _outcome(block: Json, text: str) -> Outcome:
    if block.get("is_error") is True and _DENIED.match(text):
        return "denied"
    return flagged(block.get("is_error"))
