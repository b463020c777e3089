"""Which state a transfer reads or changes: the method, the host, the file it is saved in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .arguments import Argument, Opaque
from .facts import Usage
from .footprint import BOTH, NETWORK, WORKSPACE, Domain, Footprint
from .usage import Reading

if TYPE_CHECKING:
    from .execution import Runner

_URL = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?"
    r"(?:[^/?#@]*@)?"
    r"(?P<host>\[[^\]]*\]|[^/?#:]*)"
    r"(?P<end>[/?#:]|\Z)",
    re.DOTALL,
)
_LOCAL_HOST = re.compile(
    r"localhost|.*\.(?:localhost|local|internal|lan|test|home\.arpa)|[^.]*|\[.*\]"
    r"|0\.0\.0\.0|127\..*|10\..*|192\.168\..*|169\.254\..*|172\.(?:1[6-9]|2\d|3[01])\..*",  # RFC 1918, 3927, 6761, 6762
    re.DOTALL,
)
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})  # RFC 9110, 9.2.1
_OVERRIDE = re.compile(r"\s*x-(?:http-)?method", re.IGNORECASE)  # a header that names another method
_SCHEMES = frozenset({"", "http", "https", "ftp", "ftps", "file"})
_SINKS = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})

# curl 8.10, `curl --help all`
_CURL_DATA = ("-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode")
_CURL_BODY = ("--json", "-F", "--form", "--form-string", "-T", "--upload-file")
_CURL_FILES = ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--stderr", "--trace", "--trace-ascii")
_CURL_NAMED_FILES = ("-O", "--remote-name", "-J", "--remote-header-name", "--remote-name-all", "--output-dir")
_MEASURES = re.compile(r"%\{(?:time|speed_|json\}|header_json|header\{date|local_port|conn_id|xfer_id)", re.IGNORECASE)


def hosts(url: Argument) -> frozenset[Domain] | None:
    """Return the domains whose state stands behind a URL; ``None`` for a scheme that does more than transfer.

    >>> sorted(hosts("https://example.org/a") or ()), sorted(hosts("localhost:8000/a") or ())
    (['network'], ['network', 'workspace'])
    """
    text = url if isinstance(url, str) else url.prefix
    match = _URL.match(text)
    if match is None:
        return BOTH
    scheme = (match["scheme"] or "").lower()
    if scheme not in _SCHEMES:
        return None
    if scheme == "file":
        return WORKSPACE
    if isinstance(url, Opaque) and not match["end"]:
        return BOTH  # the host goes on in what we do not know
    return BOTH if _LOCAL_HOST.fullmatch(match["host"].lower()) else NETWORK


def _together(urls: Iterable[Argument]) -> frozenset[Domain] | None:
    domains: frozenset[Domain] = NETWORK
    for url in urls:
        of_url = hosts(url)
        if of_url is None:
            return None
        domains |= of_url
    return domains


def run_curl(_: Usage, reading: Reading, __: Runner) -> Footprint | None:
    """Judge a curl command by its method, its hosts and the files it saves."""
    urls = (*reading.operands, *(url for url in reading.values("--url") if url is not None))
    domains = _together(urls)
    formats = reading.values("-w", "--write-out")
    if domains is None or not all(isinstance(text, str) and _is_plain_format(text) for text in formats):
        return None
    changes: frozenset[Domain] = frozenset()
    if _curl_sends(reading):
        changes = domains
    if reading.values(*_CURL_NAMED_FILES) or any(name not in _SINKS for name in reading.values(*_CURL_FILES)):
        changes |= WORKSPACE
    # What sends or saves is done again, however long it takes.
    waits = not changes and any(times != "0" for times in reading.values("--retry"))
    measures = any(isinstance(text, str) and _MEASURES.search(text) for text in formats)
    return Footprint(domains | changes, changes, varies=waits or measures, waits=waits)


def _is_plain_format(text: str) -> bool:
    return not text.startswith("@") and "%output" not in text  # curl 8.3: %output{file}


def _curl_sends(reading: Reading) -> bool:
    if any(isinstance(header, str) and _OVERRIDE.match(header) for header in reading.values("-H", "--header")):
        return True
    methods = reading.values("-X", "--request")
    if methods:
        return methods[-1] not in SAFE_METHODS
    if reading.values(*_CURL_BODY):
        return True
    return bool(reading.values(*_CURL_DATA)) and not reading.values("-G", "--get")


def run_wget(_: Usage, reading: Reading, __: Runner) -> Footprint | None:
    """Judge a wget command: it saves a file unless told to look only, or to write to standard output."""
    domains = _together(reading.operands)
    if domains is None:
        return None
    sends = bool(reading.values("--post-data", "--post-file", "--body-data", "--body-file"))
    methods = reading.values("--method")
    if methods:
        sends = methods[-1] not in SAFE_METHODS
    outputs = reading.values("-O", "--output-document")
    saves = not reading.values("--spider") and (not outputs or any(name not in _SINKS for name in outputs))
    logs = any(name not in _SINKS for name in reading.values("-o", "--output-file", "-a", "--append-output"))
    changes: frozenset[Domain] = domains if sends else frozenset()
    if saves or logs:
        changes |= WORKSPACE
    waits = not changes and bool(reading.values("--waitretry", "--retry-connrefused", "--retry-on-http-error"))
    return Footprint(domains | changes, changes, varies=waits, waits=waits)
