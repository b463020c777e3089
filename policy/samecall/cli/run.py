"""``samecall run``."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..events import Event, to_json
from ..harness import Bash, Setup, session
from ..harness.setup import MODEL_TIMEOUT
from .lines import Lines
from .policy_options import given, policy_options, warn_of_nothing

if TYPE_CHECKING:
    from .terminal import Terminal  # rich is loaded for a run, not for the list of commands

INCOMPLETE = 1
_STDIN = 0
_SECONDS = click.FloatRange(0, min_open=True)


@click.command("run")
@click.argument("prompt", required=False)
@click.option("--model", required=True, help="provider:name as pydantic-ai knows it, or replay:FILE.")
@click.option("--base-url", help="Where an OpenAI-compatible server listens, for openai:NAME.")
@click.option("--instructions", default="", help="What the model is told before the prompt.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines; the last of a turn is its report.")
@click.option("--include-input", is_flag=True, help="Put the arguments of calls into the events, credentials masked.")
@policy_options
@click.option("--mcp", multiple=True, metavar="SERVER", help="Command or address of an MCP server. May be repeated.")
@click.option(
    "--directory",
    "-C",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Where bash commands run.",
)
@click.option("--timeout", type=_SECONDS, default=120.0, show_default=True, help="Seconds for one bash command.")
@click.option(
    "--output-limit",
    type=click.IntRange(0),
    default=30_000,
    show_default=True,
    help="Bytes of a command's output that the model reads.",
)
@click.option(
    "--model-timeout", type=_SECONDS, default=MODEL_TIMEOUT, show_default=True, help="Seconds for one model request."
)
@click.option("--yolo", is_flag=True, help="Run commands that may change something without asking.")
def command(  # noqa: PLR0913 - one parameter an option
    prompt: str | None,
    *,
    model: str,
    base_url: str | None,
    instructions: str,
    as_json: bool,
    include_input: bool,
    mcp: tuple[str, ...],
    directory: Path,
    timeout: float,
    output_limit: int,
    model_timeout: float,
    yolo: bool,
    **policy: object,
) -> int:
    """Run an agent on PROMPT, its tool calls behind the gate.

    Without PROMPT, turns come from standard input: {"type": "user", "text": "..."}, one a line, or on a terminal
    plain lines. The model has bash and the tools of the MCP servers. Commands that may change something ask first,
    and are refused where nobody can be asked.

    Exit status 0: every turn has its answer, 1: one has not, 2: it could not start, 130: interrupted.
    """
    from .terminal import Terminal  # noqa: PLC0415 - see above

    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - so it is where it was closed before
        raise click.ClickException("standard output is closed")
    options = given(policy)
    lines = Lines(_STDIN)
    attended = _isatty(sys.stdin) and _isatty(sys.stderr)
    terminal = Terminal(lines, attended=attended, advises=not attended and not yolo)
    run = _Run(terminal, lines, as_json=as_json)
    approve = _allow if yolo else terminal.approve if terminal.attended else None
    setup = Setup(
        model=model,
        policy=options,
        mcp=mcp,
        bash=Bash(directory, timeout, output_limit, approve),
        base_url=base_url,
        instructions=instructions,
        model_timeout=model_timeout,
        include_input=include_input or not as_json,
        on_event=run.show,
        on_begin=run.begin,
    )
    return asyncio.run(run.main(setup, prompt))


def _allow(_: str) -> bool:
    return True


def _isatty(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


class _Run:
    """One invocation: turns one after another, until input ends or somebody interrupts."""

    def __init__(self, terminal: Terminal, lines: Lines, *, as_json: bool) -> None:
        self._terminal = terminal
        self._lines = lines
        self._as_json = as_json
        self._signal = 0
        self._broken: OSError | None = None
        self._task: asyncio.Task[int] | None = None

    async def main(self, setup: Setup, prompt: str | None) -> int:
        """Run every turn and return the exit status."""
        task = self._task = asyncio.create_task(self._turns(setup, prompt))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._interrupt, number)
        try:
            status = await task
        except asyncio.CancelledError:
            status = 128 + self._signal
        return status if self._broken is None else _unwritable(self._broken)

    async def _turns(self, setup: Setup, prompt: str | None) -> int:
        status = 0
        async with session(setup) as opened:
            warn_of_nothing(setup.policy)
            async for asked in self._prompts(prompt):
                try:
                    result = await opened.turn(asked)
                except asyncio.CancelledError:
                    # At a prompt of ours, Ctrl-C ends the turn, not the conversation.
                    ends = prompt is not None or not self._terminal.attended or self._signal != signal.SIGINT
                    if ends or self._broken is not None or self._task is None:
                        raise
                    self._task.uncancel()
                    status = INCOMPLETE
                    continue
                status = status if result.complete else INCOMPLETE
        return status

    def show(self, event: Event) -> None:
        """Print an event."""
        if self._as_json:
            self._write(lambda: click.echo(json.dumps(to_json(event))))
        else:
            self._write(lambda: self._terminal.show(event))

    def begin(self, call_id: str) -> None:
        """Print a call that begins to run."""
        if not self._as_json:
            self._write(lambda: self._terminal.begin(call_id))

    def _write(self, write: Callable[[], None]) -> None:
        """Print, or end the run where nothing can be printed any more: its answer would be lost."""
        if self._broken is not None:
            return
        try:
            write()
        except OSError as error:
            self._broken = error
            if self._task is not None:
                self._task.cancel()

    def _interrupt(self, number: int) -> None:
        self._signal = number
        if self._task is not None:
            self._task.cancel()

    async def _prompts(self, prompt: str | None) -> AsyncIterator[str]:
        if prompt is not None:
            yield _filled(prompt)
        elif self._terminal.attended:
            while (line := await self._terminal.prompt()) is not None:
                if line.strip():
                    yield line
        else:
            number, found = 0, False
            while (line := await self._lines.next()) is not None:
                number += 1
                if line.strip():
                    found = True
                    yield _user_text(line, number)
            if not found:
                raise click.UsageError("no prompt: give PROMPT, or user lines on standard input")


def _unwritable(error: OSError) -> int:
    """Say why the output ends, unless its reader went away, and let go of what is still in the buffer."""
    if isinstance(error, BrokenPipeError):
        raise BrokenPipeError from None
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with suppress(OSError):
        click.echo(f"samecall: cannot write the output: {error.strerror}", err=True)
    return INCOMPLETE


def _filled(prompt: str) -> str:
    if not prompt.strip():
        raise click.UsageError("the prompt is empty")
    return prompt


def _user_text(line: str, number: int) -> str:
    value: object = None
    with suppress(ValueError, RecursionError):
        value = json.loads(line)
    match value:
        case {"type": "user", "text": str() as text} if text.strip():
            return text
        case _:
            raise click.UsageError(f'standard input, line {number}: needs {{"type": "user", "text": "..."}}')
