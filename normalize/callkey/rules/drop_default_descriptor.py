"""A redirect without a number names the default descriptor, so writing the number says nothing new."""

from __future__ import annotations

from dataclasses import replace

from ..syntax import Redirect

exact = True

# Bash 5.2, 3.6: < and its kind default to 0, > and its kind to 1.
DEFAULTS = {"<": "0", "<<": "0", "<<<": "0", "<&": "0", "<>": "0", ">": "1", ">>": "1", ">|": "1", ">&": "1"}


def drop_default_descriptor(redirect: Redirect) -> tuple[Redirect, ...]:
    """Write ``1>f`` as ``>f`` and ``0<f`` as ``<f``.

    >>> from callkey.canonical import canonicalize
    >>> canonicalize("ls 1>out").exact
    'ls >out'
    """
    if redirect.descriptor and DEFAULTS.get(redirect.operator) == redirect.descriptor:
        return (replace(redirect, descriptor=""),)
    return (redirect,)
