"""ToolPolicy takes both spellings, and refuses what can never have an effect with a message that names the option."""

import copy
import pickle
from typing import Any

import pytest
from samecall import PolicyError, SamecallError, ToolPolicy

BOTH = [
    ("max_tool_calls", "maxToolCalls", 6),
    ("max_tool_calls_per_session", "maxToolCallsPerSession", 60),
    ("tool_limits", "toolLimits", {"bash": 3}),
    ("dedupe_tool_calls", "dedupeToolCalls", True),
    ("tool_call_key", "toolCallKey", "exact"),
    ("effects", "effects", {"get_*": "read"}),
    ("exempt_tools", "exemptTools", ("think",)),
    ("on_store_error", "onStoreError", "open"),
]
BOTH_WITH_DEDUPE = [
    ("on_duplicate_tool_call", "onDuplicateToolCall", "warn"),
    ("dedupe_scope", "dedupeScope", "session"),
    ("view_changes", "viewChanges", "distinct"),
    ("duplicate_ttl", "duplicateTtl", 30.5),
    ("invalidate", "invalidate", False),
    ("retry_failures", "retryFailures", None),
    ("poll_limit", "pollLimit", 5),
    ("max_rejections", "maxRejections", 0),
]


def _policy(**options: Any) -> ToolPolicy:
    return ToolPolicy(**options)


@pytest.mark.parametrize(("snake", "camel", "value"), BOTH + BOTH_WITH_DEDUPE)
def test_every_option_has_two_spellings(snake: str, camel: str, value: object) -> None:
    base = {} if snake == "dedupe_tool_calls" else {"dedupe_tool_calls": True}
    first, second = _policy(**base, **{snake: value}), _policy(**base, **{camel: value})
    assert first == second
    assert getattr(first, snake) == value
    assert first != _policy(**base)


def test_the_tables_above_name_every_option() -> None:
    assert {snake for snake, _, _ in BOTH + BOTH_WITH_DEDUPE} == set(ToolPolicy.__dataclass_fields__)


def test_the_example_of_the_documentation_works() -> None:
    policy = ToolPolicy(maxToolCalls=6, dedupeToolCalls=True, toolCallKey="normalized", onDuplicateToolCall="reject")
    assert policy.max_tool_calls == 6


def test_json_goes_in_and_out() -> None:
    policy = _policy(maxToolCalls=6, dedupeToolCalls=True, toolLimits={"bash": 2}, exemptTools=["a", "b"])
    assert _policy(**policy.to_json()) == policy


def test_a_callable_key_is_named_in_json() -> None:
    assert ToolPolicy(toolCallKey=lambda call: call.name).to_json()["toolCallKey"] == "<callable>"


def test_a_policy_does_not_change_with_what_it_was_made_from() -> None:
    limits = {"bash": 1}
    policy = ToolPolicy(toolLimits=limits)
    limits["bash"] = 2
    assert policy.tool_limits == {"bash": 1}


def test_a_policy_can_be_copied_and_sent_to_another_process() -> None:
    policy = ToolPolicy(maxToolCalls=6, toolLimits={"bash": 2})
    assert pickle.loads(pickle.dumps(policy)) == copy.deepcopy(policy) == policy  # noqa: S301 - our own bytes


