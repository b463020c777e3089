"""The short way from tokens to a tree, without bashlex: simple commands, pipelines and lists of them.

Nineteen of twenty commands of agents hold no compound but opaque ones (measured on ``benchmarks/corpus.jsonl``).
For what both ways take, both build the same tree; a property test holds that.
"""

from __future__ import annotations

from dataclasses import replace

from .errors import ParseError
from .regions import Source, fail
from .syntax import (
    Arithmetic,
    Assignment,
    Case,
    Command,
    Function,
    Pipeline,
    Redirect,
    Script,
    Stage,
    Statement,
    Test,
    Text,
    Word,
)
from .tokens import Operator, Reserved, Token

PREFIXES = frozenset(["!", "time", "time -p"])
MERGE = Redirect("2", ">&", Word((Text("1"),)))
"""``2>&1``."""


def is_plain(tokens: list[Token]) -> bool:
    """Say whether the short way can take these tokens."""
    for token in tokens:
        if isinstance(token, Reserved):
            if token.word not in PREFIXES:
                return False
        elif token is Operator.OPEN:
            return False
    return True


def stage_of(source: Source, tokens: list[Token]) -> Stage:
    """Build a simple command, or an opaque compound with its redirects, from the tokens between two operators."""
    first = tokens[0]
    if isinstance(first, Test | Arithmetic | Case):
        redirects = tuple(token for token in tokens if isinstance(token, Redirect))
        if len(redirects) != len(tokens) - 1:
            raise fail(source, 0, "a word after a compound command")
        return replace(first, redirects=redirects) if redirects else first
    assignments: list[Assignment] = []
    words: list[Word] = []
    others: list[Redirect] = []
    for token in tokens:
        if isinstance(token, Word):
            words.append(token)
        elif isinstance(token, Redirect):
            others.append(token)
        elif isinstance(token, Assignment):
            assignments.append(token)
        else:
            raise fail(source, 0, "a compound command where an argument should be")
    return Command(tuple(assignments), tuple(words), tuple(others))


def merge_errors(source: Source, stage: Stage) -> Stage:
    """Write ``stage |&`` as ``stage 2>&1 |``: the merge comes after the stage's own redirects (Bash 5.2, 3.2.3)."""
    if isinstance(stage, Function):
        raise fail(source, 0, "a function definition before |&")
    return replace(stage, redirects=(*stage.redirects, MERGE))


def assemble_plain(source: Source, tokens: list[Token]) -> Script:
    """Build the tree of tokens that ``is_plain`` accepts. Raises ``ParseError`` where bash would find an error."""
    statements: list[Statement] = []
    pipelines: list[Pipeline] = []
    operators: list[str] = []
    stages: list[Stage] = []
    prefix: list[str] = []
    current: list[Token] = []
    lines: list[int] = []

    def close_stage() -> None:
        if not current:
            raise _misplaced(source)
        stages.append(stage_of(source, current))
        current.clear()

    def close_pipeline() -> None:
        close_stage()
        pipelines.append(Pipeline(tuple(stages), tuple(prefix)))
        stages.clear()
        prefix.clear()

    def close_statement(*, background: bool) -> None:
        close_pipeline()
        statements.append(Statement(tuple(pipelines), tuple(operators), background))
        pipelines.clear()
        operators.clear()

    for token in tokens:
        if not isinstance(token, Operator):
            if isinstance(token, Reserved):
                if stages or current:
                    raise _misplaced(source)
                prefix.append(token.word)
            else:
                current.append(token)
        elif token is Operator.PIPE:
            close_stage()
        elif token is Operator.PIPE_BOTH:
            close_stage()
            stages[-1] = merge_errors(source, stages[-1])
        elif token is Operator.AND or token is Operator.OR:
            close_pipeline()
            operators.append(token.value)
        else:
            close_statement(background=token in (Operator.BACKGROUND, Operator.BACKGROUND_NEWLINE))
            if token in (Operator.NEWLINE, Operator.BACKGROUND_NEWLINE):
                lines.append(len(statements) - 1)
    if current or stages or operators or prefix:
        close_statement(background=False)
    return Script(tuple(statements), tuple(lines))


def _misplaced(source: Source) -> ParseError:
    return fail(source, 0, "an operator without a command")
