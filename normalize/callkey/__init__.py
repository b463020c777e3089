"""Canonical keys for tool calls: calls that do the same work share a key, calls that differ never do."""

from .canonical import Canonical, Explanation, canonicalize, explain
from .effects import Effect, effects, tool_effect
from .errors import CallkeyError, ParseError, UnknownStrategyError, UnsupportedSyntaxError
from .keys import KEY_VERSION, Key, key
from .tools import ToolCall

__all__ = [
    "KEY_VERSION",
    "CallkeyError",
    "Canonical",
    "Effect",
    "Explanation",
    "Key",
    "ParseError",
    "ToolCall",
    "UnknownStrategyError",
    "UnsupportedSyntaxError",
    "canonicalize",
    "effects",
    "explain",
    "key",
    "tool_effect",
]
