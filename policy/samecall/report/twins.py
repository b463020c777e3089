"""Why two calls are one, in words: commands by ``callkey.explain``, other calls by the arguments that differ."""

from __future__ import annotations

from callkey import ToolCall, explain
from callkey.tools import profile_of

from ..options import ToolPolicy
from .wording import arguments_of, command_of


def explanation(again: ToolCall, earlier: ToolCall, policy: ToolPolicy) -> str:
    """Say why the policy takes ``again`` for ``earlier``. The sentence may hold pieces of both: mask it.

    >>> explanation(ToolCall("bash", {"command": "ls '-l'"}), ToolCall("bash", {"command": "ls -l"}), ToolPolicy())
    'The same: they differ only in quotes, blanks and the like.'
    """
    if again.name == earlier.name and _equal(again.input, earlier.input):
        return "The same: the tool and all arguments are equal."
    if policy.tool_call_key not in ("normalized", "exact"):
        return "The key of the policy makes them one."
    first, second = command_of(earlier), command_of(again)
    if first is not None and second is not None and first != second:
        return explain(first, second).sentence
    names = _different(earlier, again)
    if not names:
        return "The same: they differ only in how their JSON is written."
    return f"The same work: they differ only in {', '.join(names)}, {_role(again, names)}."


def _equal(one: object, other: object) -> bool:
    try:
        return one == other
    except RecursionError:
        return False


def _different(one: ToolCall, other: ToolCall) -> list[str]:
    left, right = arguments_of(one), arguments_of(other)
    absent = object()
    return sorted(name for name in {*left, *right} if not _equal(left.get(name, absent), right.get(name, absent)))


def _role(call: ToolCall, names: list[str]) -> str:
    profile = profile_of(call)
    if profile is not None and set(names) <= profile.remarks:
        return "which changes nothing" if len(names) == 1 else "which change nothing"
    return "written in another way"
