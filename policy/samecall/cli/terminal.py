"""A run as a person sees it: progress on standard error, the answer on standard output, questions on the terminal."""

from __future__ import annotations

import asyncio
import sys
import termios
import unicodedata

import click
from callkey import ToolCall
from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from ..events import ToolCallFinished, ToolCallStarted, ToolRejected, ToolReused, ToolWarned
from ..harness import ModelCallFinished, ModelCallStarted, RunEvent, TurnReported
from .lines import Lines
from .report import PIPED_WIDTH, describe, printable

_NARROWEST = 16
"""Columns that a call gets on the narrowest terminal."""

_COLOURS = {"run": "green", "warn": "yellow", "refuse": "red", "reuse": "cyan"}


class Terminal:
    """Shows events, and asks. Nothing that a model or a command said can move the cursor."""

    def __init__(self, lines: Lines, *, attended: bool) -> None:
        """Read answers from ``lines``; ``attended`` says that a person sits there."""
        self.attended = attended
        self._lines = lines
        self._asking = asyncio.Lock()
        self._progress = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._status = self._progress.status("")
        self._warnings: dict[str, str] = {}

    def show(self, event: RunEvent) -> None:
        """Show an event, or what goes on until the next."""
        match event:
            case ModelCallStarted():
                self._wait("asking the model" if event.tools else "asking the model for its answer")
            case ToolCallStarted():
                warning = self._warnings.pop(event.call_id, "")
                self._call("warn" if warning else "run", event, event.input, warning)
                self._wait("running")
            case ToolWarned():
                self._warnings[event.call_id] = _why(event.reason, event.duplicate_of)
            case ToolRejected():
                count = "" if event.limit is None else f" {event.tool_call_count}/{event.limit}"
                self._call("refuse", event, event.input, _why(event.reason, event.duplicate_of) + count)
            case ToolReused():
                self._call("reuse", event, event.input, f"result of call {event.duplicate_of}")
            case ToolCallFinished() if event.outcome != "succeeded":
                self._print(Text(f"{event.ordinal:>3} {event.outcome}", style="yellow"))
            case ModelCallFinished() if event.error:
                self._print(Text(printable(event.error), style="red"))
            case TurnReported():
                self._status.stop()
                self._report(event)
            case _:
                pass

    async def prompt(self) -> str | None:
        """Ask for the next prompt; ``None`` when the person leaves."""
        self._progress.print(Text("> ", style="bold"), end="")
        return await self._lines.next()

    async def approve(self, command: str) -> bool:
        """Ask whether a command may run. What was typed before the question does not answer it."""
        async with self._asking:
            self._status.stop()
            self._progress.print(Text("This command may change something:\n", style="bold"))
            self._progress.print(Text("\n".join("    " + line for line in _harmless(command).split("\n")) + "\n"))
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
            self._lines.drop()
            self._progress.print(Text("Run it? [y/N] ", style="bold"), end="")
            answer = await self._lines.next()
            return (answer or "").strip().lower() in {"y", "yes"}

    def _wait(self, what: str) -> None:
        if self._progress.is_terminal and not self._asking.locked():
            self._status.update(what)
            self._status.start()

    def _print(self, text: Text) -> None:
        self._progress.print(text)

    def _call(self, verdict: str, event: ToolCallStarted | ToolRejected | ToolReused, given: object, why: str) -> None:
        line = Text(f"{event.ordinal:>3} ").append(f"{verdict:<6} ", style=_COLOURS[verdict])
        told = describe(ToolCall(event.name, given))
        what = Text(f"$ {told}" if event.name == "bash" else f"{printable(event.name)} {told}")
        width = self._progress.width - 1 if self._progress.is_terminal else PIPED_WIDTH
        what.truncate(max(width - line.cell_len - cell_len(why) - 2, _NARROWEST), overflow="ellipsis")
        line.append_text(what)
        if why:
            line.append(f"  {why}", style=_COLOURS[verdict])
        self._print(line)

    def _report(self, event: TurnReported) -> None:
        if event.text and sys.stdout.isatty():
            console = Console()
            console.print()
            console.print(Markdown(_harmless(event.text)))
            console.print()
        elif event.text:
            click.echo(event.text)
        counts = event.counts
        parts = [f"{counts.attempted} tool calls: {counts.executed} run"]
        parts += [f"{counts.rejected} refused"] if counts.rejected else []
        parts += [f"{counts.reused} answered with an earlier result"] if counts.reused else []
        parts.append(f"{event.model_calls} model calls")
        if event.usage is not None:
            parts.append(f"{event.usage.input_tokens:,} tokens in, {event.usage.output_tokens:,} out")
        self._print(Text(", ".join(parts), style="dim"))
        if event.error is not None:
            self._print(Text(f"no final answer: {printable(event.error)}", style="bold red"))


def _why(reason: str, duplicate_of: int | None) -> str:
    return (
        reason.replace("_", " ")
        if duplicate_of is None
        else f"{reason.split('_', maxsplit=1)[0]} of call {duplicate_of}"
    )


def _harmless(text: str) -> str:
    r"""Spell out control and direction characters, and keep lines, tabs as blanks.

    >>> _harmless("a\x1b[2Jb\n\tc")
    'a\\x1b[2Jb\n    c'
    """
    return "".join(
        letter.encode("unicode_escape").decode()
        if letter != "\n" and (unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in _DIRECTIONS)
        else letter
        for letter in text.expandtabs(4)
    )


# Embeddings, overrides and isolates: they can make a command look like another.
_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
