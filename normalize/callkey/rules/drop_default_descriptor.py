"""A redirect without a number names the default descriptor, so writing the number says nothing new."""

from __future__ import annotations

import re
from dataclasses import replace

from ..syntax import Redirect, Word
from ..words import literal

exact = True

# Bash 5.2, 3.6: < and its kind default to 0, > and its kind to 1.
DEFAULTS = {"<": "0", "<<": "0", "<<<": "0", "<&": "0", "<>": "0", ">": "1", ">>": "1", ">|": "1", ">&": "1"}


def drop_default_descriptor(redirect: Redirect) -> tuple[Redirect, ...]:
    """Write ``1>f`` as ``>f`` and ``0<f`` as ``<f``.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize("ls 1>out").exact
    'ls >out'
    """
    if not redirect.descriptor or DEFAULTS.get(redirect.operator) != redirect.descriptor:
        return (redirect,)
    if redirect.operator == ">&" and not names_descriptor(redirect):
        return (redirect,)
    return (replace(redirect, descriptor=""),)


_DESCRIPTOR = re.compile(r"[0-9]+-?|-")


def names_descriptor(redirect: Redirect) -> bool:
    """Say whether the target of ``>&`` is a descriptor: ``1>&f`` is an error, while ``>&f`` opens a file (measured)."""
    name = literal(redirect.target) if isinstance(redirect.target, Word) else None
    return name is not None and _DESCRIPTOR.fullmatch(name) is not None
