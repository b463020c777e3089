"""URLs that RFC 3986 section 6.2.2 calls equivalent name one resource; curl reads a bare host as ``http://``."""

from __future__ import annotations

import re
from dataclasses import replace

from .. import urls
from ..request import Request, is_on, shows_urls

exact = False
loses = "The case of the host and the encoding of unreserved characters, which a server can see"

# what curl takes for http, from its manual, section URL; the other prefixes choose another protocol
_BARE = re.compile(r"(?!(?:ftp|dict|ldap|imap|smtp|pop3)\.)[a-z0-9][a-z0-9.-]*(?::[0-9]+)?(?:[/?#].*)?", re.IGNORECASE)


def spell_url(request: Request) -> Request:
    """Write each URL of curl in one spelling, where no file and no output is named after it.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("H:80/a/../%7Eb#top",), stderr_shown=False)[0]
    ('http://h/~b',)
    """
    if shows_urls(request):
        return request
    bare = all(setting.name not in {"proto", "proto-default"} for setting in request.settings)
    dots = is_on(request, "path-as-is")
    spelt = tuple(
        urls.spell_url(f"http://{url}" if bare and _BARE.fullmatch(url) else url, globs=request.globs, dots=dots)
        for url in request.urls
    )
    return request if spelt == request.urls else replace(request, urls=spelt)
