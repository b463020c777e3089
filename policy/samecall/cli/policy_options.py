"""The options of ``ToolPolicy`` on the command line, the same for every command that has a gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from ..hooks.options import OPTIONS, Option, read, spell
from ..options import PolicyOptions, ToolPolicy

Command = TypeVar("Command", bound=Callable[..., Any])

_METAVARS = {"count": "N", "seconds": "SECONDS", "name": "TOOL", "limit": "TOOL=N", "effect": "TOOL=EFFECT"}
_REPEATED = {"name", "limit", "effect"}


def policy_options(command: Command) -> Command:
    """Add the options to a command."""
    return add(OPTIONS, command)


def add(options: Sequence[Option], command: Command) -> Command:
    """Add these options to a command, their values as text: ``given`` reads them."""
    for option in reversed(options):
        command = _decorator(option)(command)
    return command


def given(values: Mapping[str, object]) -> PolicyOptions:
    """Return what was given, as ``ToolPolicy`` takes it. Raises ``PolicyError``, with flags for names."""
    return read(spell(values))


def warn_of_nothing(policy: PolicyOptions) -> None:
    """Say so where a policy lets every call run: whoever starts a gate expects one."""
    if not ToolPolicy(**policy).enforces:
        click.echo("samecall: every call may run: no --max-tool-calls, no --dedupe-tool-calls", err=True)


def _decorator(option: Option) -> Callable[[Command], Command]:
    about = option.help + _default(option)
    match option.kind:
        case "switch":
            return click.option(option.flag, option.field, is_flag=True, default=None, help=about)
        case "off":
            return click.option(option.flag, option.field, flag_value=False, default=None, help=about)
        case kind:
            return click.option(
                option.flag,
                option.field,
                type=click.Choice(option.choices) if option.choices else str,
                metavar=_METAVARS.get(kind),
                multiple=kind in _REPEATED,
                help=about,
            )


def _default(option: Option) -> str:
    """Return what holds without the option, where that is a value."""
    value = getattr(ToolPolicy(), option.field)
    return f"  [default: {value}]" if isinstance(value, int | str) and not isinstance(value, bool) else ""
