"""Claude Code session JSONL (``~/.claude/projects/…/<session>.jsonl``), and what is written like it.

One API message is split over several records that share ``message.id``; a call may be written several times, so calls
are told apart by the id of their ``tool_use``; unknown kinds of records are skipped. Subagents' calls
(``isSidechain``) are a session of their own: they have their own context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..decisions import Outcome
from .recording import Draft, Json, Recording, flagged, items, obj, records, string, words

FORMAT = "claude_code"

# Not typed by the user: output of local commands, notes of the program, notifications of background tasks.
_NOT_TYPED = re.compile(r"\s*(?:<(?:command|local-command|bash|task-notification)|Caveat:|\[Request interrupted)")
_DENIED = re.compile(
    r"The user doesn't want to (?:proceed|take this action)|.*denied by|.*Permission to use", re.IGNORECASE
)


def recognizes(document: object) -> bool:
    """Say whether a record is a message of the kind, or the bookkeeping that only this program writes."""
    return any(
        (record.get("type") in {"user", "assistant"} and _is_message(record))
        or ("sessionId" in record and "parentUuid" in record and "isSidechain" in record)
        or record.get("type") in {"file-history-snapshot", "queue-operation"}
        or (record.get("type") == "summary" and "leafUuid" in record)
        for record in records(document)
    )


def read(document: object) -> Iterator[Recording]:
    """Read the session, then its subagents."""
    groups: dict[str, list[Json]] = {}
    for record in records(document):
        if record.get("type") in {"user", "assistant"} and _is_message(record):
            agent = string(record.get("agentId")) or "sidechain" if record.get("isSidechain") is True else ""
            groups.setdefault(agent, []).append(record)
    seen: set[str] = set()
    for agent, group in groups.items() or [("", [])]:
        draft = Draft()
        _read_agent(group, draft, seen)
        yield draft.done(FORMAT, agent)


def _read_agent(group: list[Json], draft: Draft, seen: set[str]) -> None:
    message_id: object = None
    for record in group:
        message = obj(record.get("message"))
        content = message.get("content")
        if record.get("type") == "user":
            if _is_typed(record, content):
                draft.turn()
            for block in items(content):
                if block.get("type") == "tool_result":
                    text = words(block.get("content"))
                    draft.result(string(block.get("tool_use_id")), text, _outcome(block, text))
            continue
        if message.get("id") is None or message.get("id") != message_id:
            draft.batch()
            message_id = message.get("id")
        for block in items(content):
            call_id = string(block.get("id"))
            if block.get("type") == "text":
                draft.text(string(block.get("text")))
            elif block.get("type") == "tool_use" and call_id not in seen:
                seen.update({call_id} if call_id else ())
                draft.call(string(block.get("name")), block.get("input", {}), call_id or None)


def _is_message(record: Json) -> bool:
    return isinstance(obj(record.get("message")).get("content"), str | list)


def _is_typed(record: Json, content: object) -> bool:
    """Say whether the user typed this: it is not a tool's result, a note of the program or a local command."""
    if record.get("isMeta") is True:
        return False
    if isinstance(content, str):
        return not _NOT_TYPED.match(content)
    blocks = items(content)
    texts = [string(block.get("text")) for block in blocks if block.get("type") == "text"]
    return not any(block.get("type") == "tool_result" for block in blocks) and any(
        not _NOT_TYPED.match(text) for text in texts
    )


def _outcome(block: Json, text: str) -> Outcome:
    if block.get("is_error") is True and _DENIED.match(text):
        return "denied"
    return flagged(block.get("is_error"))
