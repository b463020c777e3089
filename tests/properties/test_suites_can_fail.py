"""A wrong engine breaks every suite: the suites can fail."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from . import laws
from .soup import SHAPES
from .suites import SUITES


@dataclass(frozen=True, slots=True)
class Wrong:
    """What a wrong engine returns."""

    exact: str
    text: str
    view: str = ""
    raw: bool = False


def words_in_lower_case(command: str) -> Wrong:
    """Strip the quotes with ``shlex``, collapse blanks, ignore case: what many a harness does."""
    text = " ".join(shlex.split(command)).lower()
    return Wrong(text, text)


def letters_in_lower_case(command: str) -> Wrong:
    """Take the quotes out, collapse blanks, ignore case: never fails, always wrong."""
    text = re.sub(r"\s+", " ", re.sub(r"""['"\\]""", "", command)).strip().lower()
    return Wrong(text, text)


def quotes_changed(command: str) -> Wrong:
    """Turn quotes round; a second round turns them back."""
    text = command.translate(str.maketrans("'\"", "\"'")).replace("  ", " ")
    return Wrong(text, text)


def quadratic(command: str) -> Wrong:
    """Look at every character once for each character."""
    for _ in command:
        for character in command:
            character.isalpha()
    return Wrong(command, command)


BREAKS = dict.fromkeys(SUITES, letters_in_lower_case) | {"fixed point": quotes_changed, "total": words_in_lower_case}


@pytest.mark.parametrize("name", SUITES)
def test_a_wrong_engine_breaks_the_suite(name: str) -> None:
    suite, engine = SUITES[name], BREAKS[name]

    @settings(max_examples=2000, database=None, derandomize=True, phases=(Phase.generate,))
    @given(suite.arguments)
    def run(arguments: tuple[object, ...]) -> None:
        suite.law(engine, *arguments)

    with pytest.raises(laws.BrokenLawError):
        run()


def test_a_quadratic_engine_breaks_the_bounds() -> None:
    with pytest.raises(laws.BrokenLawError):
        laws.steps_grow_with_length(quadratic, SHAPES["words"], 100)
    with pytest.raises(laws.BrokenLawError):
        laws.time_grows_with_length(quadratic, SHAPES["words"], 200)


def test_an_engine_that_does_nothing_breaks_only_the_respellings() -> None:
    @settings(max_examples=60, database=None, derandomize=True, phases=(Phase.generate,))
    @given(st.data())
    def run(data: st.DataObject) -> None:
        for name, suite in SUITES.items():
            if name not in {"respelling", "one exact text"}:
                suite.law(lambda command: Wrong(command, command), *data.draw(suite.arguments))

    run()
