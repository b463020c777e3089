"""Where an opaque region of the source ends: quotes, parameter expansions, arithmetic, arrays.

What stands in such a region is kept as it is written, so only its end matters here. Each function takes the
offset of the region's first character and returns the offset just after its last.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .errors import ParseError, UnsupportedSyntaxError
from .syntax import Command, Script, Statement

MAX_DEPTH = 32
"""Substitutions and compound commands inside one another; deeper commands are keyed raw, so that no recursion here
comes near Python's limit of 1,000 frames. Real commands reach 6 (measured)."""


@dataclass(frozen=True, slots=True)
class Source:
    """The text being read, how deep in other commands we are, and how to read the commands inside one."""

    text: str
    depth: int
    read_commands: Callable[[Source, int, str], tuple[Script, int, str]]
    """``(source, start, closing)`` -> the commands up to what closes them, the offset after that, the closer."""


def read_body(source: Source, start: int) -> tuple[Script, int]:
    """Read the commands of a substitution up to its ``)``; return them and the offset after it."""
    script, end, _ = source.read_commands(source, start, ")")
    if len(script.statements) > 1 and any(_only_redirects(statement) for statement in script.statements):
        # $(<f) prints f, and so does a lone <f in a line of several (measured, Bash 5.2); after ; it prints nothing.
        raise unsupported(source, start, "a redirect without a command among the commands of a substitution")
    return script, end


def _only_redirects(statement: Statement) -> bool:
    stage = statement.pipelines[0].stages[0]
    return isinstance(stage, Command) and not stage.words and not stage.assignments


def fail(source: Source, start: int, message: str) -> ParseError:
    """Make the error for text that is not bash at all."""
    return ParseError(message, source=source.text, span=(start, min(start + 1, len(source.text))))


def unsupported(source: Source, start: int, message: str) -> UnsupportedSyntaxError:
    """Make the error for text that may be bash, but is more than we model."""
    return UnsupportedSyntaxError(message, source=source.text, span=(start, min(start + 1, len(source.text))))


# Possessive throughout: a quote that is never closed must fail in linear time.
_ANSI = re.compile(r"'(?:[^'\\]++|\\.)*+'", re.DOTALL)
_BACKTICK = re.compile(r"`(?:[^`\\]++|\\.)*+`", re.DOTALL)


def end_of_single(source: Source, start: int) -> int:
    """Pass ``'…'``."""
    end = source.text.find("'", start + 1)
    if end < 0:
        raise fail(source, start, "no closing single quote")
    return end + 1


def end_of_ansi(source: Source, start: int) -> int:
    """Pass ``$'…'``."""
    match = _ANSI.match(source.text, start + 1)
    if match is None:
        raise fail(source, start, "no closing quote of $'")
    return match.end()


def end_of_backtick(source: Source, start: int) -> int:
    """Pass a substitution in backticks."""
    match = _BACKTICK.match(source.text, start)
    if match is None:
        raise fail(source, start, "no closing backtick")
    return match.end()


_DOUBLE_STOP = re.compile(r'["\\$`]')


def end_of_double(source: Source, start: int) -> int:
    """Pass ``"…"`` with whatever expands in it."""
    text = source.text
    at = start + 1
    while (match := _DOUBLE_STOP.search(text, at)) is not None:
        at = match.start()
        if text[at] == '"':
            return at + 1
        at = at + 2 if text[at] == "\\" else _end_of_expansion(source, at, quoted=True)
    raise fail(source, start, "no closing double quote")


def _end_of_expansion(source: Source, start: int, *, quoted: bool) -> int:
    """Pass the expansion at a ``$`` or a backtick, or that one character where nothing expands."""
    text = source.text
    if text[start] == "`":
        return end_of_backtick(source, start)
    following = text[start + 1 : start + 2]
    if following == "{":
        return end_of_parameter(source, start, quoted=quoted)
    if following == "(":
        end = end_of_arithmetic(source, start + 1)
        if end is None and text.startswith("((", start + 1):
            raise unsupported(source, start, "a subshell that begins like arithmetic")
        return read_body(source, start + 2)[1] if end is None else end
    if following == "'" and not quoted:
        return end_of_ansi(source, start)
    return start + 1


def end_of_opaque(source: Source, start: int) -> int:
    """Pass one quoted string, escape or expansion outside of double quotes, or one plain character."""
    character = source.text[start]
    if character == "\\":
        return start + 2
    if character == "'":
        return end_of_single(source, start)
    if character == '"':
        return end_of_double(source, start)
    if character in "$`":
        return _end_of_expansion(source, start, quoted=False)
    return start + 1


