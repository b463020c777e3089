"""curl: arguments to a `Request` and back. What its options mean is in ``data/curl.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ..options import Option, Table, Unread, read, table
from ..request import Request, Setting
from ..tables import read_table


@dataclass(frozen=True, slots=True)
class _Manual:
    """The table of options, and for each what `Setting` must know; ``opaque`` ones stop the reading."""

    known: Table
    slots: Mapping[str, str]
    last: frozenset[str]
    opaque: frozenset[str]


@cache
def _manual() -> _Manual:
    listed: dict[str, dict[str, str | bool]] = read_table("curl.toml")["options"]
    return _Manual(
        # curl before 8.16 refuses ``--name=value``, so a command that has it is not one with ``--name value``
        known=table((_option(name, facts) for name, facts in listed.items()), equals=False),
        slots={name: str(facts.get("slot", name)) for name, facts in listed.items()},
        last=frozenset(name for name, facts in listed.items() if "last" in facts),
        opaque=frozenset(name for name, facts in listed.items() if "opaque" in facts),
    )


def _option(name: str, facts: Mapping[str, str | bool]) -> Option:
    return Option(
        long=name,
        short=str(facts.get("short", "")),
        value="value" in facts,
        negatable="negatable" in facts,
        off="off" in facts,
    )


def to_request(args: Sequence[str], *, stderr_shown: bool = False) -> Request | None:
    """Read curl's arguments (without the program's name); ``None`` where we would have to guess.

    >>> found = to_request(["-sm3", "h"])
    >>> [(setting.name, setting.value) for setting in found.settings], found.urls
    ([('silent', None), ('max-time', '3')], ('h',))
    """
    manual = _manual()
    found = read(args, manual.known)
    if isinstance(found, Unread):
        return None
    settings: list[Setting] = []
    urls = list(zip(found.places, found.operands, strict=True))
    verbose = -1
    for given in found.options:
        name = given.option.long
        if name == "url":
            urls.append((given.word, given.value or ""))
        elif name in manual.opaque or (name == "verbose" and given.word == verbose):
            return None  # -vv says more than -v since curl 8.10, though -v -v does not
        elif name != "disable":
            settings.append(Setting(name, given.value, given.on, manual.slots[name], name in manual.last))
            verbose = given.word if name == "verbose" else verbose
    urls.sort()
    if not urls or any(url == "-" or url.startswith("@") for _, url in urls) or _shares_input(settings):
        return None  # "-" is an option without a letter; curl reads URLs from an "@file" since 8.13
    globs = True
    for setting in settings:
        if setting.name == "globoff":
            globs = not setting.on
    return Request(
        settings=tuple(settings),
        urls=tuple(url for _, url in urls),
        globs=globs,
        # curl looks at its very first argument before it reads the others; a later -q does nothing
        unconfigured=args[0].startswith("-q") or args[0] == "--disable",
        stderr_shown=stderr_shown,
    )


_INPUT = re.compile(r"(?:^|[@<=,])(?:-|\.|/dev/.*|/proc/.*)(?:[;,].*)?$", re.DOTALL)
_OUTPUTS = frozenset({"output", "dump-header", "cookie-jar", "etag-save", "trace", "trace-ascii", "continue-at"})


def _shares_input(settings: list[Setting]) -> bool:
    """Say whether two options may read standard input: the one that comes first has it all."""
    readers = sum(
        1
        for setting in settings
        if setting.value and setting.name not in _OUTPUTS and _INPUT.search(setting.value) is not None
    )
    return readers > 1


def to_arguments(request: Request) -> tuple[str, ...]:
    """Write a request as curl's arguments: long options in the order of the settings, then the URLs.

    >>> to_arguments(to_request(["-N", "h", "-o", "f"]))
    ('--no-buffer', '--output', 'f', 'h')
    """
    words: list[str] = ["--disable"] if request.unconfigured else []
    for setting in request.settings:
        words.append(f"--{setting.name}" if setting.on else f"--no-{setting.name}")
        if setting.value is not None:
            words.append(setting.value)
    if any(url.startswith("-") for url in request.urls):
        words.append("--")
    return (*words, *request.urls)
