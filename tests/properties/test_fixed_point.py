"""Law 3: canonical text is its own canonical text."""

from __future__ import annotations

from typing import Any

from callkey import canonicalize
from hypothesis import given

from .suites import FIXED_POINT


class TestFixedPoint:
    """``canonicalize(exact).exact == exact``, and the same for ``text``."""

    @given(FIXED_POINT.arguments)
    def test_a_second_round_changes_nothing(self, arguments: tuple[Any, ...]) -> None:
        """Canonicalize what came out."""
        FIXED_POINT.law(canonicalize, *arguments)
