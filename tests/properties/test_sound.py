"""Law 1: two commands with one exact text do the same."""

from __future__ import annotations

from typing import Any

from callkey import canonicalize
from hypothesis import given

from .suites import ONE_TEXT, SOUND


class TestSound:
    """A command and its exact text do the same: processes, arguments, environment, input, output, status, files."""

    @given(SOUND.arguments)
    def test_exact_text_does_what_the_command_does(self, arguments: tuple[Any, ...]) -> None:
        """Run both in every environment."""
        SOUND.law(canonicalize, *arguments)

    @given(ONE_TEXT.arguments)
    def test_commands_with_one_exact_text_do_the_same(self, arguments: tuple[Any, ...]) -> None:
        """Look for two drawn commands that meet in one text."""
        ONE_TEXT.law(canonicalize, *arguments)
