"""``samecall schema``."""

from __future__ import annotations

import json

import click

from ..event_schema import schema


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of one line of the event stream."""
    click.echo(json.dumps(schema(), indent=2))
