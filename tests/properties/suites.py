"""Each law with what it is tried on. A suite can be run on any engine, which is how it is shown that it can fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from . import laws
from .grammar import choices, commands, scripts, small_commands
from .model import Script
from .near_misses import near_misses
from .soup import any_text, mutated, soup
from .spelling import render


@dataclass(frozen=True, slots=True)
class Suite:
    """``law(engine, *arguments)`` raises ``BrokenLawError`` where the engine breaks it."""

    law: Callable[..., None]
    arguments: SearchStrategy[tuple[Any, ...]]


def _twins(script: Script, first: bytes, second: bytes) -> tuple[str, str]:
    return render(script, first), render(script, second)


def _near(script: Script, spelled: bytes, which: int) -> tuple[str, str]:
    found = near_misses(script)
    return render(script, spelled), render(found[which % len(found)].script)


PLAINEST = bytes(1)

SOUND = Suite(laws.exact_text_does_the_same, st.tuples(commands()))
ONE_TEXT = Suite(laws.one_exact_text_is_one_command, st.tuples(st.lists(small_commands(), min_size=6, max_size=12)))
RUNNABLE = Suite(laws.exact_text_is_bash, st.tuples(commands() | mutated()))
FIXED_POINT = Suite(laws.text_is_fixed, st.tuples(commands() | mutated() | soup() | any_text()))
TOTAL = Suite(laws.any_string_gets_a_key, st.tuples(any_text() | soup() | mutated()))
RESPELLING = Suite(
    laws.respelling_keeps_the_key,
    st.builds(_twins, scripts(), choices() | st.just(PLAINEST), choices()),
)
NEAR_MISS = Suite(laws.near_miss_changes_the_key, st.builds(_near, scripts(), choices(), st.integers(0, 9999)))
PRETTY_PRINT = Suite(
    laws.pretty_printer_agrees,
    st.tuples(st.builds(lambda script, spelled: render(script, spelled, quotes_only=True), scripts(), choices())),
)

SUITES = {
    "sound": SOUND,
    "one exact text": ONE_TEXT,
    "runnable": RUNNABLE,
    "fixed point": FIXED_POINT,
    "total": TOTAL,
    "respelling": RESPELLING,
    "near miss": NEAR_MISS,
    "pretty print": PRETTY_PRINT,
}
