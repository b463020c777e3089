"""The rules, in the order in which they are tried: the exact ones here, the others in ``lossy``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..syntax import Command, For, Pipeline, Redirect, Script
from .drop_default_descriptor import drop_default_descriptor
from .drop_double_negation import drop_double_negation
from .drop_implied_arguments import drop_implied_arguments
from .name_source import name_source
from .open_lone_group import open_lone_group
from .split_both_redirect import split_both_redirect


@dataclass(frozen=True, slots=True)
class Rule:
    """A pure function, what it is tried on, whether behaviour stays the same, and what is lost if it does not."""

    on: type
    apply: Callable[[Any], Any]
    exact: bool
    loses: str = ""

    @property
    def name(self) -> str:
        """The name that stands in the notes of a result."""
        return self.apply.__name__

    @property
    def sentence(self) -> str:
        """What the rule does: the first sentence of its docstring, without markup."""
        first = (self.apply.__doc__ or "").split("\n", 1)[0]
        return first.rstrip(".").replace("``", "`")


def rule(on: type, apply: Callable[[Any], Any]) -> Rule:
    """Take ``exact`` and ``loses`` from the module of the rule, where the reason stands beside them."""
    module = sys.modules[apply.__module__]
    return Rule(on, apply, module.exact, getattr(module, "loses", ""))


EXACT_RULES: tuple[Rule, ...] = (
    rule(Redirect, split_both_redirect),
    rule(Redirect, drop_default_descriptor),
    rule(Command, name_source),
    rule(Pipeline, drop_double_negation),
    rule(For, drop_implied_arguments),
    rule(Script, open_lone_group),
)
"""They make the ``exact`` text."""
