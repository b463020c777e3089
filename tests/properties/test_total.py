"""Law 4: a key always comes back, in time that grows with the length and no faster."""

from __future__ import annotations

from typing import Any

import pytest
from callkey import Canonical, canonicalize, key
from callkey.canonical import forget_all
from hypothesis import given

from . import laws
from .soup import SHAPES, any_text, soup
from .suites import TOTAL


def fresh(command: str) -> Canonical:
    """Canonicalize without the memory of recent commands."""
    forget_all()
    return canonicalize(command)


class TestTotal:
    """Every string has a key: no exception, no recursion error, no time over a linear bound."""

    @given(TOTAL.arguments)
    def test_any_string_gets_its_forms(self, arguments: tuple[Any, ...]) -> None:
        """Canonicalize bytes, soup and broken commands."""
        TOTAL.law(canonicalize, *arguments)

    @given(any_text() | soup())
    def test_any_string_gets_a_key(self, text: str) -> None:
        """Key the same strings."""
        found = key(text)
        assert found is not None
        assert len(found.digest) == 32

    @pytest.mark.parametrize("shape", SHAPES)
    def test_calls_grow_with_the_length(self, shape: str) -> None:
        """Count the calls at n and at 2n."""
        for size in (20, 400):
            laws.steps_grow_with_length(fresh, SHAPES[shape], size)

    @pytest.mark.parametrize("shape", SHAPES)
    def test_time_grows_with_the_length(self, shape: str) -> None:
        """Compare n with 8n, generously."""
        laws.time_grows_with_length(fresh, SHAPES[shape], 1000)

    @pytest.mark.parametrize(
        "command", [SHAPES["one long word"](10**6), SHAPES["pipeline"](10**4)], ids=["word", "pipeline"]
    )
    def test_a_very_long_command_gets_its_forms(self, command: str) -> None:
        """Take a word of a megabyte and ten thousand stages."""
        laws.any_string_gets_a_key(canonicalize, command)
