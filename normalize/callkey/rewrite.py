"""Apply the exact rules to every part of a tree, the inner parts first. What no rule changes stays the same object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from .rules import Rule
from .syntax import (
    Assignment,
    Case,
    Clause,
    Command,
    Expansion,
    For,
    Function,
    HereDoc,
    If,
    Pipeline,
    Redirect,
    Script,
    Stage,
    Statement,
    Substitution,
    Text,
    While,
    Word,
)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The rules by the type that they are tried on, and the names of those that changed something."""

    rules: dict[type, list[Rule]]
    notes: dict[str, None]


def exact_rules(rules: Sequence[Rule]) -> dict[type, list[Rule]]:
    """Index the exact ones of some rules, keeping their order."""
    by_type: dict[type, list[Rule]] = {}
    for rule in rules:
        if rule.exact:
            by_type.setdefault(rule.on, []).append(rule)
    return by_type


def rewrite_script(using: Rewriter, script: Script) -> Script:
    """Return the script with every rule applied to every part."""
    statements = _each(using, script.statements, _statement)
    return _apply(using, script if statements is script.statements else replace(script, statements=statements))


def _apply(using: Rewriter, node: _T) -> _T:
    for rule in using.rules.get(type(node), ()):
        changed = rule.apply(node)
        if changed is not node:
            using.notes[rule.name] = None
            node = changed
    return node


def _each(using: Rewriter, nodes: tuple[_T, ...], rewrite: Any) -> tuple[_T, ...]:
    """Rewrite each node; return the same tuple where none changed."""
    for index, node in enumerate(nodes):
        changed = rewrite(using, node)
        if changed is not node:
            return (*nodes[:index], changed, *(rewrite(using, other) for other in nodes[index + 1 :]))
    return nodes


def _statement(using: Rewriter, statement: Statement) -> Statement:
    pipelines = _each(using, statement.pipelines, _pipeline)
    return statement if pipelines is statement.pipelines else replace(statement, pipelines=pipelines)


def _pipeline(using: Rewriter, pipeline: Pipeline) -> Pipeline:
    stages = _each(using, pipeline.stages, _stage)
    return _apply(using, pipeline if stages is pipeline.stages else replace(pipeline, stages=stages))


def _stage(using: Rewriter, stage: Stage) -> Stage:
    if isinstance(stage, Command):
        return _command(using, stage)
    if isinstance(stage, Function):
        body = _stage(using, stage.body)
        return stage if body is stage.body else replace(stage, body=body)  # type: ignore[arg-type]  # a compound stays one
    changes = _inner_changes(using, stage)
    redirects = _redirects(using, stage.redirects)
    if redirects is not stage.redirects:
        changes["redirects"] = redirects
    return _apply(using, replace(stage, **changes) if changes else stage)


def _inner_changes(using: Rewriter, stage: Any) -> dict[str, Any]:
    """Return the fields of a compound that changed."""
    fields: dict[str, Any] = {}
    match stage:
        case If(branches, otherwise):
            fields["branches"] = _each(using, branches, _branch)
            fields["otherwise"] = None if otherwise is None else rewrite_script(using, otherwise)
        case While(_, condition, body):
            fields["condition"] = rewrite_script(using, condition)
            fields["body"] = rewrite_script(using, body)
        case For(_, _, words, body):
            fields["words"] = None if words is None else _each(using, words, _word)
            fields["body"] = rewrite_script(using, body)
        case Case(word, clauses):
            fields["word"] = _word(using, word)
            fields["clauses"] = _each(using, clauses, _clause)
        case _:
            inner: Script | None = getattr(stage, "body", None)
            if inner is not None:
                fields["body"] = rewrite_script(using, inner)
    return {name: value for name, value in fields.items() if value is not getattr(stage, name)}


def _branch(using: Rewriter, branch: tuple[Script, Script]) -> tuple[Script, Script]:
    condition, body = (rewrite_script(using, script) for script in branch)
    return branch if condition is branch[0] and body is branch[1] else (condition, body)


def _clause(using: Rewriter, clause: Clause) -> Clause:
    patterns = _each(using, clause.patterns, _word)
    body = rewrite_script(using, clause.body)
    unchanged = patterns is clause.patterns and body is clause.body
    return clause if unchanged else replace(clause, patterns=patterns, body=body)


def _command(using: Rewriter, command: Command) -> Command:
    words = _each(using, command.words, _word)
    assignments = _each(using, command.assignments, _assignment) if command.assignments else ()
    redirects = _redirects(using, command.redirects) if command.redirects else ()
    if words is not command.words or assignments is not command.assignments or redirects is not command.redirects:
        command = Command(assignments, words, redirects)
    return _apply(using, command)


def _assignment(using: Rewriter, assignment: Assignment) -> Assignment:
    if not isinstance(assignment.value, Word):
        return assignment
    value = _word(using, assignment.value)
    return assignment if value is assignment.value else replace(assignment, value=value)


def _redirects(using: Rewriter, redirects: tuple[Redirect, ...]) -> tuple[Redirect, ...]:
    """Redirect rules may return several for one, so they are not applied like the others."""
    changed: list[Redirect] = []
    for redirect in redirects:
        target = redirect.target
        if isinstance(target, HereDoc):
            body = _word(using, target.body)
            inner = redirect if body is target.body else replace(redirect, target=HereDoc(body))
        else:
            word = _word(using, target)
            inner = redirect if word is target else replace(redirect, target=word)
        pieces: tuple[Redirect, ...] = (inner,)
        for rule in using.rules.get(Redirect, ()):
            after = tuple(piece for before in pieces for piece in rule.apply(before))
            if after != pieces:
                using.notes[rule.name] = None
                pieces = after
        changed.extend(pieces)
    return redirects if tuple(changed) == redirects else tuple(changed)


def _word(using: Rewriter, word: Word) -> Word:
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], Text):
        return word
    changed = _each(using, parts, _part)
    return word if changed is parts else Word(changed)


def _part(using: Rewriter, part: Text | Expansion | Any) -> Any:
    if not isinstance(part, Substitution):
        return part
    body = rewrite_script(using, part.body)
    return part if body is part.body else replace(part, body=body)
