"""Codex CLI rollout JSONL (``~/.codex/sessions/…/rollout-*.jsonl``): ``{timestamp, type, payload}``.

Its newer ``exec`` runs JavaScript that calls the tools: the calls are those in the script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..decisions import Outcome
from .draft import Draft, Drafts
from .openai_responses import input_of, name_of
from .scripts import tool_calls
from .values import Json, identity, instant, kind, obj, outcome_of, string, words

FORMAT = "codex"

_CALLS = {"function_call", "custom_tool_call", "local_shell_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output", "local_shell_call_output"}
# Other records of the envelope that say nothing of calls.
_KNOWN = {"session_meta", "turn_context", "event_msg", "compacted", "world_state"}
# What the harness writes above a command's output: it differs from run to run.
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Process exited with code|Exit code|Total output lines)[^\n]*\n)+"
    r"(?:Output:\n)?"
)
_SECONDS = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds$", re.MULTILINE)


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether records have this envelope."""
    return any("payload" in record and "type" in record for record in records)


def read(record: Json, drafts: Drafts) -> bool:
    """Read a record. Calls that come before any output are one batch."""
    draft = drafts.get()
    payload = obj(record.get("payload"))
    if kind(record) == "event_msg" and kind(payload) == "user_message":
        draft.turn()
    elif kind(payload) == "message":
        if payload.get("role") == "assistant":
            draft.batch()
            draft.text(words(payload.get("content")))
    elif kind(payload) in _CALLS:
        draft.batch("calls")
        _read_call(payload, draft, instant(record.get("timestamp")))
    elif kind(payload) in _OUTPUTS:
        draft.batch()
        _read_output(payload, draft, instant(record.get("timestamp")))
    else:
        return kind(record) in _KNOWN or kind(payload) == "reasoning"
    return True


def _read_call(payload: Json, draft: Draft, started: float | None) -> None:
    name, given, call_id = name_of(payload), input_of(payload), identity(payload.get("call_id"))
    nested = tool_calls(given) if name == "exec" and isinstance(given, str) else ()
    if not nested:
        draft.call(name, given, call_id, started=started)
    for number, (tool, argument) in enumerate(nested, 1):
        # One output for all: only that of a single call is known.
        own_id = call_id if len(nested) == 1 or call_id is None else f"{call_id}/{number}"
        draft.call(tool, argument, own_id, started=started)


def _read_output(payload: Json, draft: Draft, ended: float | None) -> None:
    # An older shape: the text inside an object, and beside it whether it is one of success.
    body = obj(payload.get("output"))
    text = words(body.get("content", payload.get("output")))
    seconds = _SECONDS.search(text[:400])
    outcome: Outcome = "failed" if body.get("success") is False else outcome_of(text)
    draft.result(
        string(payload.get("call_id")),
        without_header(text),
        outcome,
        ended=ended,
        seconds=float(seconds[1]) if seconds else None,
    )


def without_header(text: str) -> str:
    r"""Drop the lines of time and size above an output.

    >>> without_header("Exit code: 0\nWall time: 0.1 seconds\nOutput:\na.txt\n")
    'a.txt\n'
    """
    return _HEADER.sub("", text)
