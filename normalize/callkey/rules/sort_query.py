"""Most servers look parameters up by name, so their order across names says nothing."""

from __future__ import annotations

from dataclasses import replace

from .. import urls
from ..request import Request, shows_urls

exact = False
loses = "The order of parameters of different names. A server that reads the query as one text could answer differently"


def sort_query(request: Request) -> Request:
    """Sort the query parameters of each URL by name; those of one name keep their order.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("http://h/?b=2&a=1",), stderr_shown=False)[0]
    ('http://h/?a=1&b=2',)
    """
    if shows_urls(request):
        return request
    ordered = tuple(urls.sort_query(url, globs=request.globs) for url in request.urls)
    return request if ordered == request.urls else replace(request, urls=ordered)
