"""Scripts that look at how they are written: line numbers, their own text, definitions and jobs printed back.

Bash prints functions and jobs with the quotes that they were written with, and lists the text of the script among its
variables (measured, 5.2). For such a script no respelling is without effect, so it is kept as it is.
"""

from __future__ import annotations

import re

from .syntax import Command, Function, Script, Statement
from .walk import walk
from .words import literal

_NAMES = re.compile(r"LINENO|BASH_(?:COMMAND|EXECUTION_STRING|LINENO)|expand_aliases|POSIXLY_CORRECT")
_COMMANDS = frozenset(
    "bg builtin caller command declare eval export fg jobs local readonly set source type typeset .".split()
)
_HINT = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_COMMANDS - {'.'}))})(?![\w-])|\.\(\)")
# -k finds assignments among arguments by their quotes; -v and -x print what is read; posix reads by other rules.
_SHOWING = re.compile(r"[-+][A-Za-z]*[kvx][A-Za-z]*|keyword|posix|verbose|xtrace")
_PRINTING = re.compile(r"-[A-Za-z]*p[A-Za-z]*")
_FUNCTIONS = re.compile(r"-[A-Za-z]*[fF][A-Za-z]*")


def reads_itself(script: Script, exact: str) -> bool:
    """Say whether a script may see its own spelling; ``exact`` is the script as text.

    >>> from callkey.parse import parse
    >>> reads_itself(parse("echo $LINENO"), "echo $LINENO"), reads_itself(parse("ls -l"), "ls -l")
    (True, False)
    """
    if _NAMES.search(exact):
        return True
    if not _HINT.search(exact):
        return False
    nodes = list(walk(script))
    functions = {node.name for node in nodes if isinstance(node, Function)}
    background = any(isinstance(node, Statement) and node.background for node in nodes)
    # A rule takes . for source, so neither may be a function.
    return not functions.isdisjoint({"source", "."}) or any(
        _looks(_texts(node), defines=bool(functions), background=background)
        for node in nodes
        if isinstance(node, Command) and node.words
    )


def _texts(command: Command) -> list[str]:
    return [literal(word) or "" for word in command.words]


def _looks(words: list[str], *, defines: bool, background: bool) -> bool:
    while words[0] in ("builtin", "command") and len(words) > 1 and words[1] != "-V":
        words = words[1:]
    name, *arguments = words
    match name:
        case "caller":
            return True
        case "set":
            return not arguments or any(_SHOWING.fullmatch(word) for word in arguments)
        case "declare" | "typeset" | "local" | "export" | "readonly":
            if not arguments or any(_PRINTING.fullmatch(word) for word in arguments):
                return name in ("declare", "typeset", "local")
            return defines and any(_FUNCTIONS.fullmatch(word) for word in arguments)
        case "type" | "command":
            return defines
        case "jobs" | "fg" | "bg":
            return background
        case "eval":
            return True
        case _:
            return False
