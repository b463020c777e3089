"""wget: arguments to a `Request` and back. Only its URLs are respelt, and only where no file is named after them."""

from __future__ import annotations

from collections.abc import Sequence

from ..options import Option, Unread, read, table
from ..request import Request, Setting

# GNU Wget 1.21.3, `wget --help`: options of a download to one file or to standard output. All others end the reading.
_WGET = table(
    (
        Option("output-document", "O", value=True),
        Option("quiet", "q"),
        Option("verbose", negatable=True),
        Option("server-response", "S"),
        Option("timeout", "T", value=True),
        Option("connect-timeout", value=True),
        Option("read-timeout", value=True),
        Option("tries", "t", value=True),
        Option("waitretry", value=True),
        Option("max-redirect", value=True),
        Option("user-agent", "U", value=True),
        Option("check-certificate", negatable=True),
        Option("show-progress"),
        Option("inet4-only", "4"),
        Option("inet6-only", "6"),
    )
)


def to_request(args: Sequence[str], *, stderr_shown: bool = False) -> Request | None:
    """Read wget's arguments (without the program's name); ``None`` where we would have to guess.

    Without ``-O``, wget saves a file that has its name from the URL.
    """
    found = read(args, _WGET)
    if isinstance(found, Unread) or not found.operands:
        return None
    if all(given.option.long != "output-document" for given in found.options):
        return None
    # one slot for all: whether their order counts was not examined
    settings = (Setting(given.option.long, given.value, given.on, slot="wget") for given in found.options)
    return Request(tuple(settings), found.operands, globs=False, stderr_shown=stderr_shown)


def to_arguments(request: Request) -> tuple[str, ...]:
    """Write a request as wget's arguments, long options as given, then the URLs.

    >>> to_arguments(to_request(["-qO-", "http://h/"]))
    ('--quiet', '--output-document=-', 'http://h/')
    """
    words: list[str] = []
    for setting in request.settings:
        name = f"--{setting.name}" if setting.on else f"--no-{setting.name}"
        words.append(name if setting.value is None else f"{name}={setting.value}")
    if any(url.startswith("-") for url in request.urls):
        words.append("--")
    return (*words, *request.urls)
