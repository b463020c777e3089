"""The policy on a command line: one table for all commands that have a gate; hooks read it without click."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast, get_args

from ..errors import PolicyError
from ..options import EXEMPT_TOOLS, OnDuplicate, PolicyOptions, Scope, ToolPolicy, ViewChanges

Kind: TypeAlias = Literal["count", "seconds", "switch", "off", "choice", "name", "limit", "effect"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option, the field of ``ToolPolicy`` that it sets, and what its value looks like."""

    flag: str
    field: str
    kind: Kind
    help: str
    choices: tuple[str, ...] = ()


# A store of its own, in memory or in a file of ours, is all that a command has: ``on_store_error`` is not offered.
OPTIONS = (
    Option("--max-tool-calls", "max_tool_calls", "count", "Executed calls in one turn."),
    Option("--max-tool-calls-per-session", "max_tool_calls_per_session", "count", "Executed calls in the session."),
    Option("--tool-limit", "tool_limits", "limit", "Executed calls of one tool in one turn; may be repeated."),
    Option("--dedupe-tool-calls", "dedupe_tool_calls", "switch", "Look for calls that repeat earlier ones."),
    Option("--tool-call-key", "tool_call_key", "choice", "What makes two calls one.", ("exact", "normalized")),
    Option("--on-duplicate-tool-call", "on_duplicate_tool_call", "choice", "What happens to a duplicate.",
           get_args(OnDuplicate)),
    Option("--dedupe-scope", "dedupe_scope", "choice", "How far back an earlier call counts.", get_args(Scope)),
    Option("--view-changes", "view_changes", "choice", "What another view of the data is.", get_args(ViewChanges)),
    Option("--no-invalidate", "invalidate", "off", "Earlier results stay good, whatever may have changed since."),
    Option("--effect", "effects", "effect", "What a tool does: read, write or volatile; may be repeated."),
    Option("--retry-failures", "retry_failures", "count", "How often a failed call may be repeated unchanged."),
    Option("--poll-limit", "poll_limit", "count", "How often a call whose answer changes by itself may repeat."),
    Option("--max-rejections", "max_rejections", "count", "Refused calls in one turn before everything is refused."),
    Option("--exempt-tool", "exempt_tools", "name", "A tool that is free, beside those always free; may be repeated."),
    Option("--duplicate-ttl", "duplicate_ttl", "seconds", "Seconds after which an earlier result is stale."),
)  # fmt: skip

# A hook cannot answer a call with an earlier result.
HOOK_OPTIONS = tuple(
    replace(option, choices=tuple(choice for choice in option.choices if choice != "reuse")) for option in OPTIONS
)

_FLAGS = {option.field: option.flag for option in OPTIONS}


def policy(arguments: Sequence[str]) -> ToolPolicy:
    """Return the policy that a hook's arguments describe. Raises ``PolicyError``.

    A store that cannot be reached lets calls pass, for a hook never stands in the agent's way.

    >>> policy(["--max-tool-calls", "6", "--tool-limit", "WebFetch=2"]).tool_limits
    {'WebFetch': 2}
    """
    return ToolPolicy(**read(arguments, HOOK_OPTIONS) | {"on_store_error": "open"})


def read(arguments: Sequence[str], options: Sequence[Option] = OPTIONS) -> PolicyOptions:
    """Return what a policy is made of, as arguments say it. Raises ``PolicyError``, with flags for names.

    >>> read(["--dedupe-tool-calls", "--retry-failures", "none"])
    {'dedupe_tool_calls': True, 'retry_failures': None}
    """
    by_flag = {option.flag: option for option in options}
    given: dict[str, Any] = {}
    words = iter(arguments)
    for word in words:
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None:
            raise PolicyError(word, "no such option")
        if option.kind in {"switch", "off"}:
            if equals:
                raise PolicyError(flag, "takes no value")
        elif not equals:
            value = next(words, "")
        _set(given, option, value)
    if "exempt_tools" in given:
        given["exempt_tools"] = (*EXEMPT_TOOLS, *given["exempt_tools"])
    read_options = cast("PolicyOptions", given)
    try:
        ToolPolicy(**read_options)
    except PolicyError as error:
        told = re.sub(r"\w+", lambda word: _FLAGS.get(word[0], word[0]), error.message)
        raise PolicyError(_FLAGS.get(error.option, error.option), told) from None
    return read_options


def spell(values: Mapping[str, object]) -> list[str]:
    """Return the arguments that say ``values``: option name -> text, list of texts, or a switch; no value, no word.

    >>> spell({"max_tool_calls": "6", "dedupe_tool_calls": True, "tool_limits": ["Bash=3"]})
    ['--max-tool-calls', '6', '--tool-limit', 'Bash=3', '--dedupe-tool-calls']
    """
    words: list[str] = []
    for option in OPTIONS:
        match values.get(option.field):
            case bool():
                words.append(option.flag)
            case str() as value:
                words += [option.flag, value]
            case list() | tuple():
                for value in cast("Sequence[str]", values[option.field]):
                    words += [option.flag, value]
            case _:
                pass
    return words


def _set(given: dict[str, Any], option: Option, value: str) -> None:
    match option.kind:
        case "switch" | "off":
            given[option.field] = option.kind == "switch"
        case "count":
            given[option.field] = None if value == "none" else _number(option, value)
        case "seconds":
            given[option.field] = _seconds(option, value)
        case "choice":
            if value not in option.choices:
                raise PolicyError(option.flag, "must be " + " or ".join(option.choices))
            given[option.field] = value
        case "name":
            given.setdefault(option.field, []).append(value)
        case "limit" | "effect":
            name, equals, said = value.rpartition("=")
            if not equals or not name:
                raise PolicyError(option.flag, "must be TOOL=" + ("N" if option.kind == "limit" else "EFFECT"))
            given.setdefault(option.field, {})[name] = _number(option, said) if option.kind == "limit" else said


def _number(option: Option, value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise PolicyError(option.flag, f"must be a whole number from 0{', or none' if option.kind == 'count' else ''}")
    return int(value)


def _seconds(option: Option, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise PolicyError(option.flag, "must be a number of seconds") from None
