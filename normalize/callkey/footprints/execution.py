"""The footprint of running one program with its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .arguments import Argument, Opaque, may_be_option
from .facts import Node, Program, Usage
from .footprint import EVERYTHING, NOTHING, Footprint, together
from .languages import LANGUAGES
from .tables import programs
from .usage import Reading, read, read_option
from .wrappers import run_clauses

_STANDARD = re.compile(r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/([^/]+)")
_DEEPEST = 6  # the longest path of subcommands in the tables has four words
_MOST_WRAPPERS = 8


@dataclass(frozen=True, slots=True)
class Runner:
    """What the arguments of a program may hold themselves: commands, and scripts for a shell."""

    interpret: Callable[[str], Footprint]
    depth: int = 0

    def run(self, words: Sequence[Argument]) -> Footprint:
        """Return the footprint of running a program that is named by the first word."""
        if self.depth > _MOST_WRAPPERS or not words or not isinstance(words[0], str):
            return EVERYTHING
        return execute(words[0], words[1:], replace(self, depth=self.depth + 1))


def execute(name: str, arguments: Sequence[Argument], runner: Runner) -> Footprint:
    """Return the footprint of a program, by its name or its path in a standard directory."""
    standard = _STANDARD.fullmatch(name)
    program = programs().get(standard[1] if standard else name)
    if program is None or not (arguments or program.alone):
        return EVERYTHING
    node, rest = _descend(program, arguments)
    if list(rest) in (["--help"], ["--version"]):
        return NOTHING  # prints and ends; where it is unknown, a complaint
    if not node.usages:
        node, rest = program.root, arguments
    for usage in node.usages:
        reading = read(usage, rest)
        if reading is not None:
            footprint = _judge(usage, reading, runner)
            if footprint is not None:
                return replace(footprint, varies=True) if _tells_the_time(usage, rest, reading) else footprint
    return node.usages[0].otherwise


def _judge(usage: Usage, reading: Reading, runner: Runner) -> Footprint | None:
    footprint: Footprint | None = usage.footprint
    if usage.language:
        footprint = LANGUAGES[usage.language](usage, reading, runner)
    if footprint is not None and reading.clauses:
        footprint = together([footprint, *run_clauses(usage, reading, runner)])
    if footprint is not None and _has(reading, usage.waiting):
        return replace(footprint, varies=True, waits=True)
    if footprint is not None and _has(reading, usage.varying):
        return replace(footprint, varies=True)
    return footprint


def _tells_the_time(usage: Usage, arguments: Sequence[Argument], reading: Reading) -> bool:
    """Say whether the clock of the usage matches an argument, or an option joined with its value."""
    if usage.clock is None:
        return False
    values = (f"{name}={_beginning(value)}" for name, value in reading.options if value is not None)
    return any(map(usage.clock.search, (*map(_beginning, arguments), *values)))


def _beginning(argument: Argument) -> str:
    return argument if isinstance(argument, str) else argument.prefix


def _has(reading: Reading, options: frozenset[str]) -> bool:
    """Say whether one of the options was given, if only by the beginning of its name."""
    return any(
        name in options or (name[:2] == "--" and any(option.startswith(name) for option in options))
        for name, _ in reading.options
    )


def _descend(program: Program, arguments: Sequence[Argument]) -> tuple[Node, Sequence[Argument]]:
    """Follow the words to the deepest known subcommand; return it and the arguments behind it."""
    if not (program.root.words or program.root.globs):
        return program.root, arguments
    words, ends = _subcommand_words(program.before, arguments)
    depth, node = _deepest(program.root, words, 0)
    return (node, arguments[ends[depth - 1] :]) if depth else (program.root, arguments)


def _subcommand_words(before: Usage, arguments: Sequence[Argument]) -> tuple[list[str], list[int]]:
    """Return the first words that may name a subcommand, each with the index behind it."""
    words: list[str] = []
    ends: list[int] = []
    index = 0
    while index < len(arguments) and len(words) < _DEEPEST:
        argument = arguments[index]
        index += 1
        if not isinstance(argument, str):
            break
        if not may_be_option(argument):
            words.append(argument)
            ends.append(index)
            continue
        wanting = read_option(before, argument)
        if wanting is None:
            break
        if wanting and index < len(arguments):
            value = arguments[index]
            pattern = before.values.get(argument)
            if isinstance(value, Opaque) and (pattern is not None or not value.single):
                break
            if pattern is not None and isinstance(value, str) and not pattern.fullmatch(value):
                break
        index += wanting
    return words, ends


def _deepest(node: Node, words: Sequence[str], depth: int) -> tuple[int, Node]:
    best = depth, node
    if depth < len(words):
        for child in node.following(words[depth]):
            found = _deepest(child, words, depth + 1)
            if found[0] > best[0]:
                best = found
            if child.usages and words[depth] in node.words:
                break  # a verb that is named: no pattern reads on past it
    return best
