"""``samecall mcp``."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO

import click

from ..adapters.mcp import IDLE_SECONDS
from ..adapters.mcp_proxy import Proxy
from ..adapters.sessions import Sessions
from ..hooks.options import OPTIONS
from ..options import ToolPolicy
from .policy_options import given, policy_options, warn_of_nothing

_FORWARDED = {signal.SIGTERM, signal.SIGINT}


_OURS = {option.flag for option in OPTIONS} | {"--new-turn-after"}


class _Command(click.Command):
    """Says where the server's own options go: before ``--`` they are taken for ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            told = error.format_message().rstrip(".")
            raise click.UsageError(f"{told}; options of the server's own command go after --") from None


@click.command("mcp", cls=_Command)
@click.argument("server", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@policy_options
@click.option(
    "--new-turn-after",
    type=click.FloatRange(0, min_open=True),
    default=IDLE_SECONDS,
    show_default=True,
    help="Seconds without a call after which a turn begins, where the client names none.",
)
def command(server: tuple[str, ...], *, new_turn_after: float, **options: object) -> int:
    """Run an MCP server over standard input and output, its tools under the policy.

    Put it before the server's own command, after `--`: samecall mcp --max-tool-calls 6 -- my-server --verbose. All but
    refused calls passes as it came, in both directions. A client may name session and turn in a call's `_meta`, as
    `samecall/session` and `samecall/turn`.

    Exit status: the server's; 2: it could not be started.
    """
    policy = given(options)
    sessions = Sessions(ToolPolicy(**policy))
    try:
        # Starting what the user names is what this command is for.
        process = subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
    except OSError as error:
        raise click.ClickException(f"cannot start {server[0]}: {error.strerror or error}") from None
    misplaced = [word for word in server[1:] if word.partition("=")[0] in _OURS]
    if misplaced:
        click.echo(f"samecall: {misplaced[0]} goes to {server[0]}: options of samecall stand before --", err=True)
    warn_of_nothing(policy)
    # A handler would run when the main thread does, which may wait for the server: a thread of its own always does.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    threading.Thread(target=_forward, args=(process,), daemon=True).start()
    return _relay(process, sessions, new_turn_after)


def _forward(process: subprocess.Popen[bytes]) -> None:
    """Let the server end as its client wants it to; then we do, too."""
    while True:
        process.send_signal(signal.sigwait(_FORWARDED))


def _relay(process: subprocess.Popen[bytes], sessions: Sessions, idle: float) -> int:
    """Carry lines both ways until the server ends; return its status."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise AssertionError("both are pipes")
    # A queue without bound: neither direction waits for the other, so two full pipes cannot lock each other.
    waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    proxy = Proxy(sessions, lambda line: _write(stdin, line), waiting.put, idle=idle)
    threading.Thread(target=_read_client, args=(proxy, stdin), daemon=True).start()
    writer = threading.Thread(target=_write_client, args=(waiting,), daemon=True)
    writer.start()
    for line in stdout:
        proxy.from_server(line)
    proxy.close()
    waiting.put(None)
    writer.join()
    status = process.wait()
    return status if status >= 0 else 128 - status


def _read_client(proxy: Proxy, stdin: IO[bytes]) -> None:
    # A descriptor of our own: the interpreter closes sys.stdin at its end, whoever still reads from it.
    with os.fdopen(os.dup(sys.stdin.fileno()), "rb") as lines:
        for line in lines:
            proxy.from_client(line)
    with suppress(OSError):  # the server is gone already, with something left to write
        stdin.close()


def _write_client(waiting: queue.SimpleQueue[bytes | None]) -> None:
    while (line := waiting.get()) is not None:
        _write(sys.stdout.buffer, line)


def _write(pipe: IO[bytes], line: bytes) -> None:
    with suppress(OSError, ValueError):  # the reader is gone: its own end says so
        pipe.write(line)
        pipe.flush()
