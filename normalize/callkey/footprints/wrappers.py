"""Programs that run a command given in their own arguments: what they do is what that command does."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .arguments import ANYTHING, OPERAND, Argument, Opaque
from .facts import Usage
from .footprint import EVERYTHING, Footprint, together
from .usage import Reading
from .variables import is_harmless

if TYPE_CHECKING:
    from .execution import Runner

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")


def run_wrapped(usage: Usage, reading: Reading, runner: Runner) -> Footprint | None:
    """Judge ``env A=b command``, ``timeout 5 command``: past assignments and ``usage.skips`` operands."""
    words = reading.operands
    at = 0
    while at < len(words) and (match := _ASSIGNMENT.match(word := _beginning(words[at]))):
        if not is_harmless(match[1], word[match.end() :] if isinstance(words[at], str) else None):
            return None
        at += 1
    at += usage.skips
    if at >= len(words):
        return None
    return together([usage.footprint, runner.run(words[at:])])


def run_for_input(_: Usage, reading: Reading, runner: Runner) -> Footprint | None:
    """Judge ``xargs command``: words that it reads stand at the end, or where ``-I`` says."""
    if not reading.operands:
        return None
    marks = [mark for mark in reading.values("-I", "-i", "--replace", "-J") if mark is not None]
    if any(isinstance(mark, Opaque) for mark in marks):
        return None
    if not marks and not reading.values("-I", "-i", "--replace", "-J"):
        return runner.run((*reading.operands, ANYTHING))
    mark = str(marks[-1]) if marks and marks[-1] else "{}"
    return runner.run([_fill(word, mark, Opaque("", single=True)) for word in reading.operands])


def run_clauses(usage: Usage, reading: Reading, runner: Runner) -> list[Footprint]:
    """Judge the commands of ``find -exec … ;``. What find puts in place of ``{}`` begins like its starting point."""
    if any(isinstance(start, Opaque) and not start.prefix for start in reading.operands):
        return [EVERYTHING]
    if usage.inner == "module":
        return [runner.run((f"python:{name}", *words)) for name, *words in reading.clauses]
    filler = OPERAND if usage.inner == "path" else Opaque("", single=True)
    return [runner.run([_fill(word, "{}", filler) for word in clause]) for clause in reading.clauses]


def _fill(word: Argument, mark: str, filler: Opaque) -> Argument:
    """Return what is known of a word in which ``mark`` is replaced by a text like ``filler``."""
    before, found, _ = _beginning(word).partition(mark)
    if not found:
        return word
    return replace(filler, prefix=before or filler.prefix)


def run_shell(_: Usage, reading: Reading, runner: Runner) -> Footprint | None:
    """Judge ``bash -c 'text'``: a shell of its own, whose directory and variables end with it."""
    text = reading.operands[0] if reading.operands else None
    if not isinstance(text, str):
        return None
    return replace(runner.interpret(text), session=False)


def _beginning(word: Argument) -> str:
    return word if isinstance(word, str) else word.prefix
