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

from ..describing import describe, printable
from ..events import (
    Event,
    ModelCallStarted,
    ToolCallFinished,
    ToolCallStarted,
    ToolRejected,
    ToolReused,
    ToolWarned,
    TurnFinished,
)
from .lines import Lines
from .report import PIPED_WIDTH

_NARROWEST = 16
"""Columns that a call gets on the narrowest terminal."""

_COLOURS = {"run": "green", "warn": "yellow", "refuse": "red", "reuse": "cyan", "denied": "red", "failed": "yellow"}
_ADVICE = "denied: a command that may change something runs with --yolo, or where a person can be asked"


class Terminal:
    """Shows events, and asks. Nothing that a model or a command said can move the cursor."""

    def __init__(self, lines: Lines, *, attended: bool, advises: bool) -> None:
        """Read answers from ``lines``; ``attended`` says that a person sits there.

        ``advises``: say how commands may run that were denied.
        """
        self.attended = attended
        self._advises = advises
        self._denied = False
        self._waiting: dict[str, ToolCallStarted] = {}
        self._rows: dict[str, Text | None] = {}
        """What is to be shown of calls, in their order; ``None`` for one yet to begin, which holds up the rest."""
        self._lines = lines
        self._asking = asyncio.Lock()
        self._progress = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._status = self._progress.status("")
        self._warnings: dict[str, str] = {}

    def show(self, event: Event) -> None:
        """Show an event, or what goes on until the next."""
        match event:
            case ModelCallStarted():
                self._wait("asking the model" if event.tools else "asking the model for its answer")
            case ToolCallStarted():
                # Admitted: it may still wait for others, or for a person.
                self._waiting[event.call_id], self._rows[event.call_id] = event, None
            case ToolWarned():
                self._warnings[event.call_id] = _why(event.reason, event.duplicate_of)
            case ToolRejected():
                count = "" if event.limit is None else f" {event.tool_call_count}/{event.limit}"
                self._call("refuse", event, event.input, _why(event.reason, event.duplicate_of) + count)
            case ToolReused():
                self._call("reuse", event, event.input, f"result of call {event.duplicate_of}")
            case ToolCallFinished(outcome=outcome):
                started = self._waiting.pop(event.call_id, None)
                self._warnings.pop(event.call_id, None)
                self._denied |= outcome == "denied"
                if started is not None:
                    self._call(outcome, started, started.input, "")
                elif outcome != "succeeded":
                    self._print(Text(f"{event.ordinal:>3} {outcome}", style="yellow"))
            case TurnFinished():
                self._status.stop()
                self._report(event)
            case _:
                pass

    def begin(self, call_id: str) -> None:
        """Show a call that begins to run."""
        started = self._waiting.pop(call_id, None)
        if started is not None:
            warning = self._warnings.pop(call_id, "")
            self._call("warn" if warning else "run", started, started.input, warning)
            self._wait("running")

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
        self._rows[event.call_id] = self._row(verdict, event, given, why)
        for call_id, row in list(self._rows.items()):
            if row is None:
                break
            self._print(row)
            del self._rows[call_id]

    def _row(self, verdict: str, event: ToolCallStarted | ToolRejected | ToolReused, given: object, why: str) -> Text:
        line = Text(f"{event.ordinal:>3} ").append(f"{verdict:<6} ", style=_COLOURS.get(verdict, ""))
        told = describe(ToolCall(event.name, given))
        what = Text(f"$ {told}" if event.name == "bash" else f"{printable(event.name)} {told}")
        width = self._progress.width - 1 if self._progress.is_terminal else PIPED_WIDTH
        what.truncate(max(width - line.cell_len - cell_len(why) - 2, _NARROWEST), overflow="ellipsis")
        line.append_text(what)
        if why:
            line.append(f"  {why}", style=_COLOURS.get(verdict, ""))
        return line

    def _report(self, event: TurnFinished) -> None:
        if event.text and sys.stdout.isatty():
            console = Console()
            console.print()
            console.print(Markdown(_harmless(event.text)))
            console.print()
        elif event.text:
            click.echo(event.text)
        counts = event.counts
        parts = [f"{_counted(counts.attempted, 'tool call')}: {counts.executed} run"]
        parts += [f"{counts.rejected} refused"] if counts.rejected else []
        parts += [f"{counts.reused} answered with an earlier result"] if counts.reused else []
        parts += [] if event.model_calls is None else [_counted(event.model_calls, "model call")]
        if event.usage is not None:
            parts.append(f"{event.usage.input_tokens:,} tokens in, {event.usage.output_tokens:,} out")
        self._print(Text(", ".join(parts), style="dim"))
        if self._denied and self._advises:
            self._print(Text(_ADVICE, style="dim"))
        self._denied = False
        if event.error is not None:
            self._print(Text(f"no final answer: {printable(event.error)}", style="bold red"))


def _counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> _counted(1, "call"), _counted(2, "call")
    ('1 call', '2 calls')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


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
