"""Commands of plain words, straight to their exact text: what most calls are, in a tenth of the time.

One pattern decides whether a command is of this kind: pipelines and lists of words that are bare or in one pair of
quotes, redirects last. The last command of a line may have a here-document in which nothing expands. For all that is
taken, the tree way gives the same text; a property test holds that.
"""

from __future__ import annotations

import re

from .printing import print_here_text, print_text_word
from .tokens import DECLARATIONS, RESERVED

# Characters that print as they are, ``*`` and ``?`` being active either way; ``$name`` prints without braces.
_PARAMETER = r"\$(?:[A-Za-z_][A-Za-z0-9_]*+(?!\[)|\?(?![A-Za-z0-9_\[]))"
_PLAIN = rf"(?:[A-Za-z0-9_./:@%+,=^*?-]|{_PARAMETER})"
_BARE = rf"(?:(?:~/)?{_PLAIN}++|~/|\{{\}}|\[|\]|\\;)(?=[ \t\n;&|]|\Z)"
_TILDE = r"[A-Za-z0-9_./-]++~[A-Za-z0-9_./~-]*+(?=[ \t\n;&|]|\Z)"
"""A text with a tilde where none expands: ``HEAD~1``."""
_SINGLE = r"'[^']*+'(?=[ \t\n;&|]|\Z)"
_DOUBLE = rf'"(?:[^"$`\\]|{_PARAMETER})*+"(?=[ \t\n;&|]|\Z)'
_WORD = rf"(?:{_BARE}|{_TILDE}|{_SINGLE}|{_DOUBLE})"
_BLANK = r"[ \t]++(?:\\\n[ \t]++)?+"
# Only forms that no rule changes: no 1>, no &>, no target that an operator would take for its own.
_REDIRECT = r"(?:2>&1|>&2|(?:2?>>?|<)[ \t]*+[A-Za-z0-9_./@%+,:=^][A-Za-z0-9_./@%+,:=^-]*+)(?=[ \t\n;&|]|\Z)"
_COMMAND = rf"{_WORD}(?:{_BLANK}{_WORD})*+(?:{_BLANK}{_REDIRECT})*+"
_OPERATOR = r"&&|\|\||\|(?!&)|;(?!;)|\n"
_NEXT = rf"(?:{_BLANK})?+(?:{_OPERATOR})(?:{_BLANK}|[ \t\n]*+)"
_SCRIPT = re.compile(rf"[ \t\n]*+{_COMMAND}(?:{_NEXT}{_COMMAND})*+[ \t]*+;?[ \t\n]*+")
_ATOM = re.compile(
    rf"[ \t]*+(?:({_BARE})|({_SINGLE})|({_DOUBLE})|({_REDIRECT})|({_TILDE})|(&&|[|]{{1,2}}|[;\n])[ \t\n]*+|\\\n)"
)

_ANNOUNCEMENT = re.compile(rf"[ \t]<<[ \t]*+(['\"])([A-Za-z0-9_]++)\1((?:[ \t]++{_REDIRECT})*+)[ \t]*+\Z")

_OTHERWISE = (
    RESERVED | DECLARATIONS | {".", "builtin", "caller", "command", "eval", "set", "shopt", "source", "trap", ""}
)
"""Names of commands that need the tree: reserved words, and those that a rule or a check looks at."""
_UNSURE = re.compile(r"[=$*?~]")
"""What a name may hold that makes it an assignment, or any command."""
_LOOKS = ("\0", "curl", "wget", "jq", "json.tool", "LINENO", "BASH_", "expand_aliases", "POSIXLY_")
"""What no shell word can hold, what a lossy rule may change, and what reads the script itself."""


def print_plain(command: str) -> str | None:
    """Return the exact text of a command of plain words, ``None`` for any other.

    >>> print_plain("grep -rn  'x'  src 2>&1 |head")
    'grep -rn x src 2>&1 | head'
    """
    for look in _LOOKS:  # half the time of any()
        if look in command:
            return None
    return _print_line(command) or ("<<" in command and _print_with_document(command)) or None


def _print_with_document(command: str) -> str | None:
    first, _, rest = command.partition("\n")
    announced = _ANNOUNCEMENT.search(first)
    if announced is None:
        return None
    before = first[: announced.start()].rstrip(" \t")
    # Without its newline the last line may be the delimiter, too.
    body, found, after = f"\n{rest}\n".partition(f"\n{announced[2]}\n")
    line = _print_line(before)
    following = _print_line(after) if after.strip(" \t\n") else ""
    if not found or line is None or following is None or before.endswith(";"):
        return None
    delimiter, document = print_here_text(body[1:] + "\n" if body else "")
    redirects = "".join(f" {redirect.translate(_NO_BLANKS)}" for redirect in _TARGETED.findall(announced[3]))
    return f"{line} <<{delimiter}{redirects}\n{document}{following}".removesuffix("\n")


_TARGETED = re.compile(_REDIRECT)
_NO_BLANKS = str.maketrans("", "", " \t")


def _print_line(command: str) -> str | None:
    if _SCRIPT.fullmatch(command) is None:
        return None
    pieces: list[str] = []
    head = True
    for bare, single, double, redirect, tilde, operator in _ATOM.findall(command.lstrip(" \t\n")):
        if bare:
            piece = "';'" if bare == "\\;" else bare
        elif operator:
            if operator in (";", "\n"):
                pieces[-1] += ";"
            else:
                pieces.append(operator)
            head = True
            continue
        elif double and "$" in double:
            piece = double
        elif single or double:
            piece = print_text_word((single or double)[1:-1])
        elif redirect:
            piece = redirect.translate(_NO_BLANKS)
        elif tilde:
            piece = print_text_word(tilde)
        else:  # a line goes on
            continue
        if head:
            # A quoted name may be a reserved word or look like an assignment, and then its quotes stay.
            if bare in _OTHERWISE or bare[0] == "-" or _UNSURE.search(bare):
                return None
            head = False
        pieces.append(piece)
    if head:
        pieces[-1] = pieces[-1].removesuffix(";")
    return " ".join(pieces)
