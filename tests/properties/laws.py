"""The laws as functions of an engine, so that a wrong engine can be shown to break them."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from .bash_oracle import difference, to_bytes


class Forms(Protocol):
    """What an engine returns; ``callkey.Canonical`` is one."""

    @property
    def exact(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def view(self) -> str: ...
    @property
    def raw(self) -> bool: ...


Engine = Callable[[str], Forms]


class BrokenLawError(AssertionError):
    """A command on which the engine breaks a law."""


def exact_text_does_the_same(engine: Engine, command: str) -> None:
    """Hold the exact text against its command, in bash."""
    exact = engine(command).exact
    if exact != command and (found := difference(command, exact)):
        raise BrokenLawError(f"{command!r} and its exact text {exact!r} differ: {found}")


def exact_text_is_bash(engine: Engine, command: str) -> None:
    """Read the exact text with ``bash -n``, where bash reads the command."""
    exact = engine(command).exact
    if _readable(command) and not _readable(exact):
        raise BrokenLawError(f"bash does not read {exact!r}, the exact text of {command!r}")


def text_is_fixed(engine: Engine, command: str) -> None:
    """Run the engine on what it made: nothing may move."""
    forms = engine(command)
    if (again := engine(forms.exact).exact) != forms.exact:
        raise BrokenLawError(f"exact text of {command!r} moves: {forms.exact!r} -> {again!r}")
    if (again := engine(forms.text).text) != forms.text:
        raise BrokenLawError(f"text of {command!r} moves: {forms.text!r} -> {again!r}")


def respelling_keeps_the_key(engine: Engine, command: str, respelled: str) -> None:
    """Give two spellings of one command one exact text and one text, unless one is kept as it is."""
    first, second = engine(command), engine(respelled)
    if first.raw or second.raw:
        return
    if first.exact != second.exact:
        raise BrokenLawError(f"{command!r} -> {first.exact!r}\n{respelled!r} -> {second.exact!r}")
    if (first.text, first.view) != (second.text, second.view):
        raise BrokenLawError(f"{command!r} -> {first.text!r}\n{respelled!r} -> {second.text!r}")


def near_miss_changes_the_key(engine: Engine, command: str, other: str) -> None:
    """Give two commands two keys wherever bash shows a difference."""
    first, second = engine(command), engine(other)
    one_exact = first.exact == second.exact
    one_text = (first.text, first.view) == (second.text, second.view)
    if (one_exact or one_text) and (found := difference(command, other)):
        raise BrokenLawError(f"{command!r} and {other!r} have one key and differ: {found}")


def one_exact_text_is_one_command(engine: Engine, commands: list[str]) -> None:
    """Compare, in bash, all commands that share an exact text with the first of them."""
    first: dict[str, str] = {}
    for command in commands:
        other = first.setdefault(engine(command).exact, command)
        if other != command and (found := difference(other, command)):
            raise BrokenLawError(f"{other!r} and {command!r} have one exact text and differ: {found}")


def any_string_gets_a_key(engine: Engine, text: str) -> None:
    """Return forms that are strings, and twice the same, for whatever there is."""
    try:
        forms, again = engine(text), engine(text)
    except Exception as error:
        raise BrokenLawError(f"{text!r}: {error!r}") from error
    if forms != again or not all(isinstance(form, str) for form in (forms.exact, forms.text, forms.view)):
        raise BrokenLawError(f"{text!r}: {forms}, then {again}")


def steps_grow_with_length(engine: Engine, shape: Callable[[int], str], size: int) -> None:
    """Count calls at n and 2n; a quadratic engine takes four times as many."""
    first, second = _calls(engine, shape(size)), _calls(engine, shape(2 * size))
    if second > 2.5 * first + 500:
        raise BrokenLawError(f"{first} calls at {size}, {second} at {2 * size}")


def time_grows_with_length(engine: Engine, shape: Callable[[int], str], size: int) -> None:
    """Compare processor time at n and 8n: what C code does is not in the calls. Linear is 8, quadratic is 64."""
    first, second = _time(engine, shape(size)), _time(engine, shape(8 * size))
    if second > 28 * max(first, 0.002):
        raise BrokenLawError(f"{first:.4f} s at {size}, {second:.4f} s at {8 * size}")


def pretty_printer_agrees(engine: Engine, command: str) -> None:
    """Compare what bash's own printer makes of the command and of its exact text, without quotes."""
    exact = engine(command).exact
    first, second = _pretty(command), _pretty(exact)
    if first != second:
        raise BrokenLawError(f"{command!r}: bash prints {first!r}, of its exact text {exact!r} {second!r}")


def _calls(engine: Engine, command: str) -> int:
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    previous = sys.getprofile()
    sys.setprofile(note)
    try:
        engine(command)
    finally:
        sys.setprofile(previous)
    return count


def _time(engine: Engine, command: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        engine(command)
        best = min(best, time.process_time() - start)
    return best


def _readable(source: str) -> bool:
    # A fixed program that only reads; the source is standard input
    done = subprocess.run(["bash", "-n"], input=to_bytes(source), capture_output=True, check=False)  # noqa: S607
    return done.returncode == 0 and not done.stderr


def _pretty(source: str) -> str:
    done = subprocess.run(  # a fixed program that only prints; the source is standard input
        ["bash", "--pretty-print", "/dev/stdin"],  # noqa: S607
        input=to_bytes(source),
        capture_output=True,
        check=False,
    )
    text = done.stdout.decode("utf-8", "surrogateescape")
    for delimiter in set(re.findall(r"""(?<!<)<<(?!<)-?[ \t]*['"\\]?([A-Za-z]\w*)""", text)):
        text = re.sub(
            rf"""(?<!<)<<[ \t]*['"\\]?{delimiter}\b['"]?""",
            "<<",
            re.sub(rf"^{delimiter}$", "", text, flags=re.MULTILINE),
        )
    text = re.sub(r"""['"\\]""", "", text)
    text = re.sub(r"`([^`]*)`", r"$(\1)", text)
    text = re.sub(r"\$\{(\w+|[@*#?-])\}", r"$\1", text)
    text = re.sub(r"(?:(?<=\s)|^)(?:1(?=>)|0(?=<))", "", text)  # bash writes 1>& for >& where a number follows
    text = re.sub(r"(?:^|(?<=[\s(]))source ", ". ", text)
    text = re.sub(r"(?:^|(?<=[\s(]))[{}](?=[\s;)]|$)", "", text)  # braces around a list that stands alone say nothing
    return re.sub(r"(?<=\() | (?=\))", "", re.sub(r"[\s;]+", " ", text).strip())
