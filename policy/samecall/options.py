"""ToolPolicy: every setting of the gate, snake_case in Python and camelCase in JSON, both accepted."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypedDict, Unpack, cast, get_args

from callkey import ToolCall

from .errors import PolicyError

OnDuplicate: TypeAlias = Literal["reject", "warn", "allow", "reuse"]
Scope: TypeAlias = Literal["turn", "session"]
ViewChanges: TypeAlias = Literal["duplicate", "distinct"]
EffectKind: TypeAlias = Literal["read", "write", "volatile"]
OnStoreError: TypeAlias = Literal["closed", "open"]
ToolCallKey: TypeAlias = str | Callable[[ToolCall], str | bytes | None]

EXEMPT_TOOLS = (
    "attempt_completion", "complete_task", "task_complete", "submit", "finish", "final_answer", "done",
    "think", "sequentialthinking",
    "todo_write", "todo_read", "TodoWrite", "TodoRead", "update_plan", "update_todo_list",
    "ask_user", "ask_followup_question", "AskUserQuestion", "exit_plan_mode", "ExitPlanMode", "EnterPlanMode",
)  # fmt: skip
"""Tools that end, plan or ask: they gather nothing, so they are free and transparent to every rule."""


class PolicyOptions(TypedDict, total=False):
    """What ``ToolPolicy`` takes: each option in either spelling."""

    max_tool_calls: int | None
    maxToolCalls: int | None
    max_tool_calls_per_session: int | None
    maxToolCallsPerSession: int | None
    tool_limits: Mapping[str, int]
    toolLimits: Mapping[str, int]
    dedupe_tool_calls: bool
    dedupeToolCalls: bool
    tool_call_key: ToolCallKey
    toolCallKey: ToolCallKey
    on_duplicate_tool_call: OnDuplicate
    onDuplicateToolCall: OnDuplicate
    dedupe_scope: Scope
    dedupeScope: Scope
    view_changes: ViewChanges
    viewChanges: ViewChanges
    invalidate: bool
    effects: Mapping[str, EffectKind]
    retry_failures: int | None
    retryFailures: int | None
    poll_limit: int | None
    pollLimit: int | None
    max_rejections: int | None
    maxRejections: int | None
    exempt_tools: tuple[str, ...] | list[str]
    exemptTools: tuple[str, ...] | list[str]
    duplicate_ttl: float | None
    duplicateTtl: float | None
    on_store_error: OnStoreError
    onStoreError: OnStoreError


@dataclass(frozen=True, slots=True, init=False)
class ToolPolicy:
    """What the gate allows. ``0`` means none, ``None`` means no limit, everywhere.

    Raises ``PolicyError`` for an option that is unknown, out of range, unreachable or without effect.

    >>> ToolPolicy(maxToolCalls=6) == ToolPolicy(max_tool_calls=6)
    True
    """

    max_tool_calls: int | None = None
    """Executed calls in one turn."""
    max_tool_calls_per_session: int | None = None
    """Executed calls in the session."""
    tool_limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """Executed calls in one turn, per tool name (shell-style globs)."""
    dedupe_tool_calls: bool = False
    """Look for calls that repeat earlier ones."""
    tool_call_key: ToolCallKey = "normalized"
    """``"exact"``, ``"normalized"``, a registered name, or a callable; ``None`` from it: never a duplicate."""
    on_duplicate_tool_call: OnDuplicate = "reject"
    """``reject``, ``warn`` (runs, and says so), ``allow`` (runs, counted) or ``reuse`` (gives the earlier result)."""
    dedupe_scope: Scope = "turn"
    """How far back an earlier call counts."""
    view_changes: ViewChanges = "duplicate"
    """Whether the same work shown through another filter is a duplicate."""
    invalidate: bool = True
    """A call that may have changed something makes older results stale."""
    effects: Mapping[str, EffectKind] = field(default_factory=dict[str, EffectKind])
    """Tool name (glob) to what its calls do, overriding what is inferred."""
    retry_failures: int | None = 2
    """How often a failed call may be repeated while nothing changed."""
    poll_limit: int | None = 20
    """How often a volatile call may be repeated unbroken with an unchanged result."""
    max_rejections: int | None = 10
    """Refusals in one turn after which decisions say ``stop``."""
    exempt_tools: tuple[str, ...] = EXEMPT_TOOLS
    """Tool names (globs) that are never counted and never duplicates."""
    duplicate_ttl: float | None = None
    """Seconds after which a result is stale."""
    on_store_error: OnStoreError = "closed"
    """What happens when the store cannot be reached: refuse (``closed``) or run (``open``)."""

    def __init__(self, **options: Unpack[PolicyOptions]) -> None:
        """Take each option in one of its two spellings."""
        given = _read(dict(options))
        for option in fields(type(self)):
            fresh = option.default_factory() if option.default_factory is not MISSING else option.default
            object.__setattr__(self, option.name, given.get(option.name, (option.name, fresh))[1])
        for name, (spelling, _) in given.items():
            _check(self, name, spelling)
        _check_together(self, {name: spelling for name, (spelling, _) in given.items()})

    def to_json(self) -> dict[str, object]:
        """Return the settings in camelCase; a callable key stands as ``"<callable>"``."""
        values = {_camel(option.name): getattr(self, option.name) for option in fields(self)}
        if callable(self.tool_call_key):
            values["toolCallKey"] = "<callable>"
        return {
            name: list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    @property
    def enforces(self) -> bool:
        """Whether any call could ever be refused, warned of or answered with an earlier result.

        >>> ToolPolicy().enforces, ToolPolicy(maxToolCalls=6).enforces
        (False, True)
        """
        limited = self.max_tool_calls is not None or self.max_tool_calls_per_session is not None or self.tool_limits
        return bool(limited) or (self.dedupe_tool_calls and self.on_duplicate_tool_call != "allow")

    def with_budget(self, calls: int | None) -> ToolPolicy:
        """Return the same policy with another ``max_tool_calls``."""
        return self._with("max_tool_calls", calls)

    def with_effects(self, declared: Mapping[str, EffectKind]) -> ToolPolicy:
        """Return the same policy with what tools declare of themselves, where ``effects`` says nothing of them.

        >>> ToolPolicy(effects={"get_*": "read"}).with_effects({"get_it": "write", "send": "write"}).effects
        {'get_*': 'read', 'send': 'write'}
        """
        news = {name: kind for name, kind in declared.items() if self.effect_of(name) is None}
        return self._with("effects", {**self.effects, **news}) if news else self

    def _with(self, name: str, value: object) -> ToolPolicy:
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        return ToolPolicy(**cast("PolicyOptions", values | {name: value}))

    def exempts(self, name: str) -> bool:
        """Say whether calls of this tool are free."""
        return bool(_matching(self.exempt_tools, name))

    def limits_of(self, name: str) -> tuple[str, ...]:
        """Return the patterns of ``tool_limits`` that a tool's calls count against."""
        return _matching(tuple(self.tool_limits), name)

    def effect_of(self, name: str) -> EffectKind | None:
        """Return the declared effect of a tool, the first pattern that matches; ``None`` if none does."""
        found = _matching(tuple(self.effects), name)
        return self.effects[found[0]] if found else None


