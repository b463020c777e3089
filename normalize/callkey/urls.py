"""One URL, one spelling. The only module that knows yarl."""

from __future__ import annotations

import re

_PORTS = {"http": 80, "https": 443}

# https://www.rfc-editor.org/rfc/rfc3986#appendix-B, for http and https alone. What a browser, curl or a proxy
# would each repair in its own way is no URL to us: blanks, control characters, and the backslash.
_URL = re.compile(
    r"""
    (?P<scheme> [Hh][Tt][Tt][Pp][Ss]? ) ://
    (?P<authority> [^/?\#\x00-\x20\x7f\\]+ )
    (?P<path> (?: / [^?\#\x00-\x20\x7f\\]* )? )
    (?P<query> (?: \? [^\#\x00-\x20\x7f\\]* )? )
    (?: \# .* )?                               # a fragment is not sent
    """,
    re.VERBOSE,
)
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*")
_GLOB = re.compile(r"[{}\[\]]")
_MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})")
# RFC 3986 section 6.2.2.2: these need no encoding, so encoding them says nothing
_UNRESERVED = re.compile(r"%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])")
_DOTS = re.compile(r"(?:\.|%2[Ee]){1,2}")
# Names that a server takes for a parameter's name and nothing else. A query such as `http://x/?a=1` or `page/2&x` may
# be read whole.
_NAME = re.compile(r"[\w.~$@!*'()\[\]%+-]+")
_AS_UNDERSCORE = {ord("."): "_", ord(" "): "_"}


def canonical_url(url: str, *, globs: bool = False) -> str:
    """Return the one spelling of a URL with its parameters in order. ``globs``: ``{}`` and ``[]`` are curl's globs.

    >>> canonical_url("HTTPS://Example.org:443?b=2&a=1#top")
    'https://example.org/?a=1&b=2'
    """
    return sort_query(spell_url(url, globs=globs), globs=globs)


def spell_url(url: str, *, globs: bool = False, dots: bool = False) -> str:
    """Return one spelling for URLs that RFC 3986 calls equivalent: what a server sees does not change.

    Scheme and host lower-case, no default port, ``/`` for an empty path, no fragment, no dot segments (``dots`` keeps
    them), no encoding of unreserved characters. Anything but a plain http or https URL stays as it is.

    >>> spell_url("http://h:80/a/./%7Eb/../c?x=%41#y")
    'http://h/a/c?x=A'
    >>> spell_url("http://h/%2e%2e/a?b=%2F&c=a+b%20c")
    'http://h/%2e%2e/a?b=%2F&c=a+b%20c'
    """
    found = None if globs and _GLOB.search(url) else _URL.fullmatch(url)
    if found is None:
        return url
    scheme = found["scheme"].lower()
    authority = _authority(scheme, found["authority"])
    if authority is None:
        return url
    path = _decoded_path(found["path"] or "/")
    return f"{scheme}://{authority}{path if dots else _without_dots(path)}{_decoded(found['query'])}"


def sort_query(url: str, *, globs: bool = False) -> str:
    """Sort the parameters of an http or https URL by name; parameters of one name keep their order, values are kept.

    ``a``, ``a[]``, ``a[b]`` and ``A`` are one name here, and so are ``a.b`` and ``a_b``: to some server each of them
    is a part of the others, or the same.

    >>> sort_query("http://h/?b=2&a=x&b=1")
    'http://h/?a=x&b=2&b=1'
    >>> sort_query("http://h/?b[]=1&a[y]=2&a[x]=3")
    'http://h/?a[y]=2&a[x]=3&b[]=1'
    """
    if "&" not in url or (globs and _GLOB.search(url)):
        return url
    found = _URL.fullmatch(url)
    if found is None or ";" in found["query"]:
        return url
    segments = found["query"][1:].split("&")
    names = [segment.partition("=")[0] for segment in segments]
    if not all(_NAME.fullmatch(name) for name in names):
        return url
    stems = [_stem(name) for name in names]
    places = sorted(range(len(stems)), key=stems.__getitem__)
    start = found.start("query") + 1
    return url[:start] + "&".join([segments[place] for place in places]) + url[found.end("query") :]


def _stem(name: str) -> str:
    """Return what names have in common that a server may take for one: PHP cuts at ``[`` and writes ``.`` as ``_``."""
    from urllib.parse import unquote_plus  # noqa: PLC0415  # 3 ms at import, for URLs with a query alone

    return unquote_plus(name).partition("[")[0].translate(_AS_UNDERSCORE).casefold()


def _authority(scheme: str, authority: str) -> str | None:
    """Lower-case the host and drop the default port; the user's part stays. ``None`` for an odd one."""
    user, at, place = authority.rpartition("@")
    split = None if "@" in user or not place.isascii() else _host_and_port(place)
    if split is None or not _HOST.fullmatch(split[0]):
        return None
    host, port = split
    if ":" in host:
        host = f"[{host}]"
    return f"{user}{at}{host}" if port in {None, _PORTS[scheme]} else f"{user}{at}{host}:{port}"


def _host_and_port(place: str) -> tuple[str, int | None] | None:
    """Split ``host:port``, the host in lower-case and without brackets; ``None`` if yarl finds it wrong."""
    from yarl import URL  # noqa: PLC0415  # loads 40 modules; most commands hold no URL

    try:
        # encoded: nothing is quoted anew. yarl's own spelling of a URL is not what curl sends for it.
        split = URL(f"http://{place}", encoded=True)
        host, port = split.raw_host, split.explicit_port
    except ValueError:
        return None
    return None if host is None else (host.lower(), port)


def _decoded(text: str) -> str:
    """Decode ``%XX`` of unreserved characters. A stray ``%`` could meet decoded digits, so then none is decoded."""
    if "%" not in text or _MALFORMED.search(text):
        return text
    return _UNRESERVED.sub(lambda found: chr(int(found.group()[1:], 16)), text)


def _decoded_path(path: str) -> str:
    """Decode a path, but no segment that would become a dot segment: curl before 8.13 sends ``%2e%2e`` as it is."""
    if "%" not in path or _MALFORMED.search(path):
        return path
    return "/".join(segment if _DOTS.fullmatch(segment) else _decoded(segment) for segment in path.split("/"))


def _without_dots(path: str) -> str:
    """Remove ``.`` and ``..`` segments, as RFC 3986 section 5.2.4 says; none beside an encoded one."""
    if "/." not in path:
        return path
    segments = path.split("/")[1:]
    if any("%" in segment and _DOTS.fullmatch(segment) for segment in segments):
        return path
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)
