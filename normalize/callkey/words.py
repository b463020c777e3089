"""A slice of source -> Word: quote removal that agrees with bash, with what stays active kept apart."""

from __future__ import annotations

import re
from dataclasses import replace

from .regions import (
    Source,
    end_of_ansi,
    end_of_arithmetic,
    end_of_array,
    end_of_backtick,
    end_of_double,
    end_of_parameter,
    end_of_single,
    fail,
    read_body,
    tidy_arithmetic,
    unsupported,
)
from .syntax import Active, Expansion, Parameter, Part, Substitution, Text, Word


def literal(word: Word) -> str | None:
    """Return the text of a word that is nothing but text, else ``None``."""
    parts = word.parts
    if len(parts) == 1:
        part = parts[0]
        if isinstance(part, Text):
            return part.value
    return None


# A piece of a word while it is read: unquoted source, which may yet turn out active, or a finished part.
_Piece = str | Part

# Everything in an unquoted run but what quotes, expands or ends the word.
_RUN = re.compile(r"""[^ \t\n;&|<>()\\'"$`]+""")
_MAYBE_ACTIVE = re.compile(r"[*?\[{~]")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
"""The unquoted start of an assignment to a variable."""


def read_word(source: Source, start: int, *, value: bool = False, head: int = 0) -> tuple[Word, int]:
    """Read the word at ``start``; return it and the offset after it.

    ``head`` is the offset after ``name[…]`` where that begins the word. ``value`` says that it is the value of an
    assignment: nothing in it is split, globbed or brace-expanded (Bash 5.2, 3.4), so that only tildes stay active and
    the quotes around an expansion say nothing.
    """
    text = source.text
    length = len(text)
    pieces: list[_Piece] = [Active(text[start:head])] if head else []
    at = head or start
    continued = False
    while at < length:
        run = _RUN.match(text, at)
        if run is not None:
            if continued and pieces and isinstance(pieces[-1], str):
                pieces[-1] += run.group()  # one run, whatever the line: what is active is decided on the whole
            else:
                pieces.append(run.group())
            at = run.end()
            if at >= length:
                break
        continued = text.startswith("\\\n", at)
        character = text[at]
        if character == "'":
            end = end_of_single(source, at)
            pieces.append(Text(text[at + 1 : end - 1]))
            at = end
        elif character == '"':
            at = _read_double(source, at, pieces)
        elif character == "\\":
            at = _read_escape(source, at, pieces)
        elif character == "$":
            at = _read_dollar(source, at, pieces, quoted=False)
        elif character == "`":
            at = _read_backtick(source, at, pieces, quoted=False)
        elif character in "<>" and text.startswith("(", at + 1):
            if at - start < _LONGEST_DESCRIPTOR and DESCRIPTOR.fullmatch(text, start, at):
                raise unsupported(source, at, "a redirect to a parenthesis")
            body, at = read_body(source, at + 2)
            pieces.append(Substitution(character + "(", body, quoted=False))
        elif character == "(" and pieces and _opens_array(text, start, at):
            end = end_of_array(source, at)
            pieces.append(Active(text[at:end]))
            at = end
        else:
            break
    if any(piece is _LONE_DOLLAR for piece in pieces) and any(_is_split(piece) for piece in pieces):
        # It keeps $x beside it from being split (measured, Bash 5.2); written any other way it does not.
        raise unsupported(source, start, "a lone dollar sign beside an expansion")
    if value:
        return Word(_value_parts(pieces)), at
    if _has_braces(pieces):
        # Braces are expanded as text, before $x is: {a,$x}b is not {a,${x}}b. So not a letter of it may change.
        return Word((Active(text[start:at]),)), at
    return Word(_word_parts(pieces)), at


_LONGEST_DESCRIPTOR = 256
DESCRIPTOR = re.compile(r"[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\}")
"""What names a descriptor right before ``<`` or ``>``."""


