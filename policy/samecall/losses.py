"""A refusal that would have lost something: its recorded result is not the earlier call's."""

from __future__ import annotations

from dataclasses import dataclass

from .describing import describe, printable
from .discretion import mask
from .replay import Row

KEPT = 100
"""Losses of one policy that are shown; all are counted."""

SHOWN = 2_000
"""Characters of a text that are shown."""

_BEFORE = 60
"""Characters before the first difference of two texts: they say where one is."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One such call, told for a person: credentials hidden, texts cut to where they differ."""

    policy: str
    session: str
    """The file, with ``#session`` where it holds several."""
    turn: int
    call: int
    earlier: int
    tool: str
    what: str
    earlier_what: str
    result: str
    earlier_result: str


def loss(policy: str, title: str, row: Row) -> Loss | None:
    """Tell of a refused call if its result is not the earlier one's."""
    if row.result != "other" or row.earlier is None:
        return None
    result, earlier = contrast(row.recorded.result or "", row.earlier.result or "")
    return Loss(
        policy,
        title,
        row.turn,
        row.decision.ordinal,
        row.decision.duplicate_of or 0,
        printable(row.recorded.call.name),
        describe(row.recorded.call)[:SHOWN],
        describe(row.earlier.call)[:SHOWN],
        result,
        earlier,
    )


def contrast(one: str, other: str) -> tuple[str, str]:
    r"""Return two different texts from shortly before their first difference on, printable, without credentials.

    >>> contrast("x" * 100 + "1", "x" * 100 + "2")[0] == "…" + "x" * 60 + "1"
    True
    """
    start = max(_first_difference(one, other) - _BEFORE, 0)
    return _cut(one, start), _cut(other, start)


def _first_difference(one: str, other: str) -> int:
    places = (place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(places, min(len(one), len(other)))


def _cut(text: str, start: int) -> str:
    # Credentials go before the text is cut: half of one may no longer look like one.
    begin = max(start - SHOWN, 0)
    shown = mask(text[begin : start + 2 * SHOWN])
    shown = shown[len(mask(text[begin:start])) :] if start else shown
    return printable(("…" if start else "") + shown[:SHOWN] + ("…" if len(shown) > SHOWN else ""))