@lru_cache(maxsize=1024)
def _matching(patterns: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Return the patterns that match a tool's name. A session has few tools and asks for each of its calls."""
    return tuple(pattern for pattern in patterns if fnmatchcase(name, pattern))


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _read(options: Mapping[str, object]) -> dict[str, tuple[str, Any]]:
    """Return snake_case name -> (the caller's spelling, the value, copied where it could change later)."""
    names = {spelling: option.name for option in fields(ToolPolicy) for spelling in (option.name, _camel(option.name))}
    given: dict[str, tuple[str, Any]] = {}
    for spelling, value in options.items():
        name = names.get(spelling)
        if name is None:
            near = difflib.get_close_matches(spelling, names, n=1)
            hint = f"did you mean {near[0]}?" if near else "there are " + ", ".join(_CHECKS)
            raise PolicyError(spelling, f"no such option; {hint}")
        if name in given:
            raise PolicyError(spelling, f"given twice, also as {given[name][0]}")
        given[name] = (spelling, _copied(value))
    return given


def _copied(value: object) -> object:
    match value:
        case Mapping():
            return dict(cast("Mapping[object, object]", value))
        case list():
            return tuple(cast("list[object]", value))
        case _:
            return value


_MOST = 2**31 - 1
"""Of any count; the books have four bytes for one."""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _all_text(values: object) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, str) for value in cast("tuple[object, ...]", values))


_Check: TypeAlias = tuple[Callable[[Any], bool], str]
_COUNT: _Check = (
    lambda value: value is None or _is_count(value),
    f"a whole number from 0 (none) to {_MOST}, or None (no limit)",
)
_FLAG: _Check = (lambda value: isinstance(value, bool), "True or False")


