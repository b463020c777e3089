"""A replay, or a comparison, as a file for other programs: CSV and Markdown."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol, TextIO

from ..describing import printable
from ..errors import ReportError
from ..study import SessionEnd, Summary
from ..totals import Totals
from . import comparison
from .measures import in_words, why
from .report import HEADER, cells


class Output(Protocol):
    """Takes sessions as they come, then what they come to."""

    def session(self, ended: SessionEnd) -> None:
        """Take a session."""

    def end(self, summary: Summary) -> None:
        """Take the summary of all."""


@contextmanager
def opened(path: str) -> Generator[TextIO]:
    """Open a file to write. Raises ``ReportError`` for whatever goes wrong with it, until it is closed."""
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:  # noqa: PTH123 - /dev/stdout, too
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror or type(error).__name__}") from None


class CsvCalls:
    """A call a line, as RFC 4180 has it."""

    def __init__(self, file: TextIO) -> None:
        """Write the header."""
        self._writer = csv.writer(file)
        self._writer.writerow(("session", "turn", *HEADER, "seconds", "characters"))

    def session(self, ended: SessionEnd) -> None:
        """Write a session's calls."""
        for row in ended.rows:
            seconds, result = row.recorded.seconds, row.recorded.result
            timed = "" if seconds is None else f"{seconds:.3f}"
            long = "" if result is None else len(result)
            self._writer.writerow((printable(ended.title), row.turn, *cells(row), timed, long))

    def end(self, summary: Summary) -> None:
        """Write nothing: sums are easily made."""


class CsvPolicies:
    """A policy a line."""

    def __init__(self, file: TextIO) -> None:
        """Keep the file."""
        self._writer = csv.writer(file)

    def session(self, ended: SessionEnd) -> None:
        """Write nothing of single sessions."""

    def end(self, summary: Summary) -> None:
        """Write the comparison."""
        self._writer.writerows(comparison.rows(summary))


class MarkdownCalls:
    """A table for each session, and the totals of all."""

    def __init__(self, file: TextIO) -> None:
        """Write the title."""
        self._file = file
        file.write("# Recorded sessions\n")

    def session(self, ended: SessionEnd) -> None:
        """Write a session's calls and totals."""
        self._file.write(f"\n## {escaped(printable(ended.title))}\n\n")
        if ended.rows:
            self._file.write(_row(("call", "tool", "what it was", "decision", "why")) + _rule(5))
            for row in ended.rows:
                number, tool, what, verdict, *_ = cells(row)
                self._file.write(_row((number, tool, what, verdict, why(row))))
            self._file.write("\n")
        self._file.write(_lines(ended.totals[0]))

    def end(self, summary: Summary) -> None:
        """Write the totals."""
        self._file.write("\n## All sessions\n\n" + _lines(summary.totals[0]))


class MarkdownPolicies:
    """What the policies would have lost, and a table of them."""

    def __init__(self, file: TextIO) -> None:
        """Keep the file."""
        self._file = file

    def session(self, ended: SessionEnd) -> None:
        """Write nothing of single sessions."""

    def end(self, summary: Summary) -> None:
        """Write the comparison."""
        self._file.write("# Policies compared\n")
        if summary.losses:
            self._file.write("\n## Refused, though the recorded result is not the earlier call's\n")
            for loss in comparison.in_order(summary):
                self._file.write(f"\n{escaped(comparison.heading(loss))}\n\n")
                self._file.write(_row(("call", "what it was", "result")) + _rule(3))
                self._file.write(_row((str(loss.earlier), f"{loss.tool} {loss.earlier_what}", loss.earlier_result)))
                self._file.write(_row((str(loss.call), f"{loss.tool} {loss.what}", loss.result)))
        header, *rows = comparison.rows(summary)
        self._file.write("\n## Totals\n\n" + _row(header) + _rule(len(header)) + "".join(_row(row) for row in rows))


_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$@:])")


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is: every mark of its own gets a backslash, as CommonMark 0.31 has it.

    >>> escaped("a|b <i> `x`")
    'a\\|b \\<i\\> \\`x\\`'
    """
    return _MARKS.sub(r"\\\1", text)


def _row(fields: tuple[str, ...]) -> str:
    return "| " + " | ".join(escaped(field) for field in fields) + " |\n"


def _rule(count: int) -> str:
    return "|" + "---|" * count + "\n"


def _lines(totals: Totals) -> str:
    return "".join(f"* {escaped(line)}\n" for line in in_words(totals).splitlines())
