"""The table of respellings that the README shows."""

from __future__ import annotations

import pytest
from callkey import canonicalize
from callkey.spelling import SPELLINGS, Spelling


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.sentence)
def test_every_row_holds(spelling: Spelling) -> None:
    """The engine makes of the command what the table says."""
    assert canonicalize(spelling.command).exact == spelling.exact


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.sentence)
def test_no_row_is_a_rule(spelling: Spelling) -> None:
    """Reading and printing do it, without any rule."""
    assert canonicalize(spelling.command).notes == ("spelling",)
