"""Many files of recorded sessions under one policy or several: read, played and counted, one file after the other."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from .contenders import Contender
from .errors import RecordingError
from .events import Event, to_json
from .losses import KEPT, Loss, loss
from .recordings import BrokenLine, Recording, Skipped, read
from .replay import Player, Row, SessionReplay, Tally
from .totals import Totals

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with each file."""

    contenders: tuple[Contender, ...]
    rows: bool = False
    """Whether each session's calls are wanted, too."""
    events: bool = False
    """Whether its events are."""
    shown: int = 0
    """The place of the contender that rows and events are of."""
    format: str | None = None
    """The reader to use; ``None``: found from the content."""
    folder: str = ""
    """Where names of files start: another machine's working directory is not ours."""


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """A session is over: what it came to under each contender."""

    title: str
    format: str
    totals: tuple[Totals, ...]
    losses: tuple[Loss, ...]
    """At most ``losses.KEPT`` of each contender, the first ones; ``other_result`` of the totals counts all."""
    shown: int = 0
    rows: tuple[Row, ...] = ()
    events: tuple[str, ...] = ()
    """As JSON."""

    @property
    def replayed(self) -> SessionReplay:
        """The session under the contender that is shown."""
        return SessionReplay(self.title, self.format, self.rows, self.totals[self.shown])


@dataclass(frozen=True, slots=True)
class FileEnd:
    """A file is over. ``error`` says why it could not be read, or not to its end."""

    name: str
    error: str | None
    totals: Totals
    """Records skipped and lines broken."""
    broken: tuple[BrokenLine, ...]
    """The first of the broken lines."""


Piece: TypeAlias = SessionEnd | FileEnd


def study(files: Iterable[str], task: Task, executor: Executor | None = None, *, ahead: int = 1) -> Iterator[Piece]:
    """Do a task with every file; what comes back is in the order of the files, whoever worked on them.

    With an ``executor``, up to ``ahead`` files are in work or wait to be fetched, so memory does not grow with the
    number of files; standard input (``-``) is always read here. Without one, sessions come one by one.
    """
    waiting: deque[Future[tuple[Piece, ...]]] = deque()
    for name in files:
        if executor is None or name == STDIN:
            yield from _fetch_all(waiting)
            yield from study_file(name, task)
            continue
        waiting.append(executor.submit(_whole, name, task))
        if len(waiting) >= ahead:
            yield from waiting.popleft().result()
    yield from _fetch_all(waiting)


def _fetch_all(waiting: deque[Future[tuple[Piece, ...]]]) -> Iterator[Piece]:
    while waiting:
        yield from waiting.popleft().result()


def _whole(name: str, task: Task) -> tuple[Piece, ...]:
    return tuple(study_file(name, task))


def study_file(name: str, task: Task) -> Iterator[Piece]:
    """Play a file's sessions to every contender. The file's end always comes, with what went wrong."""
    error: str | None = None
    skips: list[Skipped] = []
    try:
        for recording in read(name if name == STDIN else Path(task.folder, name), format=task.format):
            if not any(recording.skipped is known for known in skips):
                skips.append(recording.skipped)
            yield _play(f"{name}#{recording.session}" if recording.session else name, recording, task)
    except RecordingError as problem:
        error = str(problem)
    broken = tuple(line for skipped in skips for line in skipped.broken)
    counted = Totals(skipped=sum(one.records for one in skips), broken=sum(one.lines for one in skips))
    yield FileEnd(name, error, counted, broken)


def _play(title: str, recording: Recording, task: Task) -> SessionEnd:
    events: list[str] = []

    def note(event: Event) -> None:
        events.append(json.dumps(to_json(event)))

    wanted = note if task.events else None
    players = [
        Player(
            contender.policy,
            session_id=title,
            on_event=wanted if place == task.shown else None,
            settled_as=contender.settled_as,
        )
        for place, contender in enumerate(task.contenders)
    ]
    tallies = [Tally() for _ in players]
    losses: list[list[Loss]] = [[] for _ in players]
    rows: list[Row] = []
    for turn in recording.turns:
        for contender, player, tally, lost in zip(task.contenders, players, tallies, losses, strict=True):
            for row in player.play(turn):
                tally.add(row)
                if row.result == "other" and len(lost) < KEPT and (found := loss(contender.name, title, row)):
                    lost.append(found)
                if task.rows and player is players[task.shown]:
                    rows.append(row)
    return SessionEnd(
        title,
        recording.format,
        tuple(tally.totals() for tally in tallies),
        tuple(found for lost in losses for found in lost),
        task.shown,
        tuple(rows),
        tuple(events),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """What many sessions came to under each contender, however they were split."""

    contenders: tuple[Contender, ...]
    totals: tuple[Totals, ...]
    losses: tuple[Loss, ...] = ()

    def __add__(self, piece: Piece) -> Summary:
        """Add what a session or a file came to."""
        match piece:
            case FileEnd():
                return replace(self, totals=tuple(totals + piece.totals for totals in self.totals))
            case SessionEnd():
                totals = tuple(mine + its for mine, its in zip(self.totals, piece.totals, strict=True))
                return replace(
                    self, totals=totals, losses=_kept(self.losses + piece.losses) if piece.losses else self.losses
                )


def _kept(losses: tuple[Loss, ...]) -> tuple[Loss, ...]:
    """Return the first losses of each policy, as many as are kept, in the order of the sessions."""
    seen: dict[str, int] = {}
    kept: list[Loss] = []
    for found in losses:
        seen[found.policy] = seen.get(found.policy, 0) + 1
        if seen[found.policy] <= KEPT:
            kept.append(found)
    return tuple(kept)


def empty(task: Task) -> Summary:
    """Return the summary of nothing."""
    return Summary(task.contenders, (Totals(),) * len(task.contenders))