def _opens_array(text: str, start: int, at: int) -> bool:
    match = ASSIGNMENT.match(text, start)
    return match is not None and match.end() == at


def _read_escape(source: Source, at: int, pieces: list[_Piece]) -> int:
    character = source.text[at + 1 : at + 2]
    if not character:
        # It stands for itself, but after a word of two lines it is gone (measured, Bash 5.2).
        raise unsupported(source, at, "a backslash at the end")
    if character != "\n":
        pieces.append(Text(character))
    return at + 2


def _read_double(source: Source, start: int, pieces: list[_Piece]) -> int:
    return _read_quoted(source, start + 1, pieces, closing='"')


_QUOTED_STOP = {'"': re.compile(r'["\\$`]'), "": re.compile(r"[\\$`]")}
_QUOTED_ESCAPES = {'"': '$`"\\', "": "$`\\"}  # Bash 5.2, 3.1.2.3 and 3.6.6


def _read_quoted(source: Source, start: int, pieces: list[_Piece], *, closing: str) -> int:
    """Read up to an unescaped ``closing``; an empty one stands for the end of the text (a here-document)."""
    text = source.text
    stop = _QUOTED_STOP[closing]
    escapes = _QUOTED_ESCAPES[closing]
    at = start
    before = len(pieces)
    while (match := stop.search(text, at)) is not None:
        if match.start() > at:
            pieces.append(Text(text[at : match.start()]))
        at = match.start()
        character = text[at]
        if character == '"':
            inside = pieces[before:]
            if not inside:
                pieces.append(Text(""))
            elif not any(isinstance(piece, Text) or _may_vanish(piece) for piece in inside):
                pieces.append(_ANCHOR)
            return at + 1
        if character == "\\":
            following = text[at + 1 : at + 2]
            if following and following in escapes:
                pieces.append(Text(following))
            elif following != "\n":
                pieces.append(Text("\\" + following))
            at += 2
        elif character == "$":
            at = _read_dollar(source, at, pieces, quoted=True, here_document=not closing)
        else:
            at = _read_backtick(source, at, pieces, quoted=True, here_document=not closing)
    if closing:
        raise fail(source, start - 1, "no closing double quote")
    if at < len(text):
        pieces.append(Text(text[at:]))
    return len(text)


# Brace expansion comes first and does not know that quotes nest: to it, "`"{a,b}"`" is not quoted (measured, Bash 5.2).
_BRACES_IN_QUOTES = "a brace in quotes inside quotes"
_SIMPLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])|\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])\})")
_NAME_REST = re.compile(r"(?:(?:\\\n)+[A-Za-z0-9_]+)+")
_CONTINUED = re.compile(r"(?:\\\n)+[A-Za-z0-9_{(\[@*#?$!'\"-]")


def _read_dollar(source: Source, at: int, pieces: list[_Piece], *, quoted: bool, here_document: bool = False) -> int:
    """Read what a ``$`` begins."""
    text = source.text
    simple = _SIMPLE.match(text, at)
    if simple is not None:
        name = simple[1] or simple[2]
        end = simple.end()
        if text.startswith("\\\n", end) and simple[1] and (name[0].isalpha() or name[0] == "_"):
            rest = _NAME_REST.match(text, end)
            if rest is not None:
                name += rest.group().replace("\\\n", "")
                end = rest.end()
        pieces.append(Parameter(name, quoted))
        return end
    following = text[at + 1 : at + 2]
    if following == "(":
        close = end_of_arithmetic(source, at + 1)
        if close is not None:
            pieces.append(Expansion(f"$(({tidy_arithmetic(text[at + 3 : close - 2])}))", quoted))
            return close
        if text.startswith("\\\n", at + 2):
            raise unsupported(source, at, "an operator that goes on in the next line")
        if text.startswith("(", at + 2):
            raise unsupported(source, at, "a subshell that begins like arithmetic")
        body, end = read_body(source, at + 2)
        pieces.append(Substitution("$(", body, quoted))
        return end
    if following == "{":
        end = end_of_parameter(source, at, quoted=quoted)
        expansion = text[at:end]
        if here_document and '"' in expansion:
            raise unsupported(source, at, "a quoted expansion in a here-document")
        if quoted and '"' in expansion and "{" in expansion[2:]:
            raise unsupported(source, at, _BRACES_IN_QUOTES)
        pieces.append(Expansion(expansion, quoted))
        return end
    if following == "[":
        return _read_old_arithmetic(source, at, pieces, quoted=quoted)
    if following == "'" and not quoted:
        end = end_of_ansi(source, at)
        decoded = decode_ansi(text[at + 2 : end - 1])
        pieces.append(Active(text[at:end]) if decoded is None else Text(decoded))
        return end
    if following == '"' and not quoted:
        # Translated by the message catalogue of the locale. Bash 5.2, 3.1.2.5
        end = end_of_double(source, at + 1)
        pieces.append(Active(text[at:end]))
        return end
    if _CONTINUED.match(text, at + 1):
        raise unsupported(source, at, "an expansion that goes on in the next line")
    pieces.append(Text("$") if quoted else _LONE_DOLLAR)
    return at + 1


