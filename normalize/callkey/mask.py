"""What bashlex is allowed to see: every opaque token behind one letter, quotes and here-documents out of sight.

bashlex hangs on ``awk -F'${' 1`` and misreads most quotes, so raw text never reaches it. The mask is not laid over
the source at the same length: tokens know their own values, so a letter each is enough and costs a tenth of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

from .regions import Source, unsupported
from .syntax import Arithmetic, Case, Redirect, Test
from .tokens import ArithmeticHead, Operator, Reserved, Token

MAX_TOKENS = 4000
"""Tokens that bashlex may be given; it takes about 0.1 ms for each, and the largest real command held 700."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The masked text, and for each offset in it where a token begins, the index of that token."""

    text: str
    index_at: dict[int, int]


def mask(source: Source, tokens: list[Token], prefixes: frozenset[str]) -> Skeleton:
    """Write tokens as bash that bashlex reads right. Prefixes (``!``, ``time``) are left out: it knows no ``time``."""
    if len(tokens) > MAX_TOKENS:
        raise unsupported(source, 0, "too long a compound command")
    pieces: list[str] = []
    index_at: dict[int, int] = {}
    offset = 0
    before: Token | None = None
    for index, token in enumerate(tokens):
        piece = _piece(token, prefixes)
        if not piece:
            continue
        if isinstance(token, Reserved) and token.word in _MIDDLES and _closes(before):
            pieces.append(";")  # bashlex cannot read ``while (a) do``
            offset += 2
        before = token
        index_at[offset] = index
        pieces.append(piece)
        offset += len(piece) + 1
    return Skeleton(" ".join(pieces), index_at)


_MIDDLES = frozenset(["then", "do", "elif", "else", "fi", "done", "}"])


def _closes(token: Token | None) -> bool:
    """Say whether a compound command ends here, after which a reserved word needs no separator."""
    if isinstance(token, Reserved):
        return token.word in ("fi", "done", "}")
    return token is Operator.CLOSE or isinstance(token, Test | Arithmetic | Case)


_OPERATORS = {Operator.PIPE_BOTH: "|", Operator.NEWLINE: ";", Operator.BACKGROUND_NEWLINE: "&"}


def _piece(token: Token, prefixes: frozenset[str]) -> str:
    match token:
        case Operator():
            return _OPERATORS.get(token, token.value)
        case Reserved(word):
            if word in prefixes:
                return ""
            return "for" if word == "select" else word
        case Redirect():
            return ">w"
        case ArithmeticHead():
            return "w in w"
        case _:
            return "w"
