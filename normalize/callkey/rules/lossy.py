"""The rules that declare a loss, in the order in which they are tried. Few commands need them, so they load late."""

from __future__ import annotations

from ..request import Request
from ..syntax import Script
from . import EXACT_RULES, Rule, rule
from .drop_views import drop_views
from .requests import REQUEST_RULES

LOSSY_RULES: tuple[Rule, ...] = (
    *(rule(Request, apply) for apply in REQUEST_RULES),
    rule(Script, drop_views),
)
"""They turn the ``exact`` text into the ``text`` that makes the key."""

RULES: tuple[Rule, ...] = (*EXACT_RULES, *LOSSY_RULES)
"""All of them: what ``canonicalize`` uses where it is given no others."""
