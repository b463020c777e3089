"""A comparison of policies: what they would have lost, then a column for each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..describing import printable
from ..losses import Loss
from ..study import SessionEnd, Summary
from .measures import MEASURES
from .screen import Screen

_LOSSES = 5
"""Losses of each policy that a terminal shows."""


class Comparison:
    """Prints the comparison at the end."""

    def session(self, ended: SessionEnd) -> None:
        """Say nothing of single sessions."""

    def end(self, summary: Summary) -> None:
        """Print the losses, then the table."""
        screen = Screen()
        for line in _losses(summary, screen.width):
            screen.print(line)
        if screen.width is None:
            for row in rows(summary):
                screen.print(Text("\t".join(row)))
        else:
            Console(highlight=False).print(_table(summary))


class ComparisonLines:
    """Prints the comparison as JSON, an object a line: each loss, then each policy."""

    def session(self, ended: SessionEnd) -> None:
        """Say nothing of single sessions."""

    def end(self, summary: Summary) -> None:
        """Print them."""
        for loss in in_order(summary):
            click.echo(json.dumps({"type": "false_refusal", **asdict(loss)}))
        for contender, totals in zip(summary.contenders, summary.totals, strict=True):
            body = asdict(totals) | {"reasons": dict(totals.reasons)}
            click.echo(json.dumps({"type": "policy", "policy": contender.name, **body}))


def rows(summary: Summary) -> Iterator[tuple[str, ...]]:
    """Return the comparison a policy a row, under a header."""
    yield ("policy", *(label for label, _ in MEASURES))
    for contender, totals in zip(summary.contenders, summary.totals, strict=True):
        yield (contender.name, *(str(measure(totals)) for _, measure in MEASURES))


def in_order(summary: Summary) -> list[Loss]:
    """Return the losses in the order of the policies, each policy's in the order of the sessions."""
    places = {contender.name: place for place, contender in enumerate(summary.contenders)}
    return sorted(summary.losses, key=lambda loss: places[loss.policy])


def heading(loss: Loss) -> str:
    """Say which call of which session a policy would have refused, and for which."""
    place = f"turn {loss.turn} of {printable(loss.session)}"
    return f"{loss.policy}: call {loss.call} refused for call {loss.earlier}, {place}"


def _losses(summary: Summary, width: int | None) -> Iterator[Text]:
    """Lay out the losses. A terminal gets the first of each policy."""
    counts = {
        contender.name: totals.other_result
        for contender, totals in zip(summary.contenders, summary.totals, strict=True)
    }
    if not summary.losses:
        return
    yield Text("Refused, though the recorded result is not the earlier call's", style="bold")
    shown: Counter[str] = Counter()
    most = len(summary.losses) if width is None else _LOSSES
    for loss in in_order(summary):
        shown[loss.policy] += 1
        if shown[loss.policy] > most:
            continue
        lines = [heading(loss)]
        lines += [f"  call {loss.earlier:<6} {loss.tool} {loss.earlier_what}", f"    result    {loss.earlier_result}"]
        lines += [f"  call {loss.call:<6} {loss.tool} {loss.what}", f"    result    {loss.result}"]
        for place, line in enumerate(lines):
            text = Text(line, style="" if place else "red")
            if width is not None:
                text.truncate(width, overflow="ellipsis")
            yield text
    for name, count in counts.items():
        if count > min(shown[name], most):
            yield Text(f"{name}: {count - min(shown[name], most):,} more")
    yield Text("")


def _table(summary: Summary) -> Table:
    """Lay out a policy a column: so many figures do not fit beside one another."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("")
    for contender in summary.contenders:
        table.add_column(contender.name, justify="right", overflow="fold")
    for label, measure in MEASURES:
        figures = [measure(totals) for totals in summary.totals]
        style = "red" if label == "another result" and any(figures) else ""
        table.add_row(label, *(f"{figure:,}" for figure in figures), style=style)
    return table
