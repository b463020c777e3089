"""The bash tool: one command, one shell, one result. What a command started ends with it, whatever happens."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from callkey import effects

from ..errors import ToolFailedError
from .output import Tape

Approve: TypeAlias = Callable[[str], bool | Awaitable[bool]]
"""Asked before a command runs that may change something."""

DESCRIPTION = """Run a bash command and return what it prints, standard error included.

Each command starts in the same directory, in a shell of its own, without input. What it leaves running is ended."""

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"command": {"type": "string", "description": "the command"}},
    "required": ["command"],
    "additionalProperties": False,
}

_NOBODY = (
    "Not run: this command may change something, and there is nobody to ask. "
    "Use commands that only read, or say in the answer what would have to be run."
)
_REFUSED = "Not run: the user refused this command. Take another way, or write the best answer from gathered sources."

# No colours, no pager, no question: nobody is there to see or to answer.
_ENVIRONMENT = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}

_LOOK_SECONDS = 0.02
_STRAGGLER_SECONDS = 0.5
"""How long what a command left behind may take to end by itself: ``> >(tee log)`` writes after bash is gone."""
_POLITE_SECONDS = 1.0
"""From SIGTERM to SIGKILL."""


@dataclass(frozen=True, slots=True)
class Bash:
    """Where and how commands run. ``timeout`` is in seconds, ``output_limit`` in bytes.

    A command that only reads runs at once. Any other runs if ``approve`` says so, and not at all without it.
    """

    directory: str | Path = "."
    timeout: float = 120.0
    output_limit: int = 30_000
    approve: Approve | None = None


async def run_command(bash: Bash, command: str, begin: Callable[[], None] = lambda: None) -> str:
    """Run a command, once it may, and return its output; ``begin`` is called just before.

    Raises ``ToolFailedError``, with output and status, or as ``denied``.
    """
    # A shell that ends with the command hands no directory or variable on, hence not persistent.
    if effects(command, persistent=False).changes:
        await _ask(bash.approve, command)
    begin()
    tape = Tape(bash.output_limit)
    status = await _execute(bash, command, tape)
    text = tape.text()
    if status == 0:
        return text or "(no output)"
    ending = f"[ended after {bash.timeout:g} seconds]" if status is None else f"[exit status {_spoken(status)}]"
    raise ToolFailedError(f"{text}\n{ending}" if text else ending)


async def _ask(approve: Approve | None, command: str) -> None:
    if approve is None:
        raise ToolFailedError(_NOBODY, "denied")
    allowed = approve(command)
    if not (await allowed if inspect.isawaitable(allowed) else allowed):
        raise ToolFailedError(_REFUSED, "denied")


def _spoken(status: int) -> str:
    """Return a status as bash gives it: 128 and the signal's number for a process that a signal ended."""
    return str(status) if status >= 0 else f"{128 - status}"


async def _execute(bash: Bash, command: str, tape: Tape) -> int | None:
    """Run the command in a process group of its own; ``None`` if it took too long."""
    # A pipe of our own: asyncio's would make the exit of bash wait for whoever inherited it.
    ours, theirs = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", command,
            cwd=bash.directory,
            env=_environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    reading = asyncio.create_task(_read(ours, tape))
    ending = asyncio.create_task(process.wait())
    try:
        await asyncio.wait([ending], timeout=bash.timeout)
        status = process.returncode
        if status is None:
            await _end(process.pid)
        else:
            await _gone(process.pid, _STRAGGLER_SECONDS)
    except asyncio.CancelledError:
        await _end(process.pid)
        raise
    finally:
        _signal(process.pid, signal.SIGKILL)
        try:
            # Not for ever: a process that left the group may still hold the pipe.
            await asyncio.wait([reading, ending], timeout=_STRAGGLER_SECONDS)
        finally:
            reading.cancel()
    return status


def _environment() -> dict[str, str]:
    """Return the environment without the keys of model providers: a command that reads must not hand them out."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return kept | _ENVIRONMENT


async def _read(descriptor: int, tape: Tape) -> None:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    try:
        while chunk := await reader.read(1 << 16):
            tape.add(chunk)
    finally:
        transport.close()


async def _end(group: int) -> None:
    if _signal(group, signal.SIGTERM):
        await _gone(group, _POLITE_SECONDS)


async def _gone(group: int, seconds: float) -> None:
    """Wait until nothing of a process group is left, at most so long."""
    for _ in range(int(seconds / _LOOK_SECONDS)):
        if not _signal(group, 0):
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _signal(group: int, number: int) -> bool:
    """Signal a process group; ``False`` if there is none."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS says so of a group of zombies
        return False
    return True
