"""jq and json.tool print what they are given in another form; the work is done by what feeds them."""

from __future__ import annotations

import re
from dataclasses import replace

from ..showing import texts
from ..syntax import Command, Function, Script, Stage
from ..views import is_view

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


_OUTPUT = re.compile(r"1?")


def _sends_output_away(stage: Stage) -> bool:
    if isinstance(stage, Function):
        return True
    return any(
        redirect.operator in (">", ">>", ">|", ">&", "<>") and _OUTPUT.fullmatch(redirect.descriptor) is not None
        for redirect in stage.redirects
    )
