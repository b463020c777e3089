"""A transfer as a program's arguments describe it, and the order in which we write it."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Setting:
    """One option: its long name, its value if it takes one, and ``on=False`` for ``--no-name``.

    Settings of one ``slot`` decide one thing together, so their order counts; those of two slots do not touch each
    other. ``last``: of two in a row, only the later one counts.
    """

    name: str
    value: str | None = None
    on: bool = True
    slot: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides a transfer and its output.

    ``urls`` in order, as given. ``globs``: the program expands ``{}`` and ``[]`` in them. ``unconfigured``: the
    program reads no configuration of the user. ``stderr_shown``: what the program writes to standard error goes
    where its output may go, so options that change it count.
    """

    settings: tuple[Setting, ...]
    urls: tuple[str, ...]
    globs: bool = True
    unconfigured: bool = False
    stderr_shown: bool = False


def is_on(request: Request, *names: str) -> bool:
    """Say whether one of the options was given and not taken back.

    >>> is_on(Request((Setting("location"), Setting("location", on=False)), ()), "location")
    False
    """
    states = {setting.name: setting.on for setting in request.settings if setting.name in names}
    return True in states.values()


def speaks_http(request: Request) -> bool:
    """Say whether every URL names http or https.

    >>> speaks_http(Request((), ("http://h/", "ftp://h/")))
    False
    """
    return all(url[:8].lower().startswith(("http://", "https://")) for url in request.urls)


# curl's --write-out: %{url}, %{urle.host}, %{url_effective}, %{filename_effective}, %{json}; a file may hold any
_WRITES_URL = re.compile(r"^@|%\{(?:url|json|filename)")


def shows_urls(request: Request) -> bool:
    """Say whether the spelling of a URL ends up in the output, in the name of a file, or in a signature.

    >>> shows_urls(Request((Setting("remote-name"),), ("http://h/f",)))
    True
    """
    return any(
        setting.name in {"remote-name", "xattr", "upload-file", "aws-sigv4"}
        or (setting.name == "write-out" and _WRITES_URL.search(setting.value or "") is not None)
        for setting in request.settings
    )


def without(request: Request, names: Container[str]) -> Request:
    """Leave out all settings of these names."""
    kept = tuple(setting for setting in request.settings if setting.name not in names)
    return request if len(kept) == len(request.settings) else replace(request, settings=kept)


def in_order(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """Sort settings by slot, and drop each whose successor in its slot replaces it.

    An empty value is kept, because most options refuse it however often they are given.

    >>> [s.name for s in in_order((Setting("b", slot="b"), Setting("a", slot="a"), Setting("b", slot="b", last=True)))]
    ['a', 'b', 'b']
    """
    ordered = sorted(settings, key=_slot)
    kept = [
        before
        for before, after in pairwise(ordered)
        if not (before.last and before.name == after.name and before.value != "")
    ]
    return (*kept, *ordered[-1:])


def _slot(setting: Setting) -> str:
    return setting.slot
