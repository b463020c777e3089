"""The table of a replay: as wide as the terminal; whole and without colours when piped."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from typing import cast

from callkey import ToolCall
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..discretion import mask, mask_input
from ..replay import Row, total

PIPED_WIDTH = 200
"""Characters of a call that a pipe gets: enough for any that a person reads."""

NARROWEST = 16
"""Columns that a call gets on the narrowest terminal."""

_HEADER = ("call", "tool", "what it was", "decision", "reason", "of", "result")
_WHAT = 2
_DECISION = 3
_RIGHT = {0, 5}
_COLOURS = {"run": "green", "warn": "yellow", "reject": "red", "reuse": "cyan"}


class Report:
    """Prints sessions as they come, and the totals of all."""

    def __init__(self) -> None:
        """Look where the output goes."""
        self._width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        self._console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._rows: list[Row] = []
        self._sessions = 0
        self._shown = False

    def add(self, title: str, rows: list[Row], *, show: bool) -> None:
        """Print one session's calls and totals."""
        self._rows += rows
        self._sessions += 1
        self._shown = show
        if show:
            self._print(Text(printable(title)))
            for line in table(rows, self._width):
                self._print(line)
            self._print(Text(totals(rows) + "\n"))

    def end(self) -> None:
        """Print the totals of all sessions, where that is news."""
        if self._sessions > 1:
            self._print(Text(f"all {self._sessions} sessions: {totals(self._rows)}"))
        elif not self._shown:
            self._print(Text(totals(self._rows)))

    def _print(self, text: Text) -> None:
        self._console.print(text)


def table(rows: list[Row], width: int | None) -> Iterator[Text]:
    """Lay out the calls of a session; the calls' own text gives way to fit ``width``. Empty columns are left out."""
    if not rows:
        return
    cells = [_cells(row) for row in rows]
    shown = [place for place in range(len(_HEADER)) if any(line[place] for line in cells)]
    widths = {place: max(cell_len(line[place]) for line in (*cells, _HEADER)) for place in shown}
    if width is None:
        widths[_WHAT] = min(widths[_WHAT], PIPED_WIDTH)
    else:
        others = sum(size + 2 for place, size in widths.items() if place != _WHAT)
        widths[_WHAT] = max(min(widths[_WHAT], width - others), NARROWEST)
    for line in (_HEADER, *cells):
        text = Text(style="bold" if line is _HEADER else "")
        for place in shown:
            cell = Text(line[place], style=_COLOURS.get(line[place], "") if place == _DECISION else "")
            cell.truncate(widths[place], overflow="ellipsis")
            cell.align("right" if place in _RIGHT else "left", widths[place])
            text.append_text(cell).append("  ")
        text.rstrip()
        yield text


def _cells(row: Row) -> tuple[str, ...]:
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


def totals(rows: list[Row]) -> str:
    """Say in words what happened, and whether a refusal lost anything."""
    found = total(rows)
    parts = [f"{found.run} run"]
    parts += [f"{found.warned} run with a warning"] if found.warned else []
    if found.refused:
        reasons = ", ".join(f"{count} {reason}" for reason, count in found.reasons)
        parts.append(f"{found.refused} refused ({reasons})")
    parts += [f"{found.reused} answered with an earlier result"] if found.reused else []
    text = f"{found.calls} call{'' if found.calls == 1 else 's'}: {', '.join(parts)}"
    if found.same_result or found.other_view or found.other_result or found.unknown_result:
        text += (
            f"\nrepeats that would not have run: {found.same_result} had the earlier call's result,"
            f" {found.other_view} another view of it, {found.other_result} another result,"
            f" {found.unknown_result} not known"
        )
    return text


def describe(call: ToolCall) -> str:
    """Return what a call was, on one line, without credentials: a command as it is, other arguments as JSON."""
    match call.input:
        case {"command": str() as text, **rest} | {"cmd": str() as text, **rest} if "path" not in rest:
            return printable(mask(text))
        case {"command": [*words]} if all(isinstance(word, str) for word in words):
            return printable(mask(" ".join(cast("list[str]", words))))
        case str() as text:
            return printable(mask(text))
        case given:
            return printable(json.dumps(mask_input(given), ensure_ascii=False, default=repr))


def printable(text: str) -> str:
    r"""Spell out what would move the cursor or colour the terminal.

    >>> printable("a\n\x1b[31mb")
    'a\\n\\x1b[31mb'
    """
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
