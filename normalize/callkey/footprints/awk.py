"""Read an awk program far enough to know that it only prints. POSIX.1-2017 awk; gawk 5.2 for its extensions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .facts import Usage
from .footprint import Footprint
from .usage import Reading

if TYPE_CHECKING:
    from .execution import Runner

_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\r]+|\\\r?\n|\#[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<name>[A-Za-z_]\w*)
    | (?P<number>\d[\w.]*|\.\d\w*)
    | (?P<operator>&&|\|\||\|&|>>|[<>=!]=|\+\+|--|[-+*/%^]=|\*\*=?|.|\n)
    """,
    re.VERBOSE | re.DOTALL,
)
# Whether a slash inside brackets ends the expression is not the same everywhere, so such a program is not read.
_REGEX = re.compile(
    r"/(?:[^/\\\[\n]|\\.|\[\^?+\]?+(?:[^\]\[/\\\n]|\\.|\[[:.=][^\]\[/\n]++(?<=[:.=])\]|\[(?![:.=]))*+\])*+/"
)
# After these an operand comes, so that a slash begins a regular expression.
_EXPECTING = frozenset(
    "( { } [ ; , ! ~ $ \n && || = == != < > <= >= >> + - * ** % ^ += -= *= **= /= %= ^= ? : | in return print"
    " printf case do else exit delete".split(" ")
)
# After these a slash may divide or begin a regular expression.
_UNCLEAR = frozenset({"getline", "length", "condition"})
_CONDITIONAL = frozenset({"if", "while", "for", "switch"})
# A newline after these goes on. POSIX awk grammar, newline_opt
_OPEN = frozenset({",", "&&", "||", "do", "else"})
_NEWLINE = frozenset({"\n"})
_RUNS = frozenset({"system", "@", "|", "|&"})
_PRINTS = frozenset({"print", "printf"})
_SINKS = frozenset({'"/dev/null"', '"/dev/stdout"', '"/dev/stderr"'})
_CLOCKS = re.compile(r"\b(?:srand|systime|strftime)\b")
_ENDS = frozenset({";", "{", "}", "\n"})


def run_awk(usage: Usage, reading: Reading, _: Runner) -> Footprint | None:
    """Judge an awk command by its program text."""
    program = reading.operands[0] if reading.operands else None
    if not isinstance(program, str) or not only_prints(program):
        return None
    return replace(usage.footprint, varies=_CLOCKS.search(program) is not None)


def only_prints(program: str) -> bool:
    """Say whether an awk program neither writes files nor runs commands.

    >>> only_prints("$1 > 5 {print $2}"), only_prints('{print > "out"}'), only_prints('{system("ls")}')
    (True, False, False)
    """
    tokens = _tokens(program)
    if tokens is None:
        return False
    printing = False
    for index, token in enumerate(tokens):
        if token in _RUNS or token.startswith('"/inet'):  # gawk: a file name that is a connection
            return False
        if printing and token in {">", ">>"} and not _into_sink(tokens[index + 1 : index + 3]):
            return False
        ends = token in _ENDS and not (token in _NEWLINE and tokens[index - 1] in _OPEN)
        printing = token in _PRINTS or (printing and not ends)
    return True


def _into_sink(following: list[str]) -> bool:
    # "/dev/null" ".txt" is another file
    return following[:1] != [] and following[0] in _SINKS and (len(following) == 1 or following[1] in _ENDS)


def _tokens(program: str) -> list[str] | None:
    """Split a program into tokens, without blanks and comments; ``None`` where it is not clear how."""
    tokens: list[str] = []
    conditions: list[bool] = []  # of each open parenthesis, whether a statement follows behind it
    at = 0
    previous = "\n"
    while at < len(program):
        slash = program[at] == "/"
        if slash and previous in _UNCLEAR:
            return None
        pattern = _REGEX if slash and previous in _EXPECTING else _TOKEN
        match = pattern.match(program, at)
        if match is None or match.group() == '"':
            return None
        at = match.end()
        if match.lastgroup != "blank":
            text = match.group()
            if text == "(":
                conditions.append(previous in _CONDITIONAL)
            if text == ")" and conditions and conditions.pop():
                previous = "condition"
            else:
                previous = text if match.lastgroup in {"operator", "name"} else "operand"
            tokens.append(text)
    return tokens
