"""Commands of plain words, straight to their exact text: what most calls are, in a tenth of the time.

One pattern decides whether a command is of this kind: pipelines and lists of words that are bare or in one pair of
quotes, redirects last. For all that it takes, the tree way gives the same text; a property test holds that.
"""

from __future__ import annotations

import re

from .printing import print_text_word
from .tokens import DECLARATIONS, RESERVED

# Characters that print as they are, ``*`` and ``?`` being active either way; ``$name`` prints without braces.
_PLAIN = r"(?:[A-Za-z0-9_./:@%+,=^*?-]|\$[A-Za-z_][A-Za-z0-9_]*+(?!\[))"
_BARE = rf"(?:(?:~/)?{_PLAIN}++|~/|\{{\}}|\[|\]|\\;)(?=[ \t\n;&|]|\Z)"
_SINGLE = r"'[^']*+'(?=[ \t\n;&|]|\Z)"
_DOUBLE = r'"(?:[^"$`\\]|\$[A-Za-z_][A-Za-z0-9_]*+(?!\[))*+"(?=[ \t\n;&|]|\Z)'
_WORD = rf"(?:{_BARE}|{_SINGLE}|{_DOUBLE})"
# Only forms that no rule changes: no 1>, no &>, no target that an operator would take for its own.
_REDIRECT = r"(?:2>&1|>&2|(?:2?>>?|<)[ \t]*+[A-Za-z0-9_./@%+,:=^][A-Za-z0-9_./@%+,:=^-]*+)(?=[ \t\n;&|]|\Z)"
_COMMAND = rf"{_WORD}(?:[ \t]++{_WORD})*+(?:[ \t]++{_REDIRECT})*+"
_OPERATOR = r"&&|\|\||\|(?!&)|;(?!;)|\n"
_SCRIPT = re.compile(rf"[ \t\n]*+{_COMMAND}(?:[ \t]*+(?:{_OPERATOR})[ \t\n]*+{_COMMAND})*+[ \t]*+;?[ \t\n]*+")
_ATOM = re.compile(rf"({_REDIRECT})|({_BARE})|({_SINGLE})|({_DOUBLE})|(&&|[|]{{1,2}}|[;\n])[ \t\n]*+")

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
    if _SCRIPT.fullmatch(command) is None or any(look in command for look in _LOOKS):
        return None
    pieces: list[str] = []
    head = True
    for redirect, bare, single, double, operator in _ATOM.findall(command.lstrip(" \t\n")):
        if bare:
            piece = "';'" if bare == "\\;" else bare
        elif operator:
            if operator in (";", "\n"):
                pieces[-1] += ";"
            else:
                pieces.append(operator)
            head = True
            continue
        elif redirect:
            piece = redirect.replace(" ", "").replace("\t", "")
        elif double and "$" in double:
            piece = double
        else:
            piece = print_text_word((single or double)[1:-1])
        if head:
            # A quoted name may be a reserved word or look like an assignment, and then its quotes stay.
            if bare in _OTHERWISE or bare[0] == "-" or _UNSURE.search(bare):
                return None
            head = False
        pieces.append(piece)
    if head:
        pieces[-1] = pieces[-1].removesuffix(";")
    return " ".join(pieces)
