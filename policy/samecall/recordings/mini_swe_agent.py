"""mini-swe-agent trajectories: messages whose one fenced block is the command, and its result in the next one.

Since 2.0 the calls are the model's own (``tool_calls``), or stand in ``extra.actions``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .conversations import every_message, messages_of
from .draft import Draft, Drafts
from .openai_messages import read_message
from .values import Json, identity, items, obj, outcome_of, string, words

FORMAT = "mini_swe_agent"

_COMMAND = re.compile(r"```(?:mswea_bash_command|bash)\n(.*?)\n?```", re.DOTALL)
_RESULT = "<returncode>"


def recognizes(records: Sequence[Json]) -> bool:
    """Say whether the file says so, or there are results in the form that only this agent writes."""
    return any(string(record.get("trajectory_format")).startswith("mini-swe-agent") for record in records) or any(
        _RESULT in words(message.get("content")) for message in every_message(records)
    )


def read(record: Json, drafts: Drafts) -> bool:
    """Read a run, which is one turn, or one of its messages."""
    messages = messages_of(record)
    draft = drafts.next() if messages else drafts.get()
    for message in messages or [record]:
        _read_message(message, draft)
    return True


def _read_message(message: Json, draft: Draft) -> None:
    text = words(message.get("content"))
    actions = items(obj(message.get("extra")).get("actions"))
    if message.get("tool_calls"):
        read_message(message, draft)
    elif actions:
        draft.text(text)
        draft.batch()
        draft.waiting = [_call(action, draft) for action in actions]
    elif message.get("role") == "assistant":
        commands = _COMMAND.findall(text)
        draft.text(_COMMAND.sub("", text))
        draft.batch()
        draft.waiting = [draft.call("bash", {"command": commands[0]})] if len(commands) == 1 else []
    else:
        text = text or words(message.get("output"))
        call_id = identity(message.get("tool_call_id")) or identity(message.get("call_id"))
        if call_id in draft.waiting:
            draft.waiting.remove(call_id)
        elif call_id is None and draft.waiting:
            call_id = draft.waiting.pop(0)
        draft.result(call_id or "", text, outcome_of(text))


def _call(action: Json, draft: Draft) -> str:
    call_id = identity(action.get("tool_call_id"))
    return draft.call("bash", {"command": string(action.get("command"))}, call_id, reuses_ids=True)
