"""bash's own printer as a second parser."""

from __future__ import annotations

from typing import Any

from callkey import canonicalize
from hypothesis import given

from .suites import PRETTY_PRINT


class TestPrettyPrint:
    """``bash --pretty-print`` makes one text of a command and of its exact text, quotes aside."""

    @given(PRETTY_PRINT.arguments)
    def test_bash_prints_both_alike(self, arguments: tuple[Any, ...]) -> None:
        """Print both."""
        PRETTY_PRINT.law(canonicalize, *arguments)
