"""Each ``!`` flips one flag of the pipeline, so that two of them are none (measured, Bash 5.2)."""

from __future__ import annotations

from dataclasses import replace

from ..syntax import Pipeline

exact = True


def drop_double_negation(pipeline: Pipeline) -> Pipeline:
    """Write ``! ! a`` as ``a``.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize("! ! ! make").exact
    '! make'
    """
    prefix: list[str] = []
    for word in pipeline.prefix:
        if word == "!" and prefix[-1:] == ["!"]:
            prefix.pop()
        else:
            prefix.append(word)
    return pipeline if len(prefix) == len(pipeline.prefix) else replace(pipeline, prefix=tuple(prefix))
