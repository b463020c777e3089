"""Header names have no case, blanks around a value are not part of it, and only the order of equal names counts.

RFC 9110 sections 5.1, 5.3 and 5.5.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..request import Request, Setting, speaks_http

exact = False
loses = "The bytes of the request differ. A server that tells clients apart by them could answer differently"

# Name, colon, a value on one line. `Name:` (curl then leaves its own header out) and `Name;` (an empty header) differ
# from it, and keep all but the case of the name.
_HEADER = re.compile(r"([\w!#$%&'*+.^`|~-]+)(?::[ \t]*([^\s](?:[^\r\n\0]*[^\s\0])?)[ \t]*|([:;]))", re.ASCII)

_SIGNATURES = frozenset({"aws-sigv4", "httpsig-algo", "httpsig-key", "httpsig-headers"})


def order_headers(request: Request) -> Request:
    """Sort ``--header`` options by name, names in lower-case, one blank before the value.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("-H", "X-B:1", "-H", "Accept: a", "http://h/"), stderr_shown=False)[0][:4]
    ('--header', 'accept: a', '--header', 'x-b: 1')
    """
    given = [setting for setting in request.settings if setting.name == "header"]
    # the headers of a mail have an order that readers see, and a signature may be made of their bytes
    if not given or not speaks_http(request) or not _SIGNATURES.isdisjoint({s.name for s in request.settings}):
        return request
    headers: list[tuple[str, Setting]] = []
    for setting in given:
        header = _HEADER.fullmatch(setting.value or "")
        if header is None:
            return request  # from a file, or no header
        name = header[1].lower()
        headers.append((name, replace(setting, value=name + (header[3] or f": {header[2]}"))))
    headers.sort(key=lambda header: header[0])
    written = [setting for _, setting in headers]
    if written == given:
        return request
    return replace(request, settings=(*(setting for setting in request.settings if setting.name != "header"), *written))
