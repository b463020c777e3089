"""A recorded session: turns of batches of calls, each with how it ended. And a draft to fill while reading."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from callkey import ToolCall

from ..decisions import Outcome


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call as the model made it, and what came back; ``result`` is ``None`` where nothing was recorded."""

    call: ToolCall
    outcome: Outcome
    result: str | None


Batch: TypeAlias = tuple[RecordedCall, ...]
"""The calls of one model response."""


@dataclass(frozen=True, slots=True)
class Turn:
    """From one word of the user to the next; ``text`` is the last thing that the model said."""

    batches: tuple[Batch, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Recording:
    """One session. ``format`` names the reader, ``session`` tells the sessions of one file apart."""

    format: str
    session: str
    turns: tuple[Turn, ...]


@dataclass(slots=True)
class _Call:
    call: ToolCall
    outcome: Outcome = "unknown"
    result: str | None = None


@dataclass(slots=True)
class Draft:
    """A recording that is being read. Results may come later than the next call, or never."""

    turns: list[tuple[list[list[_Call]], list[str]]] = field(
        default_factory=list[tuple[list[list["_Call"]], list[str]]]
    )
    _calls: dict[str, _Call] = field(default_factory=dict[str, "_Call"])
    _count: int = 0

    def turn(self) -> None:
        """Start a turn."""
        self.turns.append(([], []))

    def batch(self) -> None:
        """Start a batch: the next calls are one model response's."""
        if not self.turns:
            self.turn()
        self.turns[-1][0].append([])

    def text(self, words: str) -> None:
        """Note what the model said."""
        if words.strip():
            if not self.turns:
                self.turn()
            self.turns[-1][1].append(words)

    def call(self, name: str, arguments: object, call_id: str | None = None) -> str:
        """Add a call and return its id: a made-up one where the recording has none, or repeats one."""
        if not self.turns or not self.turns[-1][0]:
            self.batch()
        self._count += 1
        known = call_id is None or call_id in self._calls
        name_id = f"{call_id or 'call'}#{self._count}" if known else str(call_id)
        made = _Call(ToolCall(name, arguments, name_id))
        # An id that comes again belongs to another call: from here on results with it are the new one's.
        self._calls[name_id] = self._calls[call_id or name_id] = made
        self.turns[-1][0][-1].append(made)
        return name_id

    def has(self, call_id: str) -> bool:
        """Say whether a call with this id was added."""
        return call_id in self._calls

    def result(self, call_id: str, words: str, outcome: Outcome) -> None:
        """Say how a call ended. The first word counts; a result of an unknown call is left out."""
        made = self._calls.get(call_id)
        if made is not None and made.result is None:
            made.outcome, made.result = outcome, words

    def done(self, form: str, session: str = "") -> Recording:
        """Freeze the draft."""
        turns = tuple(
            Turn(
                tuple(
                    tuple(RecordedCall(call.call, call.outcome, call.result) for call in batch)
                    for batch in batches
                    if batch
                ),
                texts[-1] if texts else "",
            )
            for batches, texts in self.turns
        )
        return Recording(form, session, turns)


Json: TypeAlias = dict[str, object]


def records(document: object) -> list[Json]:
    """Return the objects of a JSON Lines file; a file of one line reads as that one."""
    found = cast("list[object]", document) if isinstance(document, list) else [document]
    return [cast("Json", record) for record in found if isinstance(record, dict)]


def obj(value: object) -> Json:
    """Return an object, an empty one in place of anything else."""
    return cast("Json", value) if isinstance(value, dict) else {}


def items(value: object) -> list[Json]:
    """Return the objects of a list, none in place of anything else."""
    return records(cast("list[object]", value)) if isinstance(value, list) else []


def string(value: object) -> str:
    """Return a text, ``""`` in place of anything else."""
    return value if isinstance(value, str) else ""


def strings(value: object) -> list[str]:
    """Return the texts of a list, none in place of anything else."""
    parts = cast("list[object]", value) if isinstance(value, list) else []
    return [part for part in parts if isinstance(part, str)]


def identity(value: object) -> str | None:
    """Return an id, ``None`` where there is none."""
    return value if isinstance(value, str) and value else None


def words(content: object) -> str:
    """Return the text of a message: a string, or the text blocks of a list; other JSON as it is."""
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            blocks = cast("list[object]", content)
            return "\n".join(block if isinstance(block, str) else string(obj(block).get("text")) for block in blocks)
        case _:
            return json.dumps(content)


def arguments(value: object) -> object:
    """Return a call's arguments, which are often JSON in a string; what is not JSON stays text."""
    if not isinstance(value, str):
        return {} if value is None else value
    try:
        return json.loads(value) if value.strip() else {}
    except (ValueError, RecursionError):
        return value


_EXIT = re.compile(
    r"(?:exit(?:ed with)? code:?|\[Command finished with exit code|<returncode>)\s*(-?\d+)", re.IGNORECASE
)
_ERROR = re.compile(r"\s*(?:\w*Error\b|\w*Exception\b|Traceback \(most recent call last\))")


def outcome_of(text: str) -> Outcome:
    """Read from a result's text how a call ended, where the format does not say: an exit status, an error's name.

    >>> outcome_of("Exit code: 1"), outcome_of("Error: user not found"), outcome_of("3 errors were fixed")
    ('failed', 'failed', 'succeeded')
    """
    status = _EXIT.search(text[:400]) or _EXIT.search(text[-200:])
    if status is not None:
        return "succeeded" if int(status[1]) == 0 else "failed"
    return "failed" if _ERROR.match(text) else "succeeded"


def flagged(failed: object) -> Outcome:
    """Read a failure flag; an absent one means success."""
    return "failed" if failed is True else "succeeded"
