"""One spelling of a file's path, as far as no file system can tell spellings apart."""

from __future__ import annotations

import re

_REPEATED = re.compile(r"(?<=.)/{2,}")
_HERE = re.compile(r"(?<=/)\./+(?=[^/])")
_HERE_FIRST = re.compile(r"(?:\./+)+(?=[^/~-])(?![A-Za-z]:)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def spell_path(path: str) -> str:
    """Drop repeated slashes and ``./``, where what follows does not mean more without it: ``./~``, ``./-``, ``./C:``.

    A URL stays. ``a/..`` stays, since ``a`` may be a link; a final slash stays, since it asks for a directory; two
    slashes at the start stay, since POSIX lets them mean something else (POSIX.1-2017, 4.13).

    >>> spell_path("./src//app/./main.py"), spell_path("a/../b/"), spell_path("//x")
    ('src/app/main.py', 'a/../b/', '//x')
    """
    if _SCHEME.match(path) or (path.startswith("//") and not path.startswith("///")):
        return path
    path = _REPEATED.sub("/", path)
    first = _HERE_FIRST.match(path)
    return _HERE.sub("", path[first.end() :] if first else path)
