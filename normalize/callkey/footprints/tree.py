"""Add up the footprint of a whole command from its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ..errors import ParseError
from ..syntax import (
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
from ..walk import walk
from .arguments import argument
from .execution import Runner
from .footprint import EVERYTHING, FOOTPRINTS, NOTHING, Footprint, together
from .redirects import footprint_of_redirect, moves
from .variables import is_harmless

_READ = FOOTPRINTS["read"]
_SESSION = FOOTPRINTS["shell"]
_VARYING = Footprint(varies=True)
_MOST_SESSIONS = 8

# Commands in source that we keep unread, with Bash 5.3 also ${ …; }; and ${x@P}, which expands its value like a prompt.
_HIDDEN = re.compile(r"\$\((?!\()|`|[<>]\(|\$\{[\s|]|@P\}")
# Bash 5.3, 5.2: what the shell counts, and the numbers of processes, which differ from shell to shell
_MOVING = re.compile(
    r"\b(?:S?RANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|BASH_MONOSECONDS|BASHPID|PPID|HISTCMD)\b"
    r"|\A[!$]\Z|\$(?:[!$]|\{[!$]\})"
)

# What the command before left: its status, its last word. Bash 5.2, 3.4.2 and 5.2
_LEFT = re.compile(r"[?_]|PIPESTATUS")
_LEFT_IN_SOURCE = re.compile(r"\$\{?(?:\?|_(?!\w))|\bPIPESTATUS\b")

# Assignments inside of expansions and arithmetic
_SETS = re.compile(r"(?<![=<>!])=(?![=~])|<<=|>>=|\+\+|--")
_SETS_DEFAULT = re.compile(
    r"\$\{!?\w+(?:\[[^\]]{0,99}\])?:?="
    r"|\$\{\w+(?:\[[^\]]|:[^-=+?}])[^\]}]{0,99}(?:\+\+|--|(?<![=<>!])=(?!=))"
)
_NAMES = re.compile(r"[A-Za-z_]\w*")

# Arithmetic evaluates what it finds in a variable: x='a[$(rm f)]'; echo $((x))
_EVALUATES = re.compile(
    r"\(\(|\$\[|\$\{!?\w+(?:\[|:[^-=+?}])|\b(?:let|declare|typeset|local|printf|unset|test)\b"
    r"|(?:\A|\s)-(?:eq|ne|lt|le|gt|ge|v)(?:\s|\Z)"
)


@dataclass(frozen=True, slots=True)
class _Shell:
    """Where a script runs: the functions defined so far, the shell around it, how many texts stand around it."""

    depth: int = 0
    around: _Shell | None = None
    functions: set[str] = field(default_factory=set[str])

    def defines(self, name: object) -> bool:
        return name in self.functions or (self.around is not None and self.around.defines(name))

    def runner(self) -> Runner:
        return Runner(lambda text: _of_text(text, self.depth + 1))


def footprint_of(command: str) -> Footprint:
    """Return the footprint of a bash command; of everything where it cannot be read."""
    try:
        return _of_text(command, 0)
    except RecursionError:
        return EVERYTHING


def _looks_back(script: Script) -> bool:
    """Say whether the first pipeline looks at what the command before it left in the shell."""
    first = Script(tuple(replace(one, pipelines=one.pipelines[:1], operators=()) for one in script.statements[:1]))
    for node in walk(first):
        match node:
            case Parameter(name) if _LEFT.fullmatch(name):
                return True
            case Active(source) | Expansion(source) | Arithmetic(source) | ArithmeticFor(source) | Test(source):
                if _LEFT_IN_SOURCE.search(source):
                    return True
            case _:
                pass
    return False


def _may_evaluate(script: Script) -> bool:
    """Say whether a literal text may be a command that some arithmetic runs."""
    texts: list[str] = []
    evaluates = False
    for node in walk(script):
        match node:
            case Text(value):
                texts.append(value)
                evaluates = evaluates or _EVALUATES.search(value) is not None
            case Arithmetic() | ArithmeticFor():
                evaluates = True
            case Active(source) | Expansion(source) | Test(source):
                evaluates = evaluates or _EVALUATES.search(source) is not None
            case _:
                pass
    return evaluates and any(_HIDDEN.search(text.partition("[")[2]) for text in texts)


def _of_text(text: str, depth: int) -> Footprint:
    from ..parse import parse  # noqa: PLC0415  # loads bashlex, which takes longer than most commands

    if depth > _MOST_SESSIONS:
        return EVERYTHING
    try:
        script = parse(text)
    except ParseError:
        return EVERYTHING
    # Rare, and it takes a walk through the whole tree.
    if "[" in text and ("$(" in text or "`" in text) and _may_evaluate(script):
        return EVERYTHING
    footprint = _of_whole(script, _Shell(depth))
    back = _LEFT_IN_SOURCE.search(text) and _looks_back(script)
    return replace(footprint, varies=True) if back else footprint


def _of_whole(script: Script, shell: _Shell) -> Footprint:
    """Return the footprint of all that a shell runs."""
    return together(_define_and_run(statement, shell) for statement in script.statements)


def _define_and_run(statement: Statement, shell: _Shell) -> Footprint:
    """Run a statement that is always run; a function defined by all of it is known from then on."""
    footprint = _of_statement(statement, shell)
    if not statement.background and len(statement.pipelines) == 1:
        stages = statement.pipelines[0].stages
        if len(stages) == 1 and isinstance(stages[0], Function):
            shell.functions.add(stages[0].name)
    return footprint


def _of_script(script: Script, shell: _Shell) -> Footprint:
    return together(_of_statement(statement, shell) for statement in script.statements)


def _of_subshell(script: Script, shell: _Shell) -> Footprint:
    return replace(_of_whole(script, _Shell(shell.depth, shell)), session=False)


def _of_statement(statement: Statement, shell: _Shell) -> Footprint:
    footprint = together(_of_pipeline(pipeline, shell) for pipeline in statement.pipelines)
    return replace(footprint, session=False) if statement.background else footprint


def _of_pipeline(pipeline: Pipeline, shell: _Shell) -> Footprint:
    footprint = together(_of_stage(stage, shell) for stage in pipeline.stages)
    if any(word.startswith("time") for word in pipeline.prefix):
        footprint = replace(footprint, varies=True)
    return replace(footprint, session=False) if len(pipeline.stages) > 1 else footprint


def _of_stage(stage: Stage, shell: _Shell) -> Footprint:
    if isinstance(stage, Command):
        return _of_command(stage, shell)
    if isinstance(stage, Function):
        return together([_of_stage(stage.body, shell), _SESSION])
    return together([*_inside(stage, shell), *_of_redirects(stage.redirects, shell)])


def _inside(stage: Stage, shell: _Shell) -> Iterator[Footprint]:
    match stage:
        case Group(body):
            yield _of_script(body, shell)
        case Subshell(body):
            yield _of_subshell(body, shell)
        case If(branches, otherwise):
            for condition, body in branches:
                yield _of_script(condition, shell)
                yield _of_script(body, shell)
            if otherwise is not None:
                yield _of_script(otherwise, shell)
        case While(_, condition, body):
            yield _of_script(condition, shell)
            yield _of_script(body, shell)
        case For(_, name, words, body):
            yield _SESSION if is_harmless(name) else EVERYTHING
            yield from _of_words(words or (), shell)
            yield _of_script(body, shell)
        case ArithmeticFor(source, body):
            yield _of_arithmetic(source)
            yield _of_script(body, shell)
        case Case(word, clauses):
            yield from _of_words([word], shell)
            for clause in clauses:
                yield from _of_words(clause.patterns, shell)
                yield _of_script(clause.body, shell)
        case Test(source):
            yield _of_source(source)
            if "=~" in source:  # BASH_REMATCH
                yield _SESSION
        case Arithmetic(source):
            yield _of_arithmetic(source)
        case Command() | Function():
            yield _of_stage(stage, shell)


def _of_command(command: Command, shell: _Shell) -> Footprint:
    return together(
        [
            *_of_assignments(command.assignments, shell, alone=not command.words),
            *_of_words(command.words, shell),
            *_of_redirects(command.redirects, shell),
            _of_program(command.words, shell),
        ]
    )


def _of_program(words: tuple[Word, ...], shell: _Shell) -> Footprint:
    if not words:
        return NOTHING
    arguments = [argument(word) for word in words]
    footprint = NOTHING if shell.defines(arguments[0]) else shell.runner().run(arguments)
    return replace(footprint, varies=True) if any(map(moves, arguments[1:])) else footprint


def _of_assignments(assignments: Iterable[Assignment], shell: _Shell, *, alone: bool) -> Iterator[Footprint]:
    for assignment in assignments:
        if not is_harmless(assignment.name.partition("[")[0], _literal(assignment.value)):
            yield EVERYTHING
        elif alone:
            yield _SESSION
        if isinstance(assignment.value, Array):
            yield _of_source(assignment.value.source)
        else:
            yield from _of_words([assignment.value], shell)
            # Arithmetic evaluates what it finds in a variable: x='a[$(rm f)]'; echo $((x))
            if any(isinstance(part, Text) and _HIDDEN.search(part.value) for part in assignment.value.parts):
                yield EVERYTHING
        yield _of_source(assignment.name)


def _literal(value: Word | Array) -> str | None:
    found = argument(value) if isinstance(value, Word) else None
    return found if isinstance(found, str) else None


def _of_words(words: Iterable[Word], shell: _Shell) -> Iterator[Footprint]:
    for word in words:
        for part in word.parts:
            if not isinstance(part, Text):
                yield _of_part(part, shell)


def _of_part(part: Part, shell: _Shell) -> Footprint:
    match part:
        case Text():
            return NOTHING
        case Active(source) | Expansion(source):
            return _of_source(source)
        case Parameter(name):
            return _VARYING if _MOVING.fullmatch(name) else _READ
        case Substitution(_, body):
            return _of_subshell(body, shell)


def _of_source(source: str) -> Footprint:
    """Return the footprint of source that the tree keeps as it is."""
    if _HIDDEN.search(source):
        return EVERYTHING
    read = replace(_READ, varies=_MOVING.search(source) is not None)
    if "$((" in source or "$[" in source:
        return together([read, _of_arithmetic(source.replace("$((", "").replace("$[", ""))])
    return together([read, _of_setting(source)]) if _SETS_DEFAULT.search(source) else read


def _of_arithmetic(source: str) -> Footprint:
    if _HIDDEN.search(source):
        return EVERYTHING
    read = replace(_READ, varies=_MOVING.search(source) is not None)
    return together([read, _of_setting(source)]) if _SETS.search(source) or _SETS_DEFAULT.search(source) else read


def _of_setting(source: str) -> Footprint:
    """Return the footprint of source that sets one of the variables it names."""
    return _SESSION if all(map(is_harmless, _NAMES.findall(source))) else EVERYTHING


def _of_redirects(redirects: Iterable[Redirect], shell: _Shell) -> Iterator[Footprint]:
    opened: set[str] = set()
    for redirect in redirects:
        target = redirect.target.body if isinstance(redirect.target, HereDoc) else redirect.target
        yield from _of_words([target], shell)
        yield footprint_of_redirect(redirect, opened)
        opened.add(redirect.descriptor)
