"""jq and json.tool print what they are given in another form; the work is done by what feeds them."""

from __future__ import annotations

import re
from dataclasses import replace

from ..showing import texts
from ..syntax import (
    Active,
    Command,
    Expansion,
    Function,
    Parameter,
    Pipeline,
    Redirect,
    Script,
    Stage,
    Statement,
    Subshell,
)
from ..views import is_view
from ..walk import walk
from ..words import literal

exact = False
loses = "The output's form and the exit status of the dropped stages; they become the `view`"


def drop_views(script: Script) -> tuple[Script, tuple[Command, ...]]:
    """Take trailing ``| jq …`` and ``| python -m json.tool`` off the last pipeline; they become the view.

    >>> from callkey.canonical import canonicalize
    >>> found = canonicalize("cat a.json | jq .x")
    >>> found.text, found.view
    ('cat a.json', 'jq .x')
    """
    # Only of the last pipeline: after it, nothing in the script reads the exit status that the stage had.
    if not script.statements:
        return script, ()
    statement = script.statements[-1]
    pipeline = statement.pipelines[-1]
    stages = pipeline.stages
    kept = len(stages)
    if statement.background or pipeline.prefix:
        return script, ()
    while kept > 1 and _shows(stages[kept - 1]) and not _sends_output_away(stages[kept - 2]):
        if kept == 2 and not _needs_no_shell(stages[0]):  # noqa: PLR2004 - two stages, of which one would stay
            break
        kept -= 1
    views = tuple(stage for stage in stages[kept:] if isinstance(stage, Command))
    if not views:
        return script, ()
    pipelines = (*statement.pipelines[:-1], replace(pipeline, stages=stages[:kept]))
    return replace(script, statements=(*script.statements[:-1], replace(statement, pipelines=pipelines))), views


def _shows(stage: Stage) -> bool:
    if not isinstance(stage, Command) or stage.assignments or stage.redirects or not stage.words:
        return False
    words = texts(stage)
    return words is not None and is_view(words)


# Bash 5.2, 4: the builtins, but for echo, printf, pwd, true, false and :, which change nothing.
_BUILTINS = frozenset(
    ". [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown"
    " enable eval exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd pushd read"
    " readarray readonly return set shift shopt source suspend test times trap type typeset ulimit umask unalias unset"
    " wait".split()
)
# In a format, %n sets a variable; before one, -v does.
_PRINTF_SETS = re.compile(r"-|.*%[-+ #'0-9.*]*[hlLjtz]*n", re.DOTALL)
_SETS = re.compile(r"[=?]|\+\+|--")
"""What an expansion holds that sets a variable or ends the shell: ``${x:=1}``, ``$((x++))``, ``${x:?}``."""


def _needs_no_shell(stage: Stage) -> bool:
    """Say whether a stage that loses the subshell of its pipeline leaves the shell that it then runs in as it was."""
    if isinstance(stage, Subshell):
        return True
    if not isinstance(stage, Command) or not stage.words:
        return False
    name = literal(stage.words[0])
    if name is None or name in _BUILTINS or name.startswith("%"):
        return False
    if name == "printf":
        shape = literal(stage.words[1]) if len(stage.words) > 1 else None
        if shape is None or _PRINTF_SETS.match(shape):
            return False
    return not any(_may_set(node) for node in walk(Script((Statement((Pipeline((stage,)),)),))))


def _may_set(node: object) -> bool:
    match node:
        case Expansion(source) | Active(source):
            return "$" in source and _SETS.search(source) is not None
        case Redirect(descriptor):
            return descriptor.startswith("{")
        case Parameter(name):
            return name.startswith("BASH")  # BASHPID and BASH_SUBSHELL say which shell it is
        case _:
            return False


_OUTPUT = re.compile(r"1?")


def _sends_output_away(stage: Stage) -> bool:
    if isinstance(stage, Function):
        return True
    return any(
        redirect.operator in (">", ">>", ">|", ">&", "<>") and _OUTPUT.fullmatch(redirect.descriptor) is not None
        for redirect in stage.redirects
    )
