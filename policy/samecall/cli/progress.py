"""How far a study is, on standard error, for a person who waits."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..study import FileEnd, Piece


def watched(pieces: Iterable[Piece], files: int, *, quiet: bool) -> Iterator[Piece]:
    """Pass the pieces on, and show how many files and calls they were; not where nobody watches, or if ``quiet``."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield from pieces
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files, {task.fields[calls]:,} calls"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=files, calls=0)
        calls = 0
        for piece in pieces:
            if isinstance(piece, FileEnd):
                progress.advance(bar)
            else:
                calls += piece.totals[0].calls
                progress.update(bar, calls=calls)
            yield piece
