"""The progress meter and curl's own messages go to standard error, so options about them do not change the answer."""

from __future__ import annotations

from ..request import Request, without

exact = False
loses = "What curl writes to standard error"

_QUIET = frozenset({"silent", "show-error", "progress-bar", "progress-meter"})


def drop_quiet_options(request: Request) -> Request:
    """Drop ``-s``, ``-S``, ``-#`` and ``--no-progress-meter``, unless standard error is part of the output.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("-sS", "http://h/"), stderr_shown=False)[0]
    ('http://h/',)
    >>> canonical_arguments("curl", ("-sS", "http://h/"), stderr_shown=True)[0]
    ('--show-error', '--silent', 'http://h/')
    """
    return request if request.stderr_shown else without(request, _QUIET)
