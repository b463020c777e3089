"""``samecall hook``. An agent starts its hook without this module (``samecall.__main__``): click takes too long."""

from __future__ import annotations

import difflib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import SettingsError
from ..hooks import AGENTS, options, settings
from ..hooks.settings import HOSTS, Host
from .policy_options import add

UNCHANGED = 1


@click.group("hook")
def command() -> None:
    """Enforce a policy inside a coding agent: Claude Code, Codex or Gemini CLI.

    "install" writes the agent's settings; the agent then starts the command of its name at each call.
    """


def _policy_options(decorated: Callable[..., Any]) -> Callable[..., Any]:
    return add(options.HOOK_OPTIONS, decorated)


def _place_options(decorated: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        click.option("--yes", is_flag=True, help="Do not ask."),
        click.option("--user/--project", default=True, help="Whose settings: yours (default), or this folder's."),
        click.option("--agent", type=click.Choice(AGENTS), default=AGENTS[0], show_default=True, help="Whose hooks."),
    ):
        decorated = decorate(decorated)
    return decorated


@command.command("install")
@_place_options
@_policy_options
def install(agent: str, *, user: bool, yes: bool, **values: object) -> int:
    """Write the hook, with its policy, into an agent's settings.

    Shows the change and asks first. What else is in the file stays as it is; a policy installed before is replaced.

    Exit status 0: the hook is there, 1: nothing changed, 2: the policy or the file cannot be used, 130: interrupted.
    """
    arguments = options.spell(values)
    if not options.policy(arguments).enforces:
        raise click.UsageError("nothing to enforce: give --max-tool-calls or --dedupe-tool-calls, for example")
    host = HOSTS[agent]
    line = settings.command_line(host, arguments)
    if not _change(host, user=user, yes=yes, edit=lambda text: settings.install(text, host, line)):
        return UNCHANGED
    other = settings.settings_file(host, user=not user)
    if other != settings.settings_file(host, user=user) and settings.commands(_read(other)[1], host):
        click.echo(f"Note: {other} has the hook, too, so both will answer each call.", err=True)
    return 0


@command.command("uninstall")
@_place_options
def uninstall(agent: str, *, user: bool, yes: bool) -> int:
    """Take the hook out of an agent's settings.

    Shows the change and asks first. Exit status as for "install".
    """
    host = HOSTS[agent]
    changed = _change(host, user=user, yes=yes, edit=lambda text: settings.uninstall(text, host))
    return 0 if changed else UNCHANGED


def _agent_command(agent: str) -> click.Command:
    @command.command(
        agent,
        short_help=f"Answer one event of {HOSTS[agent].title}.",
        help=f"Answer one event of {HOSTS[agent].title}, a JSON object on standard input. The agent runs this.",
    )
    @_policy_options
    def run(**values: object) -> None:
        from ..hooks.short import run as answer  # noqa: PLC0415 - loaded for this command only

        answer([agent, *options.spell(values)])

    return run


for _agent in AGENTS:
    _agent_command(_agent)


def _change(host: Host, *, user: bool, yes: bool, edit: Callable[[str], str]) -> bool:
    """Change a settings file, after the user has seen how. ``False``: the user does not want it."""
    path = settings.settings_file(host, user=user)
    mark, text = _read(path)
    try:
        changed = edit(text)
    except SettingsError as error:
        raise SettingsError(f"{path} {error}; it is left as it is") from None
    if changed == text:
        click.echo(f"Nothing to do: {path}")
        return True
    if not yes:
        before = text.splitlines() if path.exists() else []
        for row in difflib.unified_diff(before, changed.splitlines(), str(path), str(path), lineterm=""):
            click.echo(row)
        if not _agreed():
            click.echo("Nothing changed.", err=True)
            return False
    _write(path, mark + changed)
    click.echo(f"Changed: {path}")
    return True


def _agreed() -> bool:
    """Ask. Whoever cannot be asked does not agree; Ctrl-C leaves the line of the question, and the program."""
    click.echo("Change this file? [y/N] ", nl=False, err=True)
    try:
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        click.echo(err=True)
        raise
    if not answer.endswith("\n"):
        click.echo(err=True)
    return answer.strip().lower() in {"y", "yes"}


def _read(path: Path) -> tuple[str, str]:
    """Return a settings file's byte order mark and its text; a missing or blank file is an empty object."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8; it is left as it is") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark, text.removeprefix(mark) if text.strip("\ufeff \t\r\n") else "{}\n"


def _write(path: Path, text: str) -> None:
    """Put a file in the place of another at once, with the other's permissions."""
    written = path.with_name(f"{path.name}.samecall-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        written.write_bytes(text.encode("utf-8"))
        if path.exists():
            written.chmod(stat.S_IMODE(path.stat().st_mode))
        written.replace(path)
    except OSError as error:
        written.unlink(missing_ok=True)
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from None
