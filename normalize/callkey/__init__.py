"""Canonical keys for tool calls: calls that do the same work share a key, calls that differ never do."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

# `effects` is a module, too: the function must be there before somebody loads that.
from .effects import Effect, effects, tool_effect

if TYPE_CHECKING:
    from .canonical import Canonical, Explanation, canonicalize, explain
    from .errors import CallkeyError, ParseError, UnknownStrategyError, UnsupportedSyntaxError
    from .keys import KEY_VERSION, Key, KeyStrategy, check_strategy, key, register_strategy
    from .rules import Rule
    from .tools import PROFILES, Profile, ToolCall

# Where a name lives. Its module is loaded when somebody asks for it: naming a tool call takes none of the grammar.
_HOMES = {
    name: module
    for module, names in (
        (".canonical", "Canonical Explanation canonicalize explain"),
        (".errors", "CallkeyError ParseError UnknownStrategyError UnsupportedSyntaxError"),
        (".keys", "KEY_VERSION Key KeyStrategy check_strategy key register_strategy"),
        (".rules", "Rule"),
        (".tools", "PROFILES Profile ToolCall"),
    )
    for name in names.split()
}

__all__ = [
    "KEY_VERSION",
    "PROFILES",
    "CallkeyError",
    "Canonical",
    "Effect",
    "Explanation",
    "Key",
    "KeyStrategy",
    "ParseError",
    "Profile",
    "Rule",
    "ToolCall",
    "UnknownStrategyError",
    "UnsupportedSyntaxError",
    "canonicalize",
    "check_strategy",
    "effects",
    "explain",
    "key",
    "register_strategy",
    "tool_effect",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value
