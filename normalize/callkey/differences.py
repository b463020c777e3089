"""Where two trees first differ, said for a person."""

from __future__ import annotations

from collections.abc import Sequence

from .printing import print_redirect, print_stage, print_statement, print_word
from .syntax import Command, HereDoc, Pipeline, Redirect, Script, Stage, Statement, Word

_LONGEST = 60


def first_difference(a: Script, b: Script) -> str:
    """Say in a clause how ``b`` first differs from ``a``; both were read, and are not equal."""
    if not a.statements or not b.statements:
        return "one of them runs nothing"
    for number, (left, right) in enumerate(zip(a.statements, b.statements, strict=False), 1):
        if left != right:
            where = "" if len(a.statements) == len(b.statements) == 1 else f"in command {number}, "
            return where + _in_statements(left, right)
    longer, side = (a, "first") if len(a.statements) > len(b.statements) else (b, "second")
    extra = longer.statements[min(len(a.statements), len(b.statements))]
    return f"only the {side} also runs {_quote(print_statement(extra))}"


def _in_statements(a: Statement, b: Statement) -> str:
    if a.background != b.background:
        return f"only the {'first' if a.background else 'second'} runs in the background"
    if a.operators != b.operators:
        left, right = (" ".join(side.operators) or "nothing" for side in (a, b))
        return f"the parts are joined by {left} in the first and by {right} in the second"
    return next(
        _in_pipelines(left, right) for left, right in zip(a.pipelines, b.pipelines, strict=True) if left != right
    )


def _in_pipelines(a: Pipeline, b: Pipeline) -> str:
    if a.prefix != b.prefix:
        left, right = (" ".join(side.prefix) or "nothing" for side in (a, b))
        return f"before the command stands {left} in the first and {right} in the second"
    for first, second in zip(a.stages, b.stages, strict=False):
        if first != second:
            return _in_stages(first, second)
    longer, side = (a, "first") if len(a.stages) > len(b.stages) else (b, "second")
    extra = longer.stages[min(len(a.stages), len(b.stages))]
    return f"only the {side} pipes into {_quote(print_stage(extra))}"


def _in_stages(a: Stage, b: Stage) -> str:
    if not isinstance(a, Command) or not isinstance(b, Command):
        return f"{_quote(print_stage(a))} is not {_quote(print_stage(b))}"
    if a.assignments != b.assignments:
        return "the variables set for the command differ"
    if a.words != b.words:
        return _in_words(a.words, b.words)
    return _in_redirects(a.redirects, b.redirects)


def _in_words(a: Sequence[Word], b: Sequence[Word]) -> str:
    for number, (left, right) in enumerate(zip(a, b, strict=False)):
        if left != right:
            name = f"argument {number}" if number else "the command's name"
            return f"{name} is {_quote(print_word(left))} in the first and {_quote(print_word(right))} in the second"
    longer, side = (a, "first") if len(a) > len(b) else (b, "second")
    return f"only the {side} has the argument {_quote(print_word(longer[min(len(a), len(b))]))}"


def _in_redirects(a: Sequence[Redirect], b: Sequence[Redirect]) -> str:
    if set(a) == set(b) and len(a) == len(b):
        return "the redirects stand in another order, and each sees what those before it did"
    documents = [redirect for redirect in (*a, *b) if isinstance(redirect.target, HereDoc)]
    if len(a) == len(b) and documents and len(documents) % 2 == 0:
        return "the bodies of the here-documents differ"
    for side, mine, others in (("first", a, b), ("second", b, a)):
        extra = next((redirect for redirect in mine if redirect not in others), None)
        if extra is not None:
            return f"only the {side} redirects {_quote(print_redirect(extra))}"
    return "the redirects differ"


def _quote(text: str) -> str:
    line = text if "\n" not in text else text.split("\n", 1)[0] + " …"
    return f"`{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}`"
