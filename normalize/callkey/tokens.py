"""Source -> tokens: words, redirects with their here-documents, operators, reserved words, opaque compounds.

Every character of the source is read here, once and from left to right, so that no parser after us decides what a
quote means. Reserved words are told from ordinary ones by their position, as bash does (Bash 5.2, 3.2.1).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from .regions import (
    MAX_DEPTH,
    Source,
    end_of_arithmetic,
    end_of_array,
    end_of_subscript,
    end_of_test,
    fail,
    tidy_arithmetic,
    tidy_test,
    unsupported,
)
from .syntax import (
    Active,
    Arithmetic,
    Array,
    Assignment,
    Case,
    Clause,
    HereDoc,
    Part,
    Redirect,
    Substitution,
    Test,
    Text,
    Word,
)
from .words import DESCRIPTOR, literal, read_here_document, read_word


class Operator(Enum):
    """A control operator; of newlines, only those that end a command."""

    SEMICOLON = ";"
    NEWLINE = "\n"
    BACKGROUND = "&"
    BACKGROUND_NEWLINE = "&\n"
    AND = "&&"
    OR = "||"
    PIPE = "|"
    PIPE_BOTH = "|&"
    OPEN = "("
    CLOSE = ")"


@dataclass(frozen=True, slots=True)
class Reserved:
    """A reserved word where it is one."""

    word: str


@dataclass(frozen=True, slots=True)
class ArithmeticHead:
    """``((source))`` after ``for``."""

    source: str


Token: TypeAlias = Word | Assignment | Redirect | Operator | Reserved | Test | Arithmetic | ArithmeticHead | Case

# After these a command may begin, and a newline says nothing; after ! and time it would end the command.
_OPENERS = frozenset("if then elif else do while until {".split())
_CLOSERS = frozenset("fi done }".split())
RESERVED = _OPENERS | _CLOSERS | frozenset("! time for select case esac function in coproc [[ ]]".split())
"""Words that must be quoted to be the name of a command."""

DECLARATIONS = frozenset("alias declare export local readonly typeset".split())
"""Bash reads their arguments as assignments, but only where the name has no quotes (Bash 5.2, 4.3)."""
# As the first word of a command, these are more than a text, quoted or not: see ``_read_command_part``.
_OTHERWISE = RESERVED | DECLARATIONS
_BLANKS = re.compile(r"(?:[ \t]++|\\\n)+")
# A whole word that is nothing but itself, the commonest token by far. Every delimiter but redirects and parentheses
# may follow: digits before < and > are a descriptor, and a name before ( defines a function.
_SHORT = re.compile(
    r"""[ \t]*+(?:
        (?P<bare>[A-Za-z0-9_./:@%+,^-][A-Za-z0-9_./:@%+,=^-]*+)
      | '(?P<single>[^']*+)'
      | "(?P<double>[^"$`\\]*+)"
    )(?=[ \t\n;&|)]|\Z)""",
    re.VERBOSE,
)
_CONTROL = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[;&|()\n]")
_REDIRECT = re.compile(r"([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-|<<|<>|<&|>>|>&|>\||[<>](?!\())|(&>>|&>)")
_WORD_END = " \t\n;&|<>()"
_LONGEST_DESCRIPTOR = 9


@dataclass(slots=True)
class _Pending:
    """A here-document whose body begins after the next newline."""

    index: int
    descriptor: str
    delimiter: str
    quoted: bool
    tabs: bool


@dataclass(slots=True)
class _State:
    """Where in a command the reader is."""

    tokens: list[Token] = field(default_factory=list[Token])
    first: bool = True  # nothing of the command was read: reserved words count
    prefix: bool = True  # no word of the command was read: assignments count
    redirected: bool = False  # a redirect of the command was read: bash takes no array assignment after one
    pending: list[_Pending] = field(default_factory=list[_Pending])
    parentheses: int = 0
    nesting: int = 0  # compound commands open here, parentheses included
    command: str = ""  # the name of the command, if it was written without quotes
    head: str = ""  # "for" before the name, "in" after it, "below" in a line after it, "function" before its name

    def command_begins(self) -> None:
        self.first = self.prefix = True
        self.redirected = False


def tokenize(source: Source, start: int, *, closing: str = "") -> tuple[list[Token], int, str]:
    """Read tokens from ``start``.

    ``closing`` is where to stop: ``""`` the end of the text, ``)`` the parenthesis that closes a substitution,
    ``esac`` also the ``;;`` of a clause. Returns the tokens, the offset after what closed them, and that closer.
    """
    text = source.text
    state = _State()
    tokens = state.tokens
    at = start
    outer = source
    while True:
        if source.depth != outer.depth + state.nesting:
            source = Source(text, outer.depth + state.nesting, outer.read_commands)
            if source.depth > MAX_DEPTH:
                raise unsupported(source, at, "too many commands inside one another")
        short = _SHORT.match(text, at)
        if short is not None and not state.head:
            value = short[short.lastgroup or 0]
            if not (state.prefix and (value in _OTHERWISE or "=" in value)):
                if state.prefix:
                    state.command = value
                tokens.append(Word((Text(value),)))
                state.first = state.prefix = False
                at = short.end()
                continue
        blanks = _BLANKS.match(text, at)
        if blanks is not None:
            at = blanks.end()
        if at >= len(text):
            if closing or state.pending:
                raise fail(source, start, f"no {closing or 'end of the here-document'}")
            return tokens, at, ""
        character = text[at]
        if character == "#":
            newline = text.find("\n", at)
            at = len(text) if newline < 0 else newline
            continue
        control = _CONTROL.match(text, at)
        if control is not None and not text.startswith("&>", at):
            closer = control.group()
            at = control.end()
            if closer == ")" and closing == ")" and not state.parentheses:
                break
            if closer.startswith(";") and len(closer) > 1:
                if closing != "esac" or state.parentheses:
                    raise fail(source, control.start(), f"{closer} outside of case")
                break
            at = _read_control(source, at, closer, state)
            continue
        redirect = _REDIRECT.match(text, at)
        if redirect is not None:
            at = _read_redirect(source, redirect, state)
            continue
        end = _read_command_part(source, at, state, esac=closing == "esac")
        if end is None:
            closer = "esac"
            at += 4
            break
        at = end
    if state.pending:
        raise unsupported(source, at - 1, "a here-document that ends outside of its command")
    return tokens, at, closer


def _read_control(source: Source, at: int, operator: str, state: _State) -> int:
    tokens = state.tokens
    if state.head and operator not in _IN_HEAD.get(state.head, ()):
        raise fail(source, at - 1, "an operator in the head of a command")
    if source.text.startswith("\\\n", at) and operator in "&|;(":
        raise unsupported(source, at, "an operator before a continued line")
    if operator == "\n":
        at = _read_bodies(source, at, state)
        if tokens and tokens[-1] in _END_OF_LINE:
            tokens[-1] = _END_OF_LINE[tokens[-1]]
        if state.head:
            state.head = "below"
            return at
        if not _ends_command(tokens):
            return at  # it only separates
    if operator == "(" and state.first:
        end = end_of_arithmetic(source, at - 1)
        if end is not None:
            _check_pending(source, at, end, state)
            tokens.append(Arithmetic(tidy_arithmetic(source.text[at + 1 : end - 2])))
            state.command_begins()
            return end
        if source.text.startswith("(", at):
            # Bash reads it twice, and a here-document in it wrongly (measured, 5.2).
            raise unsupported(source, at - 1, "a subshell that begins like arithmetic")
    if operator == "(":
        if state.tokens and isinstance(state.tokens[-1], Word) and not state.first:
            _check_name(source, at - 1, state.tokens[-1])
        state.parentheses += 1
        state.nesting += 1
    elif operator == ")":
        if state.parentheses == 0:
            raise fail(source, at - 1, "a parenthesis that closes nothing")
        state.parentheses -= 1
        state.nesting -= 1
    tokens.append(Operator(operator))
    state.head = ""
    state.command_begins()
    return at


# After the name of a loop, lines may end before ``in`` and ``do``, but not before a semicolon.
_IN_HEAD = {"in": (";", "\n"), "below": ("\n",)}


def _check_name(source: Source, at: int, word: Word) -> None:
    """Accept only a function name without quotes: with them bash refuses it, but not before it runs."""
    name = literal(word)
    before = source.text[:at].rstrip(" \t")
    if not _may_name_function(name) or not before.endswith(name or ""):
        raise unsupported(source, at, "such a function name")
    if before[: -len(name or "")][-1:] not in ("", *_WORD_END):
        raise unsupported(source, at, "a quoted function name")


_FUNCTION_NAME = re.compile(r"[A-Za-z0-9_.:@%+,][A-Za-z0-9_.:@%+,-]*")


def _may_name_function(name: str | None) -> bool:
    return name is not None and _FUNCTION_NAME.fullmatch(name) is not None and name not in RESERVED


_END_OF_LINE: dict[Token, Token] = {
    Operator.SEMICOLON: Operator.NEWLINE,
    Operator.BACKGROUND: Operator.BACKGROUND_NEWLINE,
}


def _ends_command(tokens: list[Token]) -> bool:
    """Say whether a newline after these tokens ends a command."""
    if not tokens:
        return False
    last = tokens[-1]
    if isinstance(last, Operator):
        # After f() the body may stand in the next line.
        return last is Operator.CLOSE and tokens[-2:] != [Operator.OPEN, Operator.CLOSE]
    return not (isinstance(last, Reserved) and last.word in _OPENERS)


def _read_command_part(source: Source, at: int, state: _State, *, esac: bool) -> int | None:
    """Read a word, an assignment or an opaque compound; ``None`` at the ``esac`` that closes the case around us."""
    text = source.text
    head = 0
    if state.prefix and not state.head:
        name = _NAME.match(text, at)
        if name is not None:
            if text.startswith("[", name.end()):
                if state.redirected:
                    raise unsupported(source, at, "a subscript after a redirect")
                head = end_of_subscript(source, name.end())
            operator = _ASSIGNS.match(text, head or name.end())
            if operator is not None:
                return _read_assignment(source, at, operator, state)
    word, end = read_word(source, at, head=head)
    if end == at:
        raise fail(source, at, "not the start of a word")
    if any(isinstance(part, Substitution) or _is_array(part) for part in word.parts):
        _check_pending(source, at, end, state)
    bare = _bare(text[at:end], word)
    if any(_is_array(part) for part in word.parts) and (state.redirected or state.command not in DECLARATIONS):
        raise fail(source, at, "an array that is not assigned")
    if text[end : end + 1] in ("<", ">") and text.startswith("{", at) and text[end - 1] == "}":
        raise unsupported(source, at, "a redirect to an element of an array")
    if "\\\n" in text[at:end] and (
        text[end : end + 1] in ("<", ">") or (state.prefix and _SPECIAL.search(text, at, end))
    ):
        raise unsupported(source, at, "a word that goes on in the next line")
    if state.head:
        return _read_head(source, end, word, bare, state)
    if state.first and bare in RESERVED:
        if bare == "esac" and esac and not state.parentheses:
            return None
        return _read_reserved(source, end, bare, state)
    if state.prefix and state.redirected and bare in RESERVED:
        # In $( ) it is a reserved word, elsewhere it is not (measured, Bash 5.2).
        raise unsupported(source, at, "a reserved word after a redirect")
    if state.prefix:
        state.command = bare
        if not bare and literal(word) in DECLARATIONS:
            raise unsupported(source, at, "a quoted name of a declaration command")
    state.tokens.append(word)
    state.first = state.prefix = False
    return end


_SPECIAL = re.compile(r"[=\[]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNS = re.compile(r"\+?=")


def _bare(written: str, word: Word) -> str:
    """Return the text of a word without any quote, ``""`` for another word."""
    text = literal(word)
    return text if text is not None and written.replace("\\\n", "") == text else ""


def _read_assignment(source: Source, start: int, match: re.Match[str], state: _State) -> int:
    operator = match.group()
    name = source.text[start : match.start()]
    end = match.end()
    value: Word | Array
    if source.text.startswith("(", end):
        if state.redirected:
            raise unsupported(source, start, "an array assigned after a redirect")
        close = end_of_array(source, end)
        _check_pending(source, end, close, state)
        value = Array(source.text[end:close])
        if source.text[close : close + 1] not in _AFTER_ARRAY:
            raise unsupported(source, close, "text after an array")
        end = close
    else:
        value, end = read_word(source, end, value=True)
    state.tokens.append(Assignment(name, operator, value))
    state.first = False
    return end


_AFTER_ARRAY = frozenset(["", *_WORD_END])


def _read_head(source: Source, end: int, word: Word, bare: str, state: _State) -> int:
    """Read the word after ``for``, ``select`` or ``function``, or the ``in`` after a name."""
    if state.head in ("in", "below"):
        below = state.head == "below"
        state.head = ""
        if bare == "in":
            state.tokens.append(Reserved(bare))
            state.first = state.prefix = False
            return end
        if bare in ("do", "{"):
            if bare == "{":
                if not below:
                    raise fail(source, end - 1, "no separator before a brace")
                state.tokens.append(Operator.SEMICOLON)  # bashlex wants one here
            return _read_reserved(source, end, bare, state)
        raise fail(source, end - 1, "no 'in' or 'do' after the name of a loop")
    if not bare or (state.head == "function" and not _may_name_function(bare)):
        raise unsupported(source, end - 1, "such a name")
    state.tokens.append(word)
    state.head = "in" if state.head == "for" else ""
    state.command_begins()
    return end


def _read_reserved(source: Source, end: int, word: str, state: _State) -> int:
    tokens = state.tokens
    state.command_begins()
    if word == "[[":
        close = end_of_test(source, end)
        tidy = tidy_test(source.text[end : close - 2])
        if "\n" in tidy:
            raise unsupported(source, end, "a newline in [[ ]]")
        _check_pending(source, end, close, state)
        tokens.append(Test(tidy))
        return close
    if word == "case":
        case, close = _read_case(source, end)
        _check_pending(source, end, close, state)
        tokens.append(case)
        return close
    if word in ("coproc", "in", "esac", "]]"):
        raise unsupported(source, end - len(word), f"'{word}' here")
    tokens.append(Reserved(word))
    state.nesting += _NESTING.get(word, 0)
    if word in ("for", "select", "function"):
        state.head = "for" if word == "select" else word
        blanks = _BLANKS.match(source.text, end)
        start = end if blanks is None else blanks.end()
        arithmetic = end_of_arithmetic(source, start) if word == "for" else None
        if arithmetic is not None:
            tokens.append(ArithmeticHead(tidy_arithmetic(source.text[start + 2 : arithmetic - 2])))
            state.head = ""
            if _AFTER_HEAD.match(source.text, arithmetic) is None:
                raise unsupported(source, arithmetic, "more than a separator after the head of a loop")
            return arithmetic
    if word == "time":
        option = _TIME_OPTION.match(source.text, end)
        if option is not None:
            tokens[-1] = Reserved("time -p")
            end = option.end()
        if source.text.startswith("-", _skip_blanks(source, end)):
            raise unsupported(source, end, "an option of time")
    return end


_AFTER_HEAD = re.compile(r"(?:[ \t]|\\\n)*(?:[;\n]|(?<=[ \t])\#)")


def _is_array(part: Part) -> bool:
    return isinstance(part, Active) and part.source.startswith("(")


def _check_pending(source: Source, start: int, end: int, state: _State) -> None:
    """Refuse a region of several lines between a here-document and its body: bash looks for the body inside it."""
    if state.pending and "\n" in source.text[start:end]:
        raise unsupported(source, start, "a command of several lines between a here-document and its body")


_NESTING = {"if": 1, "while": 1, "until": 1, "for": 1, "select": 1, "{": 1, "fi": -1, "done": -1, "}": -1}
_TIME_OPTION = re.compile(r"[ \t]+-p(?=[ \t\n;&|()]|\Z)")

# --- redirects and here-documents -----------------------------------------------------------------------------


def _read_redirect(source: Source, match: re.Match[str], state: _State) -> int:
    descriptor = match[1] or ""
    if len(descriptor) > _LONGEST_DESCRIPTOR and descriptor.isdigit():
        raise unsupported(source, match.start(), "so large a descriptor")
    operator = match[2] or match[3]
    blanks = _BLANKS.match(source.text, match.end())
    start = match.end() if blanks is None else blanks.end()
    if source.text.startswith("\\\n", match.end()) and source.text[start : start + 1] in ("<", ">", "&", "|", "-"):
        raise unsupported(source, start, "an operator that goes on in the next line")
    if operator in (">&", "<&") and source.text.startswith("-", match.end()):
        # Here bash takes the - alone, whatever follows: 2>&-a closes a descriptor and begins the word a (measured).
        word, end = Word((Text("-"),)), start + 1
    else:
        word, end = read_word(source, start)
    if end == start or source.text[start] == "#":
        raise fail(source, match.start(), "a redirect without a target")
    if state.head:
        raise fail(source, match.start(), "a redirect in the head of a command")
    if source.text[end : end + 1] in ("<", ">") and DESCRIPTOR.fullmatch(source.text, start, end):
        raise fail(source, start, "a redirect where the target of another should be")
    state.first = False
    state.redirected = True
    if operator in (">&", "<&"):
        _check_copy(source, start, source.text[start:end], word)
    if operator.startswith("<<") and operator != "<<<":
        delimiter = literal(word)
        written = source.text[start:end]
        if delimiter is None or "\n" in delimiter or "\\\n" in written or "$" in written:
            raise unsupported(source, start, "a here-document with such a delimiter")
        quoted = written != delimiter
        state.pending.append(_Pending(len(state.tokens), descriptor, delimiter, quoted, operator == "<<-"))
    state.tokens.append(Redirect(descriptor, operator, word))
    return end


_COPY = re.compile(r"[0-9]+-|-")
_COPY_SPELLED = re.compile(r"[0-9]+|[A-Za-z_./](?:[A-Za-z0-9_./-]*[A-Za-z0-9_./])?")
_COPY_EXPANDED = re.compile(r"""("?)\$[A-Za-z_][A-Za-z0-9_]*\1""")


def _check_copy(source: Source, start: int, written: str, word: Word) -> None:
    """Refuse what may be more than a descriptor or the name of a file.

    Bash expands the word twice and looks at its spelling: ``>&'1-'`` opens a file, ``>&'a$b'`` another one than
    ``&>'a$b'``, ``>&1--`` is an error, and ``>&1${-}`` is none where ``>&1$-`` is (measured, 5.2).
    """
    name = literal(word)
    if name is not None and _COPY_SPELLED.fullmatch(name):
        return
    if not _COPY.fullmatch(written) and not _COPY_EXPANDED.fullmatch(written):
        raise unsupported(source, start, "such a descriptor")


def _read_bodies(source: Source, at: int, state: _State) -> int:
    """Read the bodies of the here-documents announced in the line that ends before ``at``."""
    for pending in state.pending:
        body, at = _read_body(source, at, pending)
        word = Word((Text(body),)) if pending.quoted else read_here_document(source, body)
        state.tokens[pending.index] = Redirect(pending.descriptor, "<<", HereDoc(word))
    state.pending.clear()
    return at


def _read_body(source: Source, at: int, pending: _Pending) -> tuple[str, int]:
    text = source.text
    lines: list[str] = []
    continued = False
    joined = ""
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        line = text[at:end]
        at = end + 1
        if pending.tabs:
            if continued:
                raise unsupported(source, end, "a continued line in a here-document after <<-")
            line = line.lstrip("\t")
        if line == pending.delimiter and not continued:
            return "".join(lines), min(at, len(text))
        lines.append(line + "\n")
        trailing = len(line) - len(line.rstrip("\\"))
        continued = not pending.quoted and trailing % 2 == 1
        joined = joined + line[:-1] if continued else ""
        if continued and pending.delimiter.startswith(joined):
            raise unsupported(source, end, "a here-document that ends in a continued line")
    raise unsupported(source, len(text) - 1, "a here-document without an end")


# --- case -----------------------------------------------------------------------------------------------------

_SPACE = re.compile(r"(?:[ \t\n]++|\\\n|(?<![^ \t\n])\#[^\n]*+)+")


def _skip_space(source: Source, at: int) -> int:
    match = _SPACE.match(source.text, at)
    return at if match is None else match.end()


def _skip_blanks(source: Source, at: int) -> int:
    match = _BLANKS.match(source.text, at)
    return at if match is None else match.end()


def _read_case(source: Source, at: int) -> tuple[Case, int]:
    """Read from after ``case`` to after ``esac``."""
    text = source.text
    # Only after the word, after "in" and between clauses may a line end.
    word, at = _case_word(source, _skip_blanks(source, at))
    keyword, at = _case_word(source, _skip_space(source, at))
    if literal(keyword) != "in":
        raise fail(source, at - 1, "no 'in' after case")
    clauses: list[Clause] = []
    while True:
        at = _skip_space(source, at)
        parenthesis = text.startswith("(", at)
        at = _skip_blanks(source, at + 1) if parenthesis else at
        start = at
        first, at = _case_word(source, at)
        if literal(first) == "esac" and not parenthesis:
            if text[start:at] != "esac":
                raise unsupported(source, at, "a quoted esac as a pattern")
            return Case(word, tuple(clauses)), at
        patterns = [first]
        at = _skip_blanks(source, at)
        while text.startswith("|", at):
            pattern, at = _case_word(source, _skip_blanks(source, at + 1))
            patterns.append(pattern)
            at = _skip_blanks(source, at)
        if not text.startswith(")", at):
            raise fail(source, at, "no ) after a pattern")
        body, at, closer = source.read_commands(source, at + 1, "esac")
        clauses.append(Clause(tuple(patterns), body, ";;" if closer == "esac" else closer))
        if closer == "esac":
            return Case(word, tuple(clauses)), at


def _case_word(source: Source, at: int) -> tuple[Word, int]:
    word, end = read_word(source, at)
    if end == at or source.text[at] == "#":
        raise fail(source, min(at, len(source.text)), "no word where case needs one")
    return word, end
