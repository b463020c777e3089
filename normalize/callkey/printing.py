"""Script -> bash text, with the least quoting that reads back as the same tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .syntax import (
    Active,
    Arithmetic,
    ArithmeticFor,
    Array,
    Assignment,
    Case,
    Command,
    Expansion,
    For,
    Function,
    Group,
    HereDoc,
    If,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Script,
    Stage,
    Statement,
    Subshell,
    Substitution,
    Test,
    Text,
    While,
    Word,
)
from .tokens import RESERVED
from .words import ASSIGNMENT, literal

_BARE = re.compile(r"[A-Za-z0-9_./:@%+,=^-]+")
_BARE_WORDS = frozenset(["[", "]", "{}", "!="])
"""Words that look active, and are not where they stand alone."""


def print_script(script: Script) -> str:
    """Return the commands as text without a newline at its end."""
    page = _Page()
    _print_list(page, script)
    return page.finish()


def print_statement(statement: Statement) -> str:
    """Return one statement as text."""
    return print_script(Script((statement,)))


def print_stage(stage: Stage) -> str:
    """Return one stage of a pipeline as text."""
    return print_statement(Statement((Pipeline((stage,)),)))


def print_redirect(redirect: Redirect) -> str:
    """Return one redirect as text, a here-document with its body."""
    page = _Page()
    _print_redirects(page, (redirect,), blank="")
    return page.finish()


def print_text_word(value: str) -> str:
    """Quote a text that is a whole word where it needs it."""
    return value if value in _BARE_WORDS else print_text(value)


def print_text(value: str, *, bare: bool = True) -> str:
    r"""Quote a text where it needs it.

    >>> print_text("a b"), print_text("it's"), print_text("a-b")
    ("'a b'", '"it\'s"', 'a-b')
    """
    if bare and _BARE.fullmatch(value):
        return value
    if "'" not in value:
        return f"'{value}'"
    if not _NEEDS_ESCAPE.search(value) and "!" not in value:
        return f'"{value}"'
    return "'" + value.replace("'", "'\\''") + "'"


_NEEDS_ESCAPE = re.compile(r'["\\$`]')


@dataclass(slots=True)
class _Page:
    """The text so far, and the here-documents whose bodies must follow at the next newline."""

    pieces: list[str] = field(default_factory=list[str])
    bodies: list[str] = field(default_factory=list[str])

    def finish(self) -> str:
        """Return the whole text; the end of the text ends the last line."""
        if not self.bodies:
            return "".join(self.pieces)
        self.end_line()
        return "".join(self.pieces)[:-1]

    def end_line(self) -> None:
        """Write a newline and the bodies that were waiting for it."""
        self.pieces.append("\n")
        self.pieces.extend(self.bodies)
        self.bodies.clear()

    def join(self, operator: str) -> None:
        """Write an operator; bodies follow it at once, since what comes next may have newlines of its own."""
        self.pieces.append(f" {operator}")
        if self.bodies:
            self.end_line()
        else:
            self.pieces.append(" ")

    def separate(self) -> None:
        """End a command that another word follows."""
        if self.bodies:
            self.end_line()
        else:
            self.pieces.append("; ")


def _print_list(page: _Page, script: Script) -> None:
    for index, statement in enumerate(script.statements):
        if index:
            background = script.statements[index - 1].background
            breaks = bool(page.bodies) if script.lines is None else index - 1 in script.lines
            if breaks:
                page.end_line()
            else:
                page.pieces.append(" " if background else "; ")
        _print_statement(page, statement)


def _close_list(page: _Page, script: Script) -> None:
    """Separate a list from the reserved word that follows it."""
    if page.bodies:
        page.end_line()
    elif not script.statements or script.statements[-1].background:
        page.pieces.append(" ")
    else:
        page.pieces.append("; ")


def _print_statement(page: _Page, statement: Statement) -> None:
    _print_pipeline(page, statement.pipelines[0])
    for operator, pipeline in zip(statement.operators, statement.pipelines[1:], strict=True):
        page.join(operator)
        _print_pipeline(page, pipeline)
    if statement.background:
        page.pieces.append(" &")


def _print_pipeline(page: _Page, pipeline: Pipeline) -> None:
    page.pieces.extend([f"{word} " for word in pipeline.prefix])
    for index, stage in enumerate(pipeline.stages):
        if index:
            page.join("|")
        _print_stage(page, stage)


def _print_stage(page: _Page, stage: Stage) -> None:
    if isinstance(stage, Command):
        _print_command(page, stage)
        return
    if isinstance(stage, Function):
        page.pieces.append(f"{stage.name}() ")
        _print_stage(page, stage.body)
        return
    add = page.pieces.append
    match stage:
        case Group(body):
            add("{ ")
            _print_list(page, body)
            _close_list(page, body)
            add("}")
        case Subshell(body):
            add("(")
            if _begins_with_parenthesis(body):
                add(" ")  # (( would begin an arithmetic command
            _print_list(page, body)
            if page.bodies:
                page.end_line()
            add(")")
        case If(branches, otherwise):
            for index, (condition, body) in enumerate(branches):
                _print_section(page, "elif" if index else "if", condition)
                _print_section(page, "then", body)
            if otherwise is not None:
                _print_section(page, "else", otherwise)
            add("fi")
        case While(keyword, condition, body):
            _print_section(page, keyword, condition)
            _print_section(page, "do", body)
            add("done")
        case For(keyword, name, words, body):
            add(f"{keyword} {name}")
            if words is not None:
                add(" in")
                _print_words(page, words)
            page.separate()
            _print_section(page, "do", body)
            add("done")
        case ArithmeticFor(source, body):
            add(f"for (({source}))")
            page.separate()
            _print_section(page, "do", body)
            add("done")
        case Case():
            _print_case(page, stage)
        case Test(source):
            add(f"[[ {source} ]]")
        case Arithmetic(source):
            add(f"(({source}))")
    _print_redirects(page, stage.redirects)


def _print_section(page: _Page, keyword: str, script: Script) -> None:
    page.pieces.append(f"{keyword} ")
    _print_list(page, script)
    _close_list(page, script)


def _print_case(page: _Page, case: Case) -> None:
    page.pieces.append(f"case {print_word(case.word)} in ")
    for clause in case.clauses:
        page.pieces.append(f"({' | '.join(print_word(pattern) for pattern in clause.patterns)}) ")
        _print_list(page, clause.body)
        if page.bodies:
            page.end_line()
        elif clause.body.statements:
            page.pieces.append(" ")
        page.pieces.append(f"{clause.end} ")
    page.pieces.append("esac")


def _begins_with_parenthesis(script: Script) -> bool:
    if not script.statements:
        return False
    pipeline = script.statements[0].pipelines[0]
    return not pipeline.prefix and isinstance(pipeline.stages[0], Subshell | Arithmetic)


def _print_command(page: _Page, command: Command) -> None:
    add = page.pieces.append
    blank = ""
    for assignment in command.assignments:
        add(blank + _assignment(assignment))
        blank = " "
    if command.words:
        first = command.words[0]
        add(blank + _command_name(first))
        for word in command.words[1:]:
            parts = word.parts
            text = parts[0]
            # The commonest word by far is one bare text.
            if len(parts) == 1 and isinstance(text, Text):
                add(" " + print_text_word(text.value))
            else:
                add(" " + print_word(word))
        blank = " "
    if command.redirects:
        _print_redirects(page, command.redirects, blank=blank)


def _command_name(word: Word) -> str:
    """Print the first word so that it is neither a reserved word nor an assignment."""
    text = literal(word)
    if text is not None:
        # After time, a bare -p or -- would be an option of it.
        if text in RESERVED or ASSIGNMENT.match(text) or text.startswith("-"):
            return print_text(text, bare=False)
        return print_text_word(text)
    printed = print_word(word)
    if ASSIGNMENT.match(printed) and isinstance(word.parts[0], Text):
        head = word.parts[0].value
        return print_text(head, bare=False) + print_word(Word(word.parts[1:]))
    return printed


def _print_words(page: _Page, words: tuple[Word, ...]) -> None:
    page.pieces.extend(" " + print_word(word) for word in words)


def _assignment(assignment: Assignment) -> str:
    value = assignment.value
    if isinstance(value, Array):
        return f"{assignment.name}{assignment.operator}{value.source}"
    printed = "" if value.parts == (_EMPTY,) else print_word(value)
    return f"{assignment.name}{assignment.operator}{printed}"


def _print_redirects(page: _Page, redirects: tuple[Redirect, ...], *, blank: str = " ") -> None:
    for redirect in redirects:
        target = redirect.target
        if isinstance(target, HereDoc):
            delimiter, body = _here_document(target)
            page.pieces.append(f"{blank}{redirect.descriptor}<<{delimiter}")
            page.bodies.append(body)
        else:
            printed = print_word(target)
            if printed.startswith(("<(", ">(")) or (printed[0] in "&-" and redirect.operator in "<>"):
                printed = " " + printed
            page.pieces.append(f"{blank}{redirect.descriptor}{redirect.operator}{printed}")
        blank = " "


def _here_document(document: HereDoc) -> tuple[str, str]:
    """Return the delimiter as written after ``<<``, and the body with its last line."""
    text = literal(document.body)
    if text is not None:
        return print_here_text(text)
    parts = document.body.parts
    body = "".join(_quoted_part(_NEEDS_ESCAPE_UNQUOTED, parts, index, len(parts)) for index in range(len(parts)))
    delimiter = _free_delimiter(body)
    return delimiter, f"{body}{delimiter}\n"


def print_here_text(body: str) -> tuple[str, str]:
    """Return the delimiter of a here-document in which nothing expands, as after ``<<``, and its body with its end."""
    delimiter = _free_delimiter(body)
    return (f"'{delimiter}'" if _NEEDS_ESCAPE_UNQUOTED.search(body) else delimiter), f"{body}{delimiter}\n"


def _free_delimiter(body: str) -> str:
    """Return the first of EOF, EOF1, … that is no line of the body."""
    delimiter = "EOF"
    number = 0
    lines = set(body.split("\n")) if delimiter in body else set[str]()
    while delimiter in lines:
        number += 1
        delimiter = f"EOF{number}"
    return delimiter


_NEEDS_ESCAPE_UNQUOTED = re.compile(r"[\\$`]")

# --- words ----------------------------------------------------------------------------------------------------


def print_word(word: Word) -> str:
    """Print a word: texts bare or in single quotes, runs with quoted expansions in double quotes."""
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], Text):
        return print_text_word(parts[0].value)
    printed: list[str] = []
    verbatim = any(
        isinstance(part, Active) and not _lets_text_be_bare(part.source, first=at == 0) for at, part in enumerate(parts)
    )
    split = any(isinstance(part, Active) or not _is_quoted(part) for part in parts)
    index = 0
    while index < len(parts):
        run = _quoted_run(parts, index)
        if run > index:
            inside = "".join(_quoted_part(_NEEDS_ESCAPE, parts, at, run) for at in range(index, run))
            printed.append(f'"{inside}"')
            index = run
            continue
        part = parts[index]
        if isinstance(part, Text):
            # After ~ a bare text would be part of a login name, and an unquoted name= would join what follows.
            after = index > 0 and _wants_quotes_after(parts[index - 1])
            assigns = index == 0 and split and ASSIGNMENT.match(part.value) is not None
            printed.append(print_text(part.value, bare=not (verbatim or after or assigns)))
        else:
            printed.append(_unquoted_part(part, parts[index + 1] if index + 1 < len(parts) else None))
        index += 1
    return "".join(printed)


_PATTERN = re.compile(r"[*?]+")


def _lets_text_be_bare(source: str, *, first: bool) -> bool:
    """Say whether unquoted text beside this source stays text: in ``{a,b}`` and ``a:~`` it would not."""
    if first:
        return source[0] == "~" or ASSIGNMENT.fullmatch(source) is not None or _PATTERN.fullmatch(source) is not None
    return _PATTERN.fullmatch(source) is not None


def _wants_quotes_after(part: Part) -> bool:
    return isinstance(part, Active) and part.source[0] == "~" and part.source[-1] != "/"


def _is_quoted(part: Part) -> bool:
    return isinstance(part, Text) or (isinstance(part, Parameter | Expansion | Substitution) and part.quoted)


def _quoted_run(parts: tuple[Part, ...], start: int) -> int:
    """Return the end of the run of texts and quoted expansions at ``start``, or ``start`` if none of it expands."""
    end = start
    expands = False
    while end < len(parts) and _is_quoted(parts[end]) and parts[end] != _EMPTY:
        expands = expands or not isinstance(parts[end], Text)
        end += 1
    return end if expands else start


_EMPTY = Text("")


def _quoted_part(escape: re.Pattern[str], parts: tuple[Part, ...], index: int, end: int) -> str:
    """Print the part at ``index`` of a run that ends before ``end`` and stands in double quotes or a here-document."""
    part = parts[index]
    if isinstance(part, Text):
        return escape.sub(r"\\\g<0>", part.value)
    return _unquoted_part(part, parts[index + 1] if index + 1 < end else None)


_NAME_GOES_ON = re.compile(r"[A-Za-z0-9_\[]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")


def _unquoted_part(part: Part, following: Part | None) -> str:
    match part:
        case Parameter(name):
            ends = following is None or not _begins_with_name(following)
            return f"${name}" if ends and _NAME.fullmatch(name) else f"${{{name}}}"
        case Expansion(source) | Active(source):
            return source
        case Substitution(opening, body):
            return _substitution(opening, body)
        case Text(value):
            return print_text(value)


def _begins_with_name(part: Part) -> bool:
    match part:
        case Text(value):
            return bool(_NAME_GOES_ON.match(value))
        case Active(source):
            return bool(_NAME_GOES_ON.match(source))
        case _:
            return False


def _substitution(opening: str, body: Script) -> str:
    page = _Page()
    _print_list(page, body)
    if page.bodies:
        page.end_line()
    blank = " " if opening == "$(" and _begins_with_parenthesis(body) else ""
    return f"{opening}{blank}{''.join(page.pieces)})"
