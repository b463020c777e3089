"""Codex CLI rollout JSONL (``~/.codex/sessions/…/rollout-*.jsonl``): ``{timestamp, type, payload}``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .recording import Draft, Json, Recording, arguments, identity, obj, outcome_of, records, string, words

FORMAT = "codex"

_CALLS = {"function_call", "custom_tool_call", "local_shell_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output", "local_shell_call_output"}
# What the harness writes above a command's output: it differs from run to run.
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Process exited with code|Exit code|Total output lines)[^\n]*\n)+"
    r"(?:Output:\n)?"
)


def recognizes(document: object) -> bool:
    """Say whether records have this envelope."""
    return any("payload" in record and "type" in record for record in records(document))


def read(document: object) -> Iterator[Recording]:
    """Read one session. Calls that come before any output are one batch."""
    draft = Draft()
    in_batch = False
    for record in records(document):
        payload = obj(record.get("payload"))
        kind = payload.get("type")
        if record.get("type") == "event_msg" and kind == "user_message":
            draft.turn()
            in_batch = False
        elif kind == "message" and payload.get("role") == "assistant":
            draft.text(words(payload.get("content")))
            in_batch = False
        elif kind in _CALLS:
            if not in_batch:
                draft.batch()
                in_batch = True
            draft.call(_name(payload), _input(payload), identity(payload.get("call_id")))
        elif kind in _OUTPUTS:
            in_batch = False
            text = words(payload.get("output"))
            draft.result(string(payload.get("call_id")), without_header(text), outcome_of(text))
    yield draft.done(FORMAT)


def without_header(text: str) -> str:
    r"""Drop the lines of time and size above an output.

    >>> without_header("Exit code: 0\nWall time: 0.1 seconds\nOutput:\na.txt\n")
    'a.txt\n'
    """
    return _HEADER.sub("", text)


def _name(payload: Json) -> str:
    return string(payload.get("name")) or string(payload.get("type"))


def _input(payload: Json) -> object:
    return arguments(payload.get("arguments", payload.get("input", payload.get("action"))))