_LONE_DOLLAR = Text("$")
"""Known by identity: one without quotes."""

_OLD_ARITHMETIC = re.compile(r"""\$\[((?:[^\[\]'"\\`$]|\$[A-Za-z_])*+)\]""")


def _read_old_arithmetic(source: Source, at: int, pieces: list[_Piece], *, quoted: bool) -> int:
    match = _OLD_ARITHMETIC.match(source.text, at)
    if match is None or not _are_balanced(match[1]) or _IN_BRACES.search(match[1]):
        raise unsupported(source, at, "more than names and numbers in $[ ]")
    pieces.append(Expansion(f"$(({tidy_arithmetic(match[1])}))", quoted))
    return match.end()


_IN_BRACES = re.compile(r"[{},]|\.\.")
"""What brace expansion looks for. It passes over ``$((…))``, but not over ``$[…]`` (measured, Bash 5.2)."""


def _are_balanced(expression: str) -> bool:
    depth = 0
    for character in expression:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


_BACKTICK_ESCAPE = re.compile(r"\\([$`\\])")
_BACKTICK_ESCAPE_QUOTED = re.compile(r'\\([$`"\\])')


_BACKTICK_ONLY = re.compile(r"\\\n|\[\[|\b(?:case|function|select|coproc)\b|\(\s*\)")
"""What is not the same in backticks and in ``$( )`` (measured, Bash 5.2). Backticks drop a backslash before a newline
even from quotes, take an array after time, and read patterns that are reserved words; and where their commands are
wrong in ways not seen here, only they fail, while ``$( )`` makes the whole line fail."""


def _read_backtick(source: Source, at: int, pieces: list[_Piece], *, quoted: bool, here_document: bool = False) -> int:
    """Read a substitution in backticks as the ``$(…)`` that it is. Bash 5.2, 3.5.4."""
    end = end_of_backtick(source, at)
    body = source.text[at + 1 : end - 1]
    # Between double quotes a backslash also quotes a double quote; in a here-document it does not (measured, 5.2).
    escape = _BACKTICK_ESCAPE_QUOTED if quoted and not here_document else _BACKTICK_ESCAPE
    if quoted and '"' in body and "{" in body:
        raise unsupported(source, at, _BRACES_IN_QUOTES)
    if _BACKTICK_ONLY.search(body) or ("time" in body and "=(" in body):
        raise unsupported(source, at, "what is read otherwise in backticks")
    plain = escape.sub(r"\1", body)
    if plain.endswith("\\"):
        raise unsupported(source, at, "a backslash before the closing backtick")
    inner = replace(source, text=plain + "\n)")
    script, stop = read_body(inner, 0)
    if stop != len(inner.text):
        raise fail(source, at, "unbalanced parentheses in backticks")
    pieces.append(Substitution("$(", script, quoted))
    return end


