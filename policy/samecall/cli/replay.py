"""``samecall replay``."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack

import click

from ..contenders import Contender, contenders
from ..engines import pieces
from ..errors import RecordingError
from ..options import ToolPolicy
from ..recordings import FORMATS, find
from ..replay import SessionReplay
from ..study import FileEnd, Piece, SessionEnd, Summary, Task, empty
from ..totals import Totals
from .comparison import Comparison, ComparisonLines
from .exports import CsvCalls, CsvPolicies, MarkdownCalls, MarkdownPolicies, Output, opened
from .policy_options import given, policy_options
from .progress import watched
from .replay_lines import EventLines, TotalsLine
from .report import Report

_OURS = 2
"""The place among the contenders of the one whose calls a page of a comparison shows."""


@click.command("replay")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@policy_options
@click.option("--compare", is_flag=True, help="Set policies side by side: off, exact, normalized, graff's rule.")
@click.option("--totals", is_flag=True, help="Print the totals of all files only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines: events, or what --compare or --totals says.")
@click.option("--csv", metavar="PATH", help="Also write a CSV file: a call a line, or a policy a line.")
@click.option("--md", metavar="PATH", help="Also write a Markdown file.")
@click.option("--html", metavar="PATH", help="Also write a page to click through.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), metavar="NAME", help="What the files are, if that is not found out."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one a core]")
@click.option("--engine", metavar="dask://HOST:PORT", help="Spread the files over a Dask cluster.")
def command(  # noqa: PLR0913 - a command line's options
    files: tuple[str, ...],
    *,
    compare: bool,
    totals: bool,
    as_json: bool,
    csv: str | None,
    md: str | None,
    html: str | None,
    form: str | None,
    jobs: int | None,
    engine: str | None,
    **options: object,
) -> int:
    """Take recorded sessions through the gate and print what it would have decided.

    The format is found from the content. FILE may be a folder: its files are read, and those that are no recordings are
    named and left out; "-" is standard input.

    Exit status 0: all is read, 2: a FILE cannot be read, or nothing can, 130: interrupted.
    """
    if compare and totals:
        raise click.UsageError("--compare prints totals only: leave out --totals")
    if engine and jobs:
        raise click.UsageError("--jobs is for this machine: leave it out with --engine")
    values = given({**options, "dedupe_tool_calls": True} if compare else options)
    contending = contenders(values) if compare else (Contender("policy", ToolPolicy(**values)),)
    shown = _OURS if compare else 0
    calls = not (compare or totals or as_json)
    rows = bool(html) or (not compare and (calls or bool(csv or md)))
    events = as_json and not (compare or totals)
    with ExitStack() as stack:
        outputs: list[Output] = [_printed(compare=compare, totals=totals, as_json=as_json)]
        if csv:
            outputs.append((CsvPolicies if compare else CsvCalls)(stack.enter_context(opened(csv))))
        if md:
            outputs.append((MarkdownPolicies if compare else MarkdownCalls)(stack.enter_context(opened(md))))
        names = [str(path) for path in find(files)]
        task = Task(contending, rows, events, shown, form)
        stream = stack.enter_context(pieces(names, task, jobs=jobs, engine=engine))
        walk = _Walk(outputs, empty(task), files)
        watching = watched(stream, len(names), quiet=calls and sys.stdout.isatty())
        if html:
            from ..report import write_html  # noqa: PLC0415 - the extra ``report``

            write_html(html, walk.replays(watching), policy=contending[shown].policy)
        else:
            deque(walk.sessions(watching), maxlen=0)
        return walk.end()


def _printed(*, compare: bool, totals: bool, as_json: bool) -> Output:
    if as_json:
        return ComparisonLines() if compare else TotalsLine() if totals else EventLines()
    return Comparison() if compare else Report(calls=not totals)


class _Walk:
    """Hands sessions to the outputs as they come, adds them up, and says what cannot be read."""

    def __init__(self, outputs: Sequence[Output], summary: Summary, named: Sequence[str]) -> None:
        self._outputs = outputs
        self._summary = summary
        self._named = named
        self._unread = 0

    def sessions(self, stream: Iterable[Piece]) -> Iterator[SessionEnd]:
        """Pass the sessions on."""
        for piece in stream:
            self._summary += piece
            if isinstance(piece, FileEnd):
                self._complain(piece)
                continue
            for output in self._outputs:
                output.session(piece)
            yield piece

    def replays(self, stream: Iterable[Piece]) -> Iterator[SessionReplay]:
        """Pass the sessions on as a page shows them, and last, in one of no calls, what could not be read."""
        for ended in self.sessions(stream):
            yield ended.replayed
        counted = self._summary.totals[0]
        yield SessionReplay("", "", (), Totals(skipped=counted.skipped, broken=counted.broken))

    def end(self) -> int:
        """Let the outputs end; return the exit status."""
        if self._summary.totals[0].sessions:
            for output in self._outputs:
                output.end(self._summary)
        elif not self._unread:
            raise RecordingError(f"{' '.join(self._named)}: no recorded session in this folder")
        return 2 if self._unread else 0

    def _complain(self, ended: FileEnd) -> None:
        for file, line, why in ended.broken:
            click.echo(f"samecall: {file}: line {line}: {why}", err=True)
        if ended.totals.broken > len(ended.broken):
            click.echo(f"samecall: {ended.name}: {ended.totals.broken} broken lines in all", err=True)
        if ended.error is not None and ended.name in self._named:
            self._unread += 1
            click.echo(f"samecall: {ended.error}", err=True)
        elif ended.error is not None:
            click.echo(f"samecall: left out: {ended.error}", err=True)
