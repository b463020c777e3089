"""Braces around a list that stands alone group nothing: the list runs in the same shell, with the same status."""

from __future__ import annotations

from ..syntax import Command, Group, Script, Statement

exact = True


def open_lone_group(script: Script) -> Script:
    """Write ``{ a; b; }`` as ``a; b`` where no redirect, ``&``, ``|``, ``!``, ``&&`` or ``||`` is on the braces.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize("{ ls; pwd; }; date").exact
    'ls; pwd; date'
    """
    bodies = [_lone_body(statement) for statement in script.statements]
    if script.lines is not None or not any(bodies):
        return script
    opened: list[Statement] = []
    for statement, body in zip(script.statements, bodies, strict=True):
        opened.extend(body.statements if body else (statement,))
    return Script(tuple(opened))


def _lone_body(statement: Statement) -> Script | None:
    if statement.background or len(statement.pipelines) != 1:
        return None
    pipeline = statement.pipelines[0]
    if pipeline.prefix or len(pipeline.stages) != 1:
        return None
    group = pipeline.stages[0]
    if not isinstance(group, Group) or group.redirects or _is_only_redirects(group.body):
        return None
    return group.body


def _is_only_redirects(script: Script) -> bool:
    # $({ <f; }) prints nothing, while $(<f) prints f. Bash 5.2, 3.5.4
    first = script.statements[0].pipelines[0].stages[0]
    return isinstance(first, Command) and not first.words and not first.assignments