_ANSI_SIMPLE = {
    "n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b",
    "f": "\f", "r": "\r", "v": "\v", "?": "?",
}  # fmt: skip  # Bash 5.2, 3.1.2.4
_ANSI_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_FIRST_BYTE_ONLY = 0x80


def decode_ansi(body: str) -> str | None:
    r"""Decode the inside of ``$'…'``; ``None`` where the result depends on the locale or holds a NUL.

    >>> decode_ansi(r"a\tb\x41")
    'a\tbA'
    """
    undecided = False

    def decode(match: re.Match[str]) -> str:
        nonlocal undecided
        octal, hexadecimal, character = match.groups()
        if octal or hexadecimal:
            code = int(octal, 8) % 256 if octal else int(hexadecimal, 16)
            if 0 < code < _FIRST_BYTE_ONLY:
                return chr(code)
        elif character in _ANSI_SIMPLE:
            return _ANSI_SIMPLE[character]
        elif character not in "uUcx":
            return match.group()  # an unknown escape keeps its backslash
        undecided = True
        return ""

    decoded = _ANSI_ESCAPE.sub(decode, body)
    return None if undecided else decoded


# --- from pieces to parts -------------------------------------------------------------------------------------

_BRACE_SEPARATOR = re.compile(r",|\.\.")
_MIDDLE_TILDE = re.compile(r"[=:]~")
_GLOB = re.compile(r"([*?]+)")
_TILDE = re.compile(r"~[^/]*/?")


def _word_parts(pieces: list[_Piece]) -> tuple[Part, ...]:
    """Decide which unquoted source is active, and join the rest."""
    if len(pieces) == 1 and isinstance(pieces[0], str) and not _MAYBE_ACTIVE.search(pieces[0]):
        return (Text(pieces[0]),)
    unquoted = [piece for piece in pieces if isinstance(piece, str)]
    maybe_active = any(_MAYBE_ACTIVE.search(piece) for piece in unquoted)
    if maybe_active and _is_verbatim(pieces, unquoted):
        return _join([Active(piece) if isinstance(piece, str) else piece for piece in pieces])
    parts: list[Part] = []
    for index, piece in enumerate(pieces):
        if not isinstance(piece, str):
            parts.append(piece)
        elif maybe_active:
            parts.extend(_split_globs(piece, first=index == 0))
        else:
            parts.append(Text(piece))
    return _join(_mark_assignment(pieces, parts))


def _has_braces(pieces: list[_Piece]) -> bool:
    text = "\0".join([piece for piece in pieces if isinstance(piece, str)])
    brace = text.find("{")
    if brace < 0:
        return False
    separator = _BRACE_SEPARATOR.search(text, brace)
    return separator is not None and text.find("}", separator.end()) >= 0


def _is_verbatim(pieces: list[_Piece], unquoted: list[str]) -> bool:
    """Say whether unquoted runs must keep their source: bracket patterns, tildes after ``=`` or ``:``."""
    # \0 stands for whatever is between the runs: it may hold the ] of a pattern (unquoted $x).
    text = "\0".join(unquoted)
    if _MIDDLE_TILDE.search(text):
        return True
    bracket = text.find("[")
    if bracket < 0:
        return False
    return text.find("]", bracket) >= 0 or any(_is_split(piece) for piece in pieces)


def _is_split(piece: _Piece) -> bool:
    return isinstance(piece, Parameter | Expansion | Substitution) and not piece.quoted


def _split_globs(run: str, *, first: bool) -> list[Part]:
    parts: list[Part] = []
    if first and run.startswith("~"):
        tilde = _TILDE.match(run)
        if tilde is not None:
            parts.append(Active(tilde.group()))
            run = run[tilde.end() :]
    for index, text in enumerate(_GLOB.split(run)):
        if text:
            parts.append(Active(text) if index % 2 else Text(text))
    return parts


