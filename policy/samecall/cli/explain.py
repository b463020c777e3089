"""``samecall explain``."""

from __future__ import annotations

import click
from callkey import explain

from .key import visible


@click.command("explain")
@click.argument("a")
@click.argument("b")
@click.pass_context
def command(ctx: click.Context, a: str, b: str) -> None:
    """Say whether the commands A and B are one, and why. Exit status 0: the same, 1: different."""
    told = explain(a, b)
    click.echo(visible(told.sentence))
    ctx.exit(0 if told.same else 1)
