"""What a benchmark found: a table for people, figures for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Report:
    """One table, what is to be said under it, and its figures by name (for ``--json`` and ``--compare``)."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)


def show(report: Report, console: Console, earlier: Mapping[str, float]) -> None:
    """Print the table, the remarks, and how each figure moved since an earlier run."""
    table = Table(title=report.title, title_justify="left")
    for index, column in enumerate(report.columns):
        table.add_column(column, justify="right" if index else "left", overflow="fold")
    for row in report.rows:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))
    console.print(table)
    for remark in report.remarks:
        console.print(remark, markup=False, highlight=False)
    for name, value in report.figures.items():
        before = earlier.get(name)
        if before:
            console.print(f"{name}: {before:.4g} -> {value:.4g} ({value / before:.2f} times)", markup=False)
