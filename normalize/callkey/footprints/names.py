"""Builtins that set variables: which ones decides what later commands are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .facts import Usage
from .footprint import Footprint
from .usage import Reading
from .variables import is_harmless

if TYPE_CHECKING:
    from .execution import Runner

_NAME = re.compile(r"([A-Za-z_]\w*)(?:\[\w*\])?(?:\+?=|\Z)")


def set_variables(usage: Usage, reading: Reading, _: Runner) -> Footprint | None:
    """Judge ``export NAME=value`` and its like by the names."""
    for word in reading.operands:
        match = _NAME.match(word if isinstance(word, str) else word.prefix)
        if match is None or not is_harmless(match[1]):
            return None
    return usage.footprint


def evaluate(usage: Usage, reading: Reading, _: Runner) -> Footprint | None:
    """Judge ``test`` and ``let``, which expand what stands between brackets once more."""
    texts = (word if isinstance(word, str) else word.prefix for word in reading.operands)
    return None if any("$(" in text or "`" in text for text in texts) else usage.footprint
