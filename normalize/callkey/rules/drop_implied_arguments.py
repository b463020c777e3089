"""A loop without ``in`` goes over the positional parameters, as ``in "$@"`` does (Bash 5.2, 3.2.5.1)."""

from __future__ import annotations

from dataclasses import replace

from ..syntax import For, Parameter, Word

exact = True

_ALL_ARGUMENTS = (Word((Parameter("@", quoted=True),)),)


def drop_implied_arguments(loop: For) -> For:
    """Write ``for x in "$@"`` as ``for x``.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize('for x in "$@"; do ls $x; done').exact
    'for x; do ls $x; done'
    """
    return replace(loop, words=None) if loop.words == _ALL_ARGUMENTS else loop
