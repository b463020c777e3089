"""URLs that RFC 3986 section 6.2.2 calls equivalent name one resource; curl reads a bare host as ``http://``."""

from __future__ import annotations

import re
from dataclasses import replace

from .. import urls
from ..request import Request, is_on, last_value

exact = False
"""The case of the host and the encoding of unreserved characters, which a server can see."""

# what curl takes for http, from its manual, section URL; the other prefixes choose another protocol
_BARE = re.compile(r"(?!(?:ftp|dict|ldap|imap|smtp|pop3)\.)[a-z0-9][a-z0-9.-]*(?::[0-9]+)?(?:[/?#].*)?", re.IGNORECASE)


def spell_url(request: Request) -> Request:
    """Write each URL of curl in one spelling, where no file and no output is named after it.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("H:80/a/../%7Eb#top",), stderr_shown=False)[0]
    ('http://h/~b',)
    """
    if names_output(request):
        return request
    bare = last_value(request, "proto-default") is None
    dots = is_on(request, "path-as-is")
    spelt = tuple(
        urls.spell_url(f"http://{url}" if bare and _BARE.fullmatch(url) else url, globs=request.globs, dots=dots)
        for url in request.urls
    )
    return request if spelt == request.urls else replace(request, urls=spelt)


def names_output(request: Request) -> bool:
    """Say whether the URL's own spelling ends up in the output or in the name of a file."""
    return any(
        setting.name in {"remote-name", "xattr", "upload-file"}
        or (setting.name == "write-out" and _WRITES_URL.search(setting.value or "") is not None)
        for setting in request.settings
    )


# %{url}, %{url_effective}, %{urle.host}, %{filename_effective}, %{json}; a format from a file is not known
_WRITES_URL = re.compile(r"^@|%\{(?:url|json|filename)")
