"""Programs whose arguments we know: each module reads arguments into a `Request` and writes them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..request import Request
from ..rules.order_curl_options import order_curl_options
from ..rules.requests import REQUEST_RULES, RequestRule
from ..rules.sort_query import sort_query
from ..rules.spell_url import spell_url
from . import curl, wget


class Reader(Protocol):
    """Reads a program's arguments, without its name; ``None`` where it would have to guess."""

    def __call__(self, args: Sequence[str], *, stderr_shown: bool) -> Request | None:
        """Return what the arguments say."""


@dataclass(frozen=True, slots=True)
class Program:
    """How to read and write the arguments of a program, and the rules that hold for it."""

    read: Reader
    write: Callable[[Request], tuple[str, ...]]
    rules: frozenset[RequestRule]


PROGRAMS: Mapping[str, Program] = {
    "curl": Program(curl.to_request, curl.to_arguments, frozenset(REQUEST_RULES)),
    "wget": Program(wget.to_request, wget.to_arguments, frozenset({spell_url, sort_query, order_curl_options})),
}


def canonical_arguments(
    name: str, args: tuple[str, ...], *, stderr_shown: bool, rules: Sequence[RequestRule] = REQUEST_RULES
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the canonical arguments of a program and the names of the rules that changed them.

    ``stderr_shown``: the command's standard error is redirected or merged, so what is written there counts. ``None``
    where nothing changes: another program, arguments that we do not understand, or canonical ones already. Raises
    nothing. Two argument lists with one result do the same, but for what the rules declare.

    >>> canonical_arguments("curl", ("-s", "http://h/?b=1&a=2"), stderr_shown=False)
    (('http://h/?a=2&b=1',), ('sort_query', 'drop_quiet_options'))
    >>> canonical_arguments("curl", ("--no-such-option", "h"), stderr_shown=False)
    """
    program = PROGRAMS.get(name)
    given = program.read(args, stderr_shown=stderr_shown) if program else None
    if program is None or given is None:
        return None
    request = given
    notes: list[str] = []
    for rule in rules:
        if rule in program.rules:
            changed = rule(request)
            if changed != request:
                notes.append(rule.__name__)
                request = changed
    written = program.write(request)
    if written == args:
        return None
    # reading alone spells options long and puts URLs last
    respelt = bool(request.settings or not notes) and program.write(given) != args
    if respelt and order_curl_options.__name__ not in notes:
        if order_curl_options not in rules:
            return (written, tuple(notes)) if notes else None
        notes.append(order_curl_options.__name__)
    return written, tuple(notes)