REFUSED = [
    ({"maxToolCall": 6}, "maxToolCall", "did you mean maxToolCalls"),
    ({"max_tool_calls": 6, "maxToolCalls": 6}, "maxToolCalls", "given twice"),
    ({"maxToolCalls": -1}, "maxToolCalls", "from 0"),
    ({"maxToolCalls": True}, "maxToolCalls", "whole number"),
    ({"maxToolCalls": 2.0}, "maxToolCalls", "whole number"),
    ({"maxToolCalls": "6"}, "maxToolCalls", "whole number"),
    ({"max_tool_calls": 9, "max_tool_calls_per_session": 6}, "max_tool_calls", "cannot be reached"),
    ({"maxToolCalls": 2, "toolLimits": {"bash": 3}}, "toolLimits", "cannot be reached"),
    ({"toolLimits": {"think": 3}}, "toolLimits", "exempt_tools"),
    ({"toolLimits": {"ls": 1, "bash": None}}, "toolLimits", "bash: must be a whole number from 0"),
    ({"toolLimits": {1: 1}}, "toolLimits", "mapping"),
    ({"toolLimits": [("bash", 1)]}, "toolLimits", "mapping"),
    ({"dedupeToolCalls": 1}, "dedupeToolCalls", "True or False"),
    ({"toolCallKey": 3}, "toolCallKey", "name of a key"),
    ({"onDuplicateToolCall": "refuse", "dedupeToolCalls": True}, "onDuplicateToolCall", '"reject" or "warn"'),
    ({"onDuplicateToolCall": "warn"}, "onDuplicateToolCall", "dedupe_tool_calls"),
    ({"dedupeScope": "session"}, "dedupeScope", "dedupe_tool_calls"),
    ({"viewChanges": "distinct"}, "viewChanges", "dedupe_tool_calls"),
    ({"duplicateTtl": 5}, "duplicateTtl", "dedupe_tool_calls"),
    ({"duplicateTtl": 0, "dedupeToolCalls": True}, "duplicateTtl", "above 0"),
    ({"duplicateTtl": float("nan"), "dedupeToolCalls": True}, "duplicateTtl", "above 0"),
    ({"dedupeScope": "run", "dedupeToolCalls": True}, "dedupeScope", '"turn" or "session"'),
    ({"effects": {"y": "read", "x": "reads"}}, "effects", 'x: must be "read"'),
    ({"effects": {"x": ["read"]}}, "effects", 'x: must be "read"'),
    ({"effects": "read"}, "effects", "mapping"),
    ({"foo": 1}, "foo", "there are max_tool_calls, "),
    ({"invalidate": False}, "invalidate", "dedupe_tool_calls"),
    ({"retryFailures": 3}, "retryFailures", "dedupe_tool_calls"),
    ({"pollLimit": 0}, "pollLimit", "dedupe_tool_calls"),
    ({"maxRejections": 3}, "maxRejections", "without a limit or dedupe_tool_calls"),
    ({"exemptTools": "think"}, "exemptTools", "list"),
    ({"exemptTools": [1]}, "exemptTools", "list"),
    ({"onStoreError": "ignore"}, "onStoreError", '"closed" or "open"'),
    ({"retryFailures": -1}, "retryFailures", "from 0"),
]


@pytest.mark.parametrize(("options", "name", "words"), REFUSED)
def test_a_setting_that_cannot_be_meant_is_refused_by_name(options: dict[str, Any], name: str, words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        _policy(**options)
    assert caught.value.option == name
    assert str(caught.value).startswith(f"{name}: ")
    assert words in str(caught.value)
    assert isinstance(caught.value, SamecallError)


def test_a_default_may_be_spelled_out() -> None:
    assert ToolPolicy(onDuplicateToolCall="reject", dedupeScope="turn", duplicateTtl=None) == ToolPolicy()
    assert ToolPolicy(**ToolPolicy().to_json()) == ToolPolicy()  # type: ignore[arg-type]  # JSON


@pytest.mark.parametrize(
    ("options", "enforces"),
    [
        ({}, False),
        ({"effects": {"x": "read"}, "toolCallKey": "exact", "exemptTools": ["x"]}, False),
        ({"dedupeToolCalls": True, "onDuplicateToolCall": "allow"}, False),
        ({"dedupeToolCalls": True}, True),
        ({"maxToolCalls": 0}, True),
        ({"maxToolCallsPerSession": 1}, True),
        ({"toolLimits": {"bash": 1}}, True),
    ],
)
def test_a_policy_knows_whether_it_enforces_anything(options: dict[str, Any], enforces: object) -> None:
    assert _policy(**options).enforces is enforces


def test_what_tools_declare_gives_way_to_what_the_user_says() -> None:
    policy = ToolPolicy(maxToolCalls=6, effects={"get_*": "read"})
    told = policy.with_effects({"get_it": "write", "send": "write"})
    assert told.effects == {"get_*": "read", "send": "write"}
    assert told.max_tool_calls == 6
    assert policy.with_effects({"get_it": "write"}) is policy
