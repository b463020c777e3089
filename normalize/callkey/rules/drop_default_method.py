"""``-X`` with the method that curl would choose anyway is the same request, as long as no redirect is followed."""

from __future__ import annotations

from ..request import Request, is_on, speaks_http, without

exact = False
loses = "A note of `curl -v` that the option is not needed"

# With these, -X also decides what happens after the first answer, or the method does not follow from the data.
_UNSURE = ("location", "location-trusted", "follow", "head")
_UPLOADS = frozenset({"upload-file", "continue-at"})


def drop_default_method(request: Request) -> Request:
    """Drop ``-X GET`` without a body and ``-X POST`` with one, on http and https, without ``-L``.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("-X", "POST", "-d", "a", "h"), stderr_shown=False)[0]
    ('--data', 'a', 'http://h/')
    """
    methods = [setting.value for setting in request.settings if setting.name == "request"]
    # an empty one is an error, however many follow
    if not methods or methods[-1] not in {"GET", "POST"} or "" in methods:
        return request
    if is_on(request, *_UNSURE) or not speaks_http(request):
        return request
    slots = {setting.slot for setting in request.settings}
    if slots & _UPLOADS or (request.stderr_shown and "trace" in slots):
        return request
    posts = "form" in slots or ("data" in slots and not is_on(request, "get"))
    return without(request, {"request"}) if posts == (methods[-1] == "POST") else request
