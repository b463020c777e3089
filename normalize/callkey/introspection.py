"""Scripts that look at how they are written: line numbers, their own text, definitions and jobs printed back.

Bash prints functions and jobs with the quotes that they were written with, and lists the text of the script among its
variables (measured, 5.2). For such a script no respelling is without effect, so it is kept as it is.
"""

from __future__ import annotations

import re

from .syntax import Command, Expansion, Function, Parameter, Script, Statement, Substitution, Word
from .walk import walk
from .words import literal

_NAMES = re.compile(
    r"LINENO|BASH_(?:COMMAND|EXECUTION_STRING|LINENO)|expand_aliases|POSIXLY_CORRECT"
    # An indirection may name any of them; ${!a[@]} and ${!a*} give names alone.
    r"|\$\{!(?![A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\]|[@*])\})"
)
# Looking for plain texts first takes a tenth of the time that the patterns take.
_NAME_PARTS = ("LINENO", "BASH_", "expand_aliases", "POSIXLY_", "${!")
_COMMANDS = frozenset(
    "bg builtin caller command declare eval export fg jobs local readonly set shopt source trap type typeset".split()
)
_HINT = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_COMMANDS))})(?![\w-])")
# -k finds assignments among arguments by their quotes; -v and -x print what is read; posix reads by other rules.
_SHOWING = re.compile(r"[-+][A-Za-z]*[kvx][A-Za-z]*|keyword|posix|verbose|xtrace")
_EXPORTING = re.compile(r"-[A-Za-z]*a[A-Za-z]*|allexport")  # functions, too, as they were written
_DECLARING = frozenset(["declare", "export", "readonly", "set", "typeset"])
_PRINTING = re.compile(r"-[A-Za-z]*p[A-Za-z]*")
_SIGNS = frozenset("-+")
"""They begin attributes, and with nothing but those ``declare`` lists variables, LINENO among them."""
_FUNCTIONS = re.compile(r"-[A-Za-z]*[fF][A-Za-z]*")


def reads_itself(script: Script, exact: str) -> bool:
    """Say whether a script may see its own spelling; ``exact`` is the script as text.

    >>> from callkey.parse import parse
    >>> reads_itself(parse("echo $LINENO"), "echo $LINENO"), reads_itself(parse("ls -l"), "ls -l")
    (True, False)
    """
    if any(part in exact for part in _NAME_PARTS) and _NAMES.search(exact):
        return True
    hinted = any(name in exact for name in _COMMANDS) and _HINT.search(exact) is not None
    if not hinted and "() " not in exact:
        return False
    nodes = list(walk(script))
    functions = {node.name for node in nodes if isinstance(node, Function)}
    background = any(isinstance(node, Statement) and node.background for node in nodes)
    # A rule takes . for source, so neither may be a function.
    return not functions.isdisjoint({"source", "."}) or any(
        _looks([_text(word) for word in node.words], hinted=hinted, defines=bool(functions), background=background)
        for node in nodes
        if isinstance(node, Command) and node.words
    )


_UNKNOWN = "\0"
"""Stands for a word that begins with an expansion: it may be any command, or any option."""


def _text(word: Word) -> str:
    text = literal(word)
    if text is not None:
        return text
    first = word.parts[0]
    return _UNKNOWN if isinstance(first, Parameter | Expansion | Substitution) else ""


def _looks(words: list[str], *, hinted: bool, defines: bool, background: bool) -> bool:
    while words[0] in ("builtin", "command") and len(words) > 1 and words[1] not in ("-v", "-V"):
        words = words[2:] if words[1].startswith("-") else words[1:]
        if not words:
            return False
    name, *arguments = words
    if name == _UNKNOWN:
        return hinted or defines
    if name in _DECLARING and _UNKNOWN in arguments[:1]:
        return True
    if defines and name in _DECLARING and _UNKNOWN in arguments:
        return True
    match name:
        case "caller":
            return True
        case "set":
            return not arguments or any(
                _SHOWING.fullmatch(word) or (defines and _EXPORTING.fullmatch(word)) for word in arguments
            )
        case "declare" | "typeset" | "local" | "export" | "readonly":
            named = any(word[:1] not in _SIGNS for word in arguments)
            if not named or any(_PRINTING.fullmatch(word) for word in arguments):
                return name in ("declare", "typeset", "local")
            return defines and any(_FUNCTIONS.fullmatch(word) for word in arguments)
        case "type" | "command":
            return defines
        case "jobs" | "fg" | "bg":
            return background
        case "eval":
            return True
        case "trap":
            return any(_HINT.search(word) for word in arguments)
        case "shopt":
            return any(_SHOWING.fullmatch(word) or word == _UNKNOWN for word in arguments)
        case "source" | ".":
            return any(word == _UNKNOWN or word.startswith("/dev/") for word in arguments[:1])
        case _:
            return False