def _one_of(alias: object) -> _Check:
    choices = get_args(alias)
    return (lambda value: isinstance(value, str) and value in choices, " or ".join(f'"{choice}"' for choice in choices))


def _mapping_to(values: str) -> _Check:
    def accepts(value: object) -> bool:
        return isinstance(value, dict) and all(isinstance(name, str) for name in cast("dict[object, object]", value))

    return accepts, f"a mapping of tool names to {values}"


_CHECKS: dict[str, _Check] = {
    "max_tool_calls": _COUNT,
    "max_tool_calls_per_session": _COUNT,
    "tool_limits": _mapping_to("whole numbers from 0"),
    "dedupe_tool_calls": _FLAG,
    "tool_call_key": (lambda value: isinstance(value, str) or callable(value), "the name of a key, or a callable"),
    "on_duplicate_tool_call": _one_of(OnDuplicate),
    "dedupe_scope": _one_of(Scope),
    "view_changes": _one_of(ViewChanges),
    "invalidate": _FLAG,
    "effects": _mapping_to("effects"),
    "retry_failures": _COUNT,
    "poll_limit": _COUNT,
    "max_rejections": _COUNT,
    "exempt_tools": (_all_text, "a list of tool names"),
    "duplicate_ttl": (lambda value: value is None or _is_seconds(value), "seconds above 0, or None"),
    "on_store_error": _one_of(OnStoreError),
}
_ENTRIES: dict[str, _Check] = {
    "tool_limits": (_is_count, f"a whole number from 0 to {_MOST}"),
    "effects": _one_of(EffectKind),
}
"""What each entry of a mapping must be."""


def _check(policy: ToolPolicy, name: str, spelling: str) -> None:
    value = getattr(policy, name)
    accepts, expected = _CHECKS[name]
    if not accepts(value):
        raise PolicyError(spelling, f"must be {expected}")
    if name in _ENTRIES:
        accepts, expected = _ENTRIES[name]
        for tool, entry in cast("dict[str, object]", value).items():
            if not accepts(entry):
                raise PolicyError(spelling, f"{tool}: must be {expected}")


_Need: TypeAlias = tuple[Callable[[ToolPolicy], bool], str]
_DEDUPE: _Need = (lambda policy: policy.dedupe_tool_calls, "unless dedupe_tool_calls is on")
_NEEDS: dict[str, _Need] = {
    "on_duplicate_tool_call": _DEDUPE,
    "dedupe_scope": _DEDUPE,
    "view_changes": _DEDUPE,
    "invalidate": _DEDUPE,
    "retry_failures": _DEDUPE,
    "poll_limit": _DEDUPE,
    "duplicate_ttl": _DEDUPE,
    "max_rejections": (
        lambda policy: policy.enforces or policy.dedupe_tool_calls,
        "without a limit or dedupe_tool_calls",
    ),
}
"""Options that do something only together with others.

``tool_call_key`` and ``effects`` are none of them: events carry the key, and a harness runs readers side by side.
"""


def _check_together(policy: ToolPolicy, given: Mapping[str, str]) -> None:
    """Refuse what could never have an effect: a silent setting is a promise that is not kept."""
    defaults = {option.name: option.default for option in fields(policy)}
    for name, (met, words) in _NEEDS.items():
        # The default, and no limit, ask for nothing.
        if name in given and getattr(policy, name) not in {defaults[name], None} and not met(policy):
            raise PolicyError(given[name], f"has no effect {words}")
    total, turn = policy.max_tool_calls_per_session, policy.max_tool_calls
    if total is not None and turn is not None and turn > total:
        raise PolicyError(given["max_tool_calls"], f"cannot be reached: max_tool_calls_per_session is {total}")
    for tool, limit in policy.tool_limits.items():
        spelling = given["tool_limits"]
        if turn is not None and limit > turn:
            raise PolicyError(spelling, f"{tool}: {limit} cannot be reached: max_tool_calls is {turn}")
        if policy.exempts(tool):
            raise PolicyError(spelling, f"{tool} is in exempt_tools, so it is never counted")
    if "tool_call_key" in given and isinstance(policy.tool_call_key, str):
        from callkey import CallkeyError, key  # noqa: PLC0415 - a policy alone needs no grammar

        try:
            key(ToolCall("", {}), policy.tool_call_key)
        except CallkeyError as error:
            raise PolicyError(given["tool_call_key"], str(error)) from None