_PARAMETER_STOP = re.compile(r"[}'\"\\$`]")


def end_of_parameter(source: Source, start: int, *, quoted: bool) -> int:
    """Pass ``${…}``; ``quoted`` says that it stands in double quotes or in a here-document."""
    text = source.text
    if text[start + 2 : start + 3] in (" ", "\t", "\n", "|"):
        raise unsupported(source, start, "a command between ${ and }")
    if source.depth >= MAX_DEPTH:
        raise unsupported(source, start, "too many expansions inside one another")
    source = Source(text, source.depth + 1, source.read_commands)
    at = start + 2
    while (match := _PARAMETER_STOP.search(text, at)) is not None:
        at = match.start()
        character = text[at]
        if character == "}":
            _check_subscript(source, start, at)
            return at + 1
        if character == "'" and quoted:
            # Whether it quotes depends on the operator: it does after # and %, not after :-. Bash 5.2, 3.5.3.
            raise unsupported(source, at, "a single quote in a quoted parameter expansion")
        at = _end_of_expansion(source, at, quoted=quoted) if character in "$`" else end_of_opaque(source, at)
    raise fail(source, start, "no closing brace")


_SUBSCRIPTED = re.compile(r"[!#]?[A-Za-z_][A-Za-z0-9_]*\[")
_PLAIN_SUBSCRIPT = re.compile(r"""(?:[^\[\]'"\\]|'[^'\[\]]*+'|"[^"\[\]\\]*+")*+\]""")


def _check_subscript(source: Source, start: int, end: int) -> None:
    """Refuse a subscript that may not end before the ``}`` at ``end``.

    Bash takes that brace for the end when it reads the word, and looks beyond it for the bracket when it expands the
    word (measured, 5.2).
    """
    inside = source.text[start + 2 : end]
    head = _SUBSCRIPTED.match(inside)
    if head is None or _PLAIN_SUBSCRIPT.match(inside, head.end()):
        return
    if inside.count("[") != inside.count("]") or _QUOTE.search(inside):
        raise unsupported(source, start, "a subscript that does not end")


_QUOTE = re.compile(r"""['"\\]""")
_PARENTHESIS = re.compile(r"""[()\\'"]""")


def end_of_arithmetic(source: Source, start: int) -> int | None:
    """Pass ``((…))``; ``None`` where the parentheses do not close as a pair, which makes it a nested subshell.

    Parentheses are only counted, so that the time stays linear however deep they nest.
    """
    text = source.text
    if not text.startswith("((", start):
        return None
    depth = 0
    at = start
    while (match := _PARENTHESIS.search(text, at)) is not None:
        at = match.start()
        character = text[at]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 1 and text.startswith("\\\n", at + 1):
                raise unsupported(source, at, "an operator that goes on in the next line")
            if depth == 1:
                return at + 2 if text.startswith("))", at) else None
        elif character == "'":
            at = end_of_single(source, at) - 1
        elif character == "\\":
            at += 1
        else:
            at = _end_of_plain_double(source, at) - 1
        at += 1
    return None


_PLAIN_DOUBLE = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def _end_of_plain_double(source: Source, start: int) -> int:
    match = _PLAIN_DOUBLE.match(source.text, start)
    if match is None:
        raise fail(source, start, "no closing double quote")
    return match.end()


_ARRAY_STOP = re.compile(r"""[()\['"\\$`#<>]""")


def end_of_array(source: Source, start: int) -> int:
    """Pass the ``(…)`` of an array assignment."""
    text = source.text
    at = start + 1
    while (match := _ARRAY_STOP.search(text, at)) is not None:
        at = match.start()
        character = text[at]
        if character == ")":
            return at + 1
        if character in "(<>":
            raise unsupported(source, at, "an operator in an array")
        if character == "[":
            at = end_of_subscript(source, at)
            continue
        if character == "#" and text[at - 1] in " \t\n(":
            raise unsupported(source, at, "a comment in an array")
        at = end_of_opaque(source, at)
    raise fail(source, start, "no closing parenthesis")