def _mark_assignment(pieces: list[_Piece], parts: list[Part]) -> list[Part]:
    """Keep an unquoted ``name=`` apart from a quoted one: what follows it, ``declare`` and its like do not split."""
    first = pieces[0] if pieces else ""
    if len(parts) < 2 or not isinstance(first, str):  # noqa: PLR2004
        return parts
    match = ASSIGNMENT.match(first)
    if match is None or not any(isinstance(part, Active) or _is_split(part) for part in parts):
        return parts
    head = parts[0]
    if not isinstance(head, Text):
        return parts
    rest = head.value[match.end() :]
    return [Active(match.group()), *([Text(rest)] if rest else []), *parts[1:]]


def _value_parts(pieces: list[_Piece]) -> tuple[Part, ...]:
    """Parts of an assignment's value: only tildes are active, and a plain expansion counts as quoted."""
    unquoted = [piece for piece in pieces if isinstance(piece, str)]
    if any("~" in piece for piece in unquoted):
        return _join([Active(piece) if isinstance(piece, str) else piece for piece in pieces])
    parts: list[Part] = []
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(Text(piece))
        elif isinstance(piece, Parameter) and piece.name in "@*":
            # "$*" joins with IFS, $* with blanks, and @ is neither. Bash 5.2, 3.4.2
            parts.append(piece)
        elif isinstance(piece, Parameter | Substitution) or (
            isinstance(piece, Expansion) and piece.source.startswith("$((")
        ):
            parts.append(replace(piece, quoted=not _is_process_substitution(piece)))
        else:
            parts.append(piece)
    # A value is one text: what is empty in it says nothing.
    return _join([part for part in parts if part != _EMPTY])


def _is_process_substitution(part: Part) -> bool:
    return isinstance(part, Substitution) and part.opening != "$("


_ANCHOR = Text("")
"""Known by identity: ``"$x"`` ends here. Only beside ``"$@"`` does it say more than the ``$x`` before it: with no
arguments and an empty ``x``, ``"$x""$@"`` is an empty word and ``"$x$@"`` is none (measured, Bash 5.2)."""


def _may_vanish(piece: _Piece) -> bool:
    """Say whether an expansion in double quotes may be no word at all: ``$@``, ``${a[@]}``, ``${!x}`` for such an x."""
    if isinstance(piece, Parameter):
        return piece.quoted and piece.name == "@"
    return isinstance(piece, Expansion) and piece.quoted and ("@" in piece.source or piece.source.startswith("${!"))


def _join(parts: list[Part]) -> tuple[Part, ...]:
    """Join adjacent texts; drop an empty one where something quoted already makes the word exist."""
    if not any(_may_vanish(part) for part in parts):
        parts = [part for part in parts if part is not _ANCHOR]
    joined: list[Part] = []
    text: list[str] = []
    had_text = False
    for part in parts:
        if isinstance(part, Text):
            text.append(part.value)
            had_text = True
            continue
        if had_text:
            joined.append(Text("".join(text)))
            text = []
            had_text = False
        joined.append(part)
    if had_text:
        joined.append(Text("".join(text)))
    if len(joined) > 1 and all(_keeps_word(part) for part in joined):
        joined = [part for part in joined if part != _EMPTY]
    return tuple(joined) or (_EMPTY,)


_EMPTY = Text("")


def _keeps_word(part: Part) -> bool:
    """Say whether an empty quoted string beside this part changes nothing: no splitting, no vanishing, no tilde."""
    match part:
        case Text():
            return True
        case Parameter(name, quoted):
            return quoted and name not in "@*"
        case Substitution(_, _, quoted):
            return quoted
        case Expansion(_, quoted):
            return quoted and not _may_vanish(part)
        case Active():
            return False


def read_here_document(source: Source, body: str) -> Word:
    """Read the body of a here-document whose delimiter was not quoted."""
    pieces: list[_Piece] = []
    _read_quoted(replace(source, text=body), 0, pieces, closing="")
    return Word(_join([piece for piece in pieces if not isinstance(piece, str)]))
