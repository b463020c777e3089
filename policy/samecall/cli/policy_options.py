"""The options of ``ToolPolicy`` on the command line, the same for every command that has a gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import click

from ..options import PolicyOptions

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--max-tool-calls", type=click.IntRange(0), help="Executed calls in one turn."),
    click.option("--max-tool-calls-per-session", type=click.IntRange(0), help="Executed calls in the session."),
    click.option("--dedupe-tool-calls", is_flag=True, help="Refuse calls that repeat earlier ones."),
    click.option("--tool-call-key", type=click.Choice(["exact", "normalized"]), help="What makes two calls one."),
    click.option(
        "--on-duplicate-tool-call",
        type=click.Choice(["reject", "warn", "allow", "reuse"]),
        help="What happens to a duplicate.",
    ),
    click.option("--dedupe-scope", type=click.Choice(["turn", "session"]), help="How far back an earlier call counts."),
)


def policy_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def given(options: Mapping[str, object]) -> PolicyOptions:
    """Return what was given, as ``ToolPolicy`` takes it."""
    return cast("PolicyOptions", {name: value for name, value in options.items() if value is not None})
