"""mini-swe-agent v1 trajectories: messages whose one fenced block is the command, and its result in the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .recording import Draft, Json, Recording, items, obj, outcome_of, words

FORMAT = "mini_swe_agent"

_COMMAND = re.compile(r"```(?:mswea_bash_command|bash)\n(.*?)\n?```", re.DOTALL)
_RESULT = "<returncode>"


def recognizes(document: object) -> bool:
    """Say whether there are results in the form that only this agent writes."""
    return any(_RESULT in words(message.get("content")) for message in _messages(document))


def read(document: object) -> Iterator[Recording]:
    """Read one run: one turn."""
    draft = Draft()
    draft.turn()
    waiting: str | None = None
    for message in _messages(document):
        text = words(message.get("content"))
        if message.get("role") == "assistant":
            commands = _COMMAND.findall(text)
            draft.text(_COMMAND.sub("", text))
            draft.batch()
            waiting = draft.call("bash", {"command": commands[0]}) if len(commands) == 1 else None
        elif waiting is not None:
            draft.result(waiting, text, outcome_of(text))
            waiting = None
    yield draft.done(FORMAT)


def _messages(document: object) -> list[Json]:
    return items(document) or items(obj(document).get("messages"))
