"""The ``samecall`` command. Bad input is one line on stderr and status 2; nothing ends in a traceback."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module

import click

from ..errors import SamecallError

_COMMANDS = {
    "explain": "explain",
    "hook": "hook",
    "key": "key",
    "mcp": "mcp",
    "replay": "replay",
    "run": "run",
    "schema": "schema",
}
"""Command -> its module here, imported when it is asked for."""


class _ReaderGoneError(Exception):
    """Nobody reads our output any more. Click takes ``BrokenPipeError`` for a failure; this passes it."""


class _LazyGroup(click.Group):
    def invoke(self, ctx: click.Context) -> object:
        try:
            status: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise _ReaderGoneError from None
        return status

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f".{_COMMANDS[cmd_name]}", __name__)
        command: click.Command = module.command
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="samecall")
def command() -> None:
    """Budgets for tool calls, and duplicates recognised however they are spelled."""


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # lone surrogates in a recording, a terminal without UTF-8
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - closed by who started us
        sys.exit(_complain("standard output is closed"))
    sys.exit(_run())


def _run() -> int:
    try:
        status = command.main(prog_name="samecall", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return 2
    except click.ClickException as error:
        return _complain(error.format_message())
    except SamecallError as error:
        return _complain(str(error))
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (BrokenPipeError, _ReaderGoneError):
        _give_up_output()
        return 141
    except OSError as error:
        _give_up_output()
        return _complain(f"{error.filename or 'output'}: {error.strerror or type(error).__name__}")
    return status if isinstance(status, int) else 0


def _give_up_output() -> None:
    """Point standard output elsewhere, so that the exit's own flush stays quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> int:
    click.echo("samecall: " + " ".join(message.split()), err=True)
    return 2
