"""``&>f`` is defined as ``>f 2>&1`` (Bash 5.2, 3.6.4), and ``&>>f`` as ``>>f 2>&1`` (3.6.5)."""

from __future__ import annotations

import re

from ..plain import MERGE
from ..syntax import Redirect, Word
from ..words import literal

exact = True

_DUPLICATES = re.compile(r"[0-9]+-?|-")


def split_both_redirect(redirect: Redirect) -> tuple[Redirect, ...]:
    """Write ``&>f`` and ``>&f`` as ``>f 2>&1``, and ``&>>f`` as ``>>f 2>&1``.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize("make &>log").exact
    'make >log 2>&1'
    """
    target = redirect.target
    if redirect.operator in ("&>", "&>>"):
        return (Redirect("", redirect.operator.removeprefix("&"), target), MERGE)
    if redirect.operator == ">&" and not redirect.descriptor and isinstance(target, Word):
        # >&2 copies a descriptor and >&- closes one; what an expansion becomes is not known here.
        name = literal(target)
        if name is not None and not _DUPLICATES.fullmatch(name):
            return (Redirect("", ">", target), MERGE)
    return (redirect,)