# Two characters that become another operator once the blank between them is gone. Bash 5.2, 6.5.
_JOINED_OPERATORS = frozenset(
    "++ -- ** << >> <= >= == != && || += -= *= /= %= &= ^= |=".split(),
)
_ARITHMETIC_VERBATIM = re.compile(r"""['"\\`\[\]]|\$[({]|#""")
_BLANKS = re.compile(r"[ \t\n]+")


def tidy_arithmetic(expression: str) -> str:
    """Drop the blanks of an arithmetic expression that separate nothing.

    >>> tidy_arithmetic(" 1 + - 2 ")
    '1+-2'
    >>> tidy_arithmetic("x - -y")
    'x- -y'
    """
    if _ARITHMETIC_VERBATIM.search(expression.replace("\\\n", "")):
        # Quotes, substitutions and subscripts (m[ a ] is another key than m[a]) keep their blanks.
        return expression
    expression = expression.replace("\\\n", "")
    pieces = [piece for piece in _BLANKS.split(expression) if piece]
    tidy = pieces[0] if pieces else ""
    for piece in pieces[1:]:
        left, right = tidy[-1], piece[0]
        both_names = (left.isalnum() or left in "_$@") and (right.isalnum() or right in "_$@{(")
        # x<(<=y) cannot be written, so pairs of pairs do not arise: two characters are enough.
        tidy += " " + piece if both_names or left + right in _JOINED_OPERATORS else piece
    return tidy


_SUBSCRIPT_STOP = re.compile(r"""[\[\]'"\\$`]""")


def end_of_subscript(source: Source, start: int) -> int:
    """Pass ``[…]`` after a name where an assignment may stand: blanks in it end no word (measured, Bash 5.2)."""
    text = source.text
    depth = 0
    at = start
    while (match := _SUBSCRIPT_STOP.search(text, at)) is not None:
        at = match.start()
        character = text[at]
        if character in "[]":
            depth += 1 if character == "[" else -1
            at += 1
            if depth == 0:
                return at
        else:
            at = end_of_opaque(source, at)
    raise fail(source, start, "no closing bracket")


_TEST_STOP = re.compile(r"""[ \t\n'"\\$`()#;&|<>\]]""")


def end_of_test(source: Source, start: int) -> int:
    """Pass ``[[ … ]]`` from the offset after ``[[``."""
    text = source.text
    at = start
    quoted = start  # the end of the last quoted string, escape or expansion: a blank in it separates nothing
    while (match := _TEST_STOP.search(text, at)) is not None:
        at = match.start()
        character = text[at]
        if character == "]":
            separate = at > quoted and text[at - 1] in " \t\n"
            if separate and text.startswith("]]", at) and text[at + 2 : at + 3] in _AFTER_TEST:
                return at + 2
            at += 1
        elif character == "#" and text[at - 1] in " \t\n":
            raise unsupported(source, at, "a comment in [[ ]]")
        else:
            plain = character in " \t\n()#;&|<>"
            at = at + 1 if plain else end_of_opaque(source, at)
            quoted = quoted if plain else at
    raise fail(source, start, "no closing ]]")


_AFTER_TEST = frozenset(["", " ", "\t", "\n", ";", "&", "|", ")", "<", ">"])
_TEST_VERBATIM = re.compile(r"""[\\`]|=~|\$[{('"]|[?*+@!<>]\(""")
_AFTER_OPERATOR = re.compile(r"""'[^']*+'|"[^"]*+"|(?<=[ \t])(&&|\|\|)[ \t]*\n[ \t\n]*""")
_TEST_WORD = re.compile(r"""(?:'[^']*+'|"[^"]*+"|[^ \t\n'"])++""")


def tidy_test(expression: str) -> str:
    """Make the blanks between the words of a conditional expression single, where no pattern can hold one.

    >>> tidy_test("  -f   'a  b' ")
    "-f 'a  b'"
    """
    if "\\" not in expression:
        expression = _AFTER_OPERATOR.sub(lambda match: f"{match[1]} " if match[1] else match.group(), expression)
    expression = expression.lstrip(" \t")
    kept = expression.rstrip(" \t")
    if "\n" in expression or _TEST_VERBATIM.search(expression):
        return kept + " " if kept.endswith("\\") else kept  # the blank may be quoted
    expression = kept
    words: list[str] = _TEST_WORD.findall(expression)
    if len(words) == 3 and words[1] == "=" and words[0] != "!" and not words[0].startswith("-"):  # noqa: PLR2004
        words[1] = "=="  # the two are one operator. Bash 5.2, 3.2.5.2
    return " ".join(words)
