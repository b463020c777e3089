"""The policies that a comparison sets side by side, from one set of options."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from typing import cast

from callkey import ToolCall

from .decisions import Outcome
from .options import PolicyOptions, ToolPolicy


@dataclass(frozen=True, slots=True)
class Contender:
    """A policy under its name. ``settled_as``: how every call that ran counts as having ended (``None``: as it did)."""

    name: str
    policy: ToolPolicy
    settled_as: Outcome | None = None


def contenders(options: PolicyOptions) -> tuple[Contender, ...]:
    """Return the contenders, all with the limits that ``options`` sets; what it says of duplicates holds for ours.

    >>> [contender.name for contender in contenders({"max_tool_calls": 6})]
    ['off', 'exact', 'normalized', 'normalized, no invalidation', 'graff']
    """
    off: PolicyOptions = _only(options, *_LIMITS, "exempt_tools")
    off["tool_call_key"] = "exact"  # nobody compares these keys: cheap ones
    exact: PolicyOptions = {**options, "dedupe_tool_calls": True, "tool_call_key": "exact"}
    normalized: PolicyOptions = {**exact, "tool_call_key": "normalized"}
    stale: PolicyOptions = {**normalized, "invalidate": False}
    return (
        Contender("off", ToolPolicy(**off)),
        Contender("exact", ToolPolicy(**exact)),
        Contender("normalized", ToolPolicy(**normalized)),
        Contender("normalized, no invalidation", ToolPolicy(**stale)),
        _graff(options),
    )


_LIMITS = ("max_tool_calls", "max_tool_calls_per_session", "tool_limits")


def _only(options: PolicyOptions, *names: str) -> PolicyOptions:
    return cast("PolicyOptions", {name: value for name, value in options.items() if name in names})


def _graff(options: PolicyOptions) -> Contender:
    """Return the rule of graff (https://github.com/justrach/codegraff, ``rejectToolCall`` in ``src/agent_tools.zig``).

    The second call with one key in a user's turn is refused, however the first one ended and whatever ran in between;
    only ``attempt_completion`` is free. There, subagents are not held to it; here, each session is.
    """
    rule: PolicyOptions = {
        **_only(options, *_LIMITS),
        "dedupe_tool_calls": True,
        "tool_call_key": graff_key,
        "invalidate": False,
        "effects": {"*": "read"},  # nothing is a poll, and nothing makes a result stale
        "exempt_tools": ("attempt_completion",),
        "max_rejections": None,
    }
    return Contender("graff", ToolPolicy(**rule), settled_as="succeeded")


_LOWER = str.maketrans(
    string.ascii_uppercase + string.whitespace, string.ascii_lowercase + " " * len(string.whitespace)
)


def graff_key(call: ToolCall) -> str:
    r"""Return a call's key as ``toolDedupeKey`` in that file makes it: its JSON in small letters, order kept.

    >>> graff_key(ToolCall("bash", {"command": "git log -S x"}))
    'bash {"command":"git log -s x"}'
    """
    written = json.dumps(call.input, ensure_ascii=False, separators=(",", ":"), default=repr)
    return f"{call.name}\n{written}".translate(_LOWER)
