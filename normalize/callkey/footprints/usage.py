"""Read a program's arguments by one usage: options as they are meant, operands, or that it is not that usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .arguments import Argument, Opaque, may_be_option
from .facts import Usage


@dataclass(frozen=True, slots=True)
class Reading:
    """Arguments that keep within a usage: options with their values, operands in order, and inner commands."""

    options: tuple[tuple[str, Argument | None], ...]
    operands: tuple[Argument, ...]
    clauses: tuple[tuple[Argument, ...], ...] = ()

    def values(self, *names: str) -> list[Argument | None]:
        """Return the values of the options of these names, in order."""
        return [value for name, value in self.options if name in names]


class _StrayError(Exception):
    """The arguments leave the usage."""


def read(usage: Usage, arguments: Sequence[Argument]) -> Reading | None:
    """Read arguments by a usage; ``None`` where an option is unknown or writes, or an operand is one too many."""
    first = arguments[0] if arguments else None
    if usage.bundled and isinstance(first, str) and first.isalpha():
        arguments = ["-" + first, *arguments[1:]]
    try:
        reading = _read(usage, arguments)
    except _StrayError:
        return None
    return reading if _keeps(usage, reading) else None


def read_option(usage: Usage, text: str) -> int | None:
    """Return how many further words an option takes, ``None`` where the usage does not allow it."""
    options: list[tuple[str, Argument | None]] = []
    try:
        wanting = _read_option(usage, text, options)
    except _StrayError:
        return None
    return (1 if wanting else 0) if _has_allowed_values(usage, options) else None


def _keeps(usage: Usage, reading: Reading) -> bool:
    if usage.needs and not any(name in usage.needs for name, _ in reading.options):
        return False
    if not _has_allowed_values(usage, reading.options):
        return False
    if len(reading.operands) < usage.least:
        return False
    if usage.operands is not None and (
        len(reading.operands) > usage.operands
        or any(isinstance(operand, Opaque) and not operand.single for operand in reading.operands)
    ):
        return False
    pattern = usage.operand
    return pattern is None or all(isinstance(word, str) and pattern.fullmatch(word) for word in reading.operands)


def _has_allowed_values(usage: Usage, options: Sequence[tuple[str, Argument | None]]) -> bool:
    return all(
        isinstance(value, str) and pattern.fullmatch(value) is not None
        for name, value in options
        if (pattern := usage.values.get(name)) is not None
    )


def _read(usage: Usage, arguments: Sequence[Argument]) -> Reading:
    options: list[tuple[str, Argument | None]] = []
    operands: list[Argument] = []
    clauses: list[tuple[Argument, ...]] = []
    index = 0
    guarded = usage.closed or bool(usage.writers)
    while index < len(arguments):
        argument = arguments[index]
        index += 1
        if not may_be_option(argument):
            operands.append(argument)
            if not usage.permutes:
                break
        elif argument == "--":
            break
        elif argument in usage.clauses:
            end = split_clause(arguments, index, plus=usage.inner == "path")
            options.append((str(argument), None))
            clauses.append(tuple(arguments[index:end]))
            index = end + 1
        elif isinstance(argument, Opaque):
            option = _known_beginning(usage, argument)
            if option is None and guarded:
                raise _StrayError
            if option is None:
                operands.append(argument)
            else:
                options.append((option, argument))
        else:
            wanting = _read_option(usage, argument, options)
            if wanting:
                if index == len(arguments):
                    raise _StrayError
                value = arguments[index]
                index += 1
                if isinstance(value, Opaque) and not value.single and guarded:
                    raise _StrayError  # the words after the first may be options
                options.append((wanting, value))
    return Reading(tuple(options), (*operands, *arguments[index:]), tuple(clauses))


def _known_beginning(usage: Usage, argument: Opaque) -> str | None:
    """Return the harmless option with which ``--name="$x"`` begins."""
    name, equals, _ = argument.prefix.partition("=")
    if equals and argument.single and usage.options.get(name, "none") != "none":
        return name
    return None


def _read_option(usage: Usage, text: str, options: list[tuple[str, Argument | None]]) -> str:
    """Read one word of options. Return the name of the option whose value is the next word, or ``""``."""
    name, equals, value = text.partition("=")
    named = len(name) > len("-x") and (name in usage.options or name in usage.writers)  # find -name, ip -br
    if text.startswith("--") or not usage.clusters or named:
        return _read_long(usage, name, value if equals else None, options)
    if "-#" in usage.options and text[1:].isdigit():
        return ""
    for at, letter in enumerate(text[1:], start=2):
        short = "-" + letter
        if short in usage.writers:
            raise _StrayError
        takes = usage.options.get(short)
        if takes is None and usage.closed:
            raise _StrayError
        rest = text[at:]
        if takes == "attached" or (takes == "next" and rest):
            options.append((short, rest))
            return ""
        if takes == "next":
            return short
        options.append((short, None))
    return ""


def _read_long(usage: Usage, name: str, value: str | None, options: list[tuple[str, Argument | None]]) -> str:
    takes = usage.options.get(name)
    if takes is None:
        # getopt_long takes any unambiguous beginning of a name
        shortened = name.startswith("--") and any(writer.startswith(name) for writer in usage.writers)
        if usage.closed or shortened or name in usage.writers:
            raise _StrayError
        options.append((name, value))
        return ""
    if value is not None and takes == "none" and usage.closed:
        raise _StrayError
    if takes == "next" and value is None:
        return name
    options.append((name, value))
    return ""


def split_clause(words: Sequence[Argument], start: int, *, plus: bool = True) -> int:
    """Return the index of the ``;``, or with ``plus`` of the ``{} +``, that ends the command beginning at ``start``.

    >>> split_clause(["cat", "{}", ";", "-print"], 0)
    2
    """
    for at in range(start, len(words)):
        if words[at] == ";" or (plus and words[at] == "+" and words[at - 1] == "{}"):
            return at
    return len(words)
