"""Law 1 at the traps: what looks nearly the same and is not has another key."""

from __future__ import annotations

from typing import Any

from callkey import canonicalize
from hypothesis import given

from .suites import NEAR_MISS


class TestNearMiss:
    """One change at a trap, and a difference in bash: another key."""

    @given(NEAR_MISS.arguments)
    def test_near_misses_have_two_keys(self, arguments: tuple[Any, ...]) -> None:
        """Change one thing of a model."""
        NEAR_MISS.law(canonicalize, *arguments)
