"""``samecall replay``."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import click

from ..errors import RecordingError
from ..events import Event, to_json
from ..options import ToolPolicy
from ..recordings import Recording, read
from ..replay import replay
from .policy_options import given, policy_options


@click.command("replay")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@policy_options
@click.option("--totals", is_flag=True, help="Print the totals of all files only.")
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON lines instead.")
def command(files: tuple[str, ...], *, totals: bool, as_json: bool, **options: object) -> None:
    """Take recorded sessions through the gate and print what it would have decided.

    Reads OpenAI chat messages, Claude Code sessions, and a dozen other formats, found from the content. FILE may be a
    folder: its files are read, and those that are no recordings are named and left out.
    """
    from .report import Report  # noqa: PLC0415 - rich is loaded for tables only

    policy = ToolPolicy(**given(options))
    sessions = [session for file in files for session in _sessions(file)]
    if as_json:
        for title, recording in sessions:
            deque(replay(recording, policy, session_id=title, on_event=_print), maxlen=0)
        return
    report = Report()
    for title, recording in sessions:
        report.add(title, list(replay(recording, policy, session_id=title)), show=not totals)
    report.end()


def _sessions(file: str) -> list[tuple[str, Recording]]:
    """Read a file's sessions, or those of the files in a folder: what is no recording there is left out, and named."""
    if not Path(file).is_dir():
        return [(f"{file}#{found.session}" if found.session else file, found) for found in read(file)]
    sessions: list[tuple[str, Recording]] = []
    for path in sorted(path for path in Path(file).iterdir() if path.is_file()):
        try:
            sessions += _sessions(str(path))
        except RecordingError as error:
            click.echo(f"samecall: left out: {error}", err=True)
    if not sessions:
        raise RecordingError(f"{file}: no recorded session in this folder")
    return sessions


def _print(event: Event) -> None:
    click.echo(json.dumps(to_json(event)))
