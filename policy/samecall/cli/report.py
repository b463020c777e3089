"""The calls of a replay: at a terminal as wide as it is; piped one a line, tabs between the fields, no colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from ..describing import describe, printable
from ..replay import Row, SessionReplay
from ..study import SessionEnd, Summary
from .measures import in_words, why
from .screen import Screen

PIPED_WIDTH = 200
"""Characters of a call that a pipe gets: enough for any that a person reads."""

NARROWEST = 16
"""Columns that a call gets on the narrowest terminal."""

HEADER = ("call", "tool", "what it was", "decision", "reason", "of", "result")
_COLOURS = {"run": "green", "warn": "yellow", "reject": "red", "reuse": "cyan"}
_INDENT = 13


class Report:
    """Prints sessions as they come, and the totals of all."""

    def __init__(self, *, calls: bool) -> None:
        """Look where the output goes. Without ``calls``, print totals only."""
        self._screen = Screen()
        self._calls = calls

    def session(self, ended: SessionEnd) -> None:
        """Print one session's calls and totals."""
        if self._calls:
            for line in table(ended.replayed, self._screen.width):
                self._screen.print(line)
            self._screen.print(Text(in_words(ended.totals[0]) + "\n"))

    def end(self, summary: Summary) -> None:
        """Print the totals of all sessions, where that is news."""
        (found,) = summary.totals
        if found.sessions > 1:
            self._screen.print(Text(f"all {found.sessions} sessions: {in_words(found)}"))
        elif not self._calls:
            self._screen.print(Text(in_words(found)))


def table(session: SessionReplay, width: int | None) -> Iterator[Text]:
    """Lay out the calls of a session under its title; no line is longer than ``width``."""
    yield Text(printable(session.title), style="bold")
    if width is None:
        yield Text("\t".join(HEADER))
        yield from (_piped(row) for row in session.rows)
    else:
        yield from _shown(session.rows, width)


def cells(row: Row) -> tuple[str, ...]:
    """Return a call as the fields of ``HEADER``."""
    of = row.decision.duplicate_of
    call = row.recorded.call
    return (
        str(row.decision.ordinal),
        printable(call.name),
        describe(call),
        row.verdict,
        row.reason or "",
        "" if of is None else str(of),
        row.result or "",
    )


def _piped(row: Row) -> Text:
    number, tool, what, *rest = cells(row)
    cut = what if len(what) <= PIPED_WIDTH else what[: PIPED_WIDTH - 1] + "…"
    return Text("\t".join((number, tool, cut, *rest)).rstrip("\t"))


def _shown(rows: Iterable[Row], width: int) -> Iterator[Text]:
    """Give the call the whole line, and what speaks against it the next: no column takes room from the others."""
    for row in rows:
        line = Text(f"{row.decision.ordinal:>5} ").append(f"{row.verdict:<6} ", style=_COLOURS.get(row.verdict, ""))
        what = Text(printable(row.recorded.call.name), style="dim").append(" ")
        what.append(describe(row.recorded.call), style="not dim")
        what.truncate(max(width - line.cell_len, NARROWEST), overflow="ellipsis")
        yield line.append_text(what)
        if reason := why(row):
            said = Text(
                " " * _INDENT + reason, style="bold red" if row.result == "other" else _COLOURS.get(row.verdict, "")
            )
            said.truncate(max(width, NARROWEST), overflow="ellipsis")
            yield said
