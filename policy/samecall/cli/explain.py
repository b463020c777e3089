"""``samecall explain``."""

from __future__ import annotations

import shutil
import sys
import textwrap

import click
from callkey import explain

from .key import visible


@click.command("explain")
@click.argument("a")
@click.argument("b")
@click.pass_context
def command(ctx: click.Context, a: str, b: str) -> None:
    """Say whether the commands A and B are one, and why.

    Exit status 0: the same, 1: different, 2: not given two commands.
    """
    told = explain(a, b)
    click.echo(_wrapped(visible(told.sentence)))
    ctx.exit(0 if told.same else 1)


def _wrapped(text: str) -> str:
    """Break lines between words at a terminal; a pipe gets the sentence whole."""
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n")
    )
