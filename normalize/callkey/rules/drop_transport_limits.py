"""How long curl waits and how often it tries again decide whether an answer comes, not what it is."""

from __future__ import annotations

import re

from ..request import Request, without

exact = False
loses = "An answer that takes longer than one of two limits. Only calls that succeeded make duplicates"

_TIMES = frozenset({"max-time", "connect-timeout", "retry", "retry-delay", "retry-max-time"})
_LIMITS = _TIMES | {"retry-all-errors", "retry-connrefused"}
_NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")
_WHOLE = re.compile(r"[0-9]{1,6}")


def drop_transport_limits(request: Request) -> Request:
    """Drop ``--max-time``, ``--connect-timeout`` and the ``--retry`` options.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("-m", "5", "--retry", "3", "http://h/"), stderr_shown=False)[0]
    ('http://h/',)
    >>> canonical_arguments("curl", ("-m", "soon", "http://h/"), stderr_shown=False)[0]
    ('--max-time', 'soon', 'http://h/')
    """
    given = [setting for setting in request.settings if setting.name in _LIMITS]
    # one that curl cannot read is an error instead of a request
    readable = all(
        (_WHOLE if setting.name.startswith("retry") else _NUMBER).fullmatch(setting.value)
        for setting in given
        if setting.value is not None
    )
    return without(request, _LIMITS) if given and readable else request
