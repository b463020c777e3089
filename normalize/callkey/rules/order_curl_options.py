"""curl reads all options before it does anything, and those that set different things do not see each other."""

from __future__ import annotations

from dataclasses import replace

from ..request import Request, in_order

exact = False
loses = "The order of warnings about options"


def order_curl_options(request: Request) -> Request:
    """Write long options in the order of their names, then the URLs; of options that replace each other, the last.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("http://h/", "-iL", "-A", "x", "-A", "y"), stderr_shown=False)[0]
    ('--include', '--location', '--user-agent', 'y', 'http://h/')
    """
    ordered = in_order(request.settings)
    return request if ordered == request.settings else replace(request, settings=ordered)
