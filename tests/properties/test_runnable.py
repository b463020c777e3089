"""Law 2: the exact text is bash."""

from __future__ import annotations

from typing import Any

from callkey import canonicalize
from hypothesis import given

from .suites import RUNNABLE


class TestRunnable:
    """Where bash reads the command, it reads the exact text."""

    @given(RUNNABLE.arguments)
    def test_bash_reads_the_exact_text(self, arguments: tuple[Any, ...]) -> None:
        """Ask ``bash -n`` about both."""
        RUNNABLE.law(canonicalize, *arguments)
