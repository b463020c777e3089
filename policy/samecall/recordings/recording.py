"""A recorded session: turns of batches of calls, each with how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from callkey import ToolCall

from ..decisions import Outcome

KEPT = 20
"""How many broken lines are kept, to be named; all are counted."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call as the model made it, and what came back; ``result`` is ``None`` where nothing was recorded."""

    call: ToolCall
    outcome: Outcome
    result: str | None
    started: float | None = None
    """Seconds since 1970."""
    seconds: float | None = None
    """How long it ran."""


Batch: TypeAlias = tuple[RecordedCall, ...]
"""The calls of one model response."""


@dataclass(frozen=True, slots=True)
class Turn:
    """From one word of the user to the next; ``text`` is the last thing that the model said."""

    batches: tuple[Batch, ...]
    text: str


class BrokenLine(NamedTuple):
    """A place in a file that is not JSON."""

    file: str
    line: int
    why: str


@dataclass(slots=True)
class Skipped:
    """What was not read so far, of a whole file: it grows while the turns are walked."""

    records: int = 0
    """Records that the format's reader does not understand."""
    lines: int = 0
    """Broken lines, all of them."""
    broken: list[BrokenLine] = field(default_factory=list[BrokenLine])
    """The first of the broken lines."""

    def add(self, line: BrokenLine) -> None:
        """Count a broken line."""
        self.lines += 1
        if len(self.broken) < KEPT:
            self.broken.append(line)


@dataclass(frozen=True, slots=True)
class Recording:
    """One session. ``format`` names the reader, ``session`` tells the sessions of one file apart.

    From ``read``, ``turns`` can be walked once, and is read from the file meanwhile; from ``parse``, it is a tuple.
    """

    format: str
    session: str
    turns: Iterable[Turn]
    skipped: Skipped = field(default_factory=Skipped)
