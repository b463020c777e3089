"""Canonical keys for tool calls: calls that do the same work share a key, calls that differ never do."""

from .canonical import Canonical, Explanation, canonicalize, explain
from .effects import Effect, effects, tool_effect
from .errors import CallkeyError, ParseError, UnknownStrategyError, UnsupportedSyntaxError
from .keys import KEY_VERSION, Key, KeyStrategy, check_strategy, key, register_strategy
from .rules import Rule
from .tools import PROFILES, Profile, ToolCall

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
