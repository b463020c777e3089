"""A replay for programs: JSON, an object a line."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from ..study import SessionEnd, Summary


class EventLines:
    """Prints the events of each session."""

    def session(self, ended: SessionEnd) -> None:
        """Print them."""
        sys.stdout.writelines(f"{event}\n" for event in ended.events)

    def end(self, summary: Summary) -> None:
        """Print nothing more: events are all."""


class TotalsLine:
    """Prints the totals."""

    def session(self, ended: SessionEnd) -> None:
        """Say nothing of single sessions."""

    def end(self, summary: Summary) -> None:
        """Print them."""
        (found,) = summary.totals
        click.echo(json.dumps({"type": "totals", **asdict(found), "reasons": dict(found.reasons)}))
