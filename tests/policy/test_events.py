"""The shapes that other programs read, to the letter, with additions only."""

import json
from typing import Any

import pytest
from callkey import ToolCall
from jsonschema import Draft202012Validator, ValidationError
from samecall import (
    Event,
    Execute,
    Reject,
    ToolCallGate,
    ToolPolicy,
    schema,
    to_json,
    tool_result,
)

VALIDATOR = Draft202012Validator(schema())
EVERY_READ = {"*": "read"}


def _play(policy: ToolPolicy, commands: list[str]) -> tuple[list[dict[str, Any]], list[Reject]]:
    events: list[Event] = []
    gate = ToolCallGate(policy, on_event=events.append)
    refused: list[Reject] = []
    for number, command in enumerate(commands):
        call = ToolCall("bash", {"command": command}, f"c{number}")
        (decision,) = gate.admit([call])
        if isinstance(decision, Execute):
            gate.settle(call, "succeeded", "text")
        elif isinstance(decision, Reject):
            refused.append(decision)
    gate.finish_turn("the answer")
    found = [json.loads(json.dumps(to_json(event))) for event in events]
    for event in found:
        VALIDATOR.validate(event)
    return found, refused


def test_the_refusal_of_a_spent_budget() -> None:
    events, refused = _play(ToolPolicy(maxToolCalls=6), [f"ls {number}" for number in range(7)])
    (rejected,) = [event for event in events if event["type"] == "tool_rejected"]
    shape = {"type": "tool_rejected", "reason": "max_tool_calls", "limit": 6, "tool_call_count": 6}
    assert rejected | shape == rejected
    assert list(rejected)[:4] == list(shape)
    assert tool_result(refused[0], "bash") == {
        "type": "tool_result",
        "name": "bash",
        "error": True,
        "content": "Tool-call budget exhausted: 6/6. Write the best answer from gathered sources.",
    }


def test_the_refusal_of_a_duplicate() -> None:
    policy = ToolPolicy(dedupeToolCalls=True, toolCallKey="exact", effects={"*": "read"})
    events, refused = _play(policy, ["cat a", "cat b", "cat c", "cat c"])
    (rejected,) = [event for event in events if event["type"] == "tool_rejected"]
    shape: dict[str, Any] = {
        "type": "tool_rejected",
        "reason": "duplicate_tool_call",
        "duplicate_of": 3,
        "message": "Duplicate tool call suppressed; use the previous result.",
    }
    assert rejected | shape == rejected
    assert list(rejected)[:4] == list(shape)
    assert refused[0].message.startswith(shape["message"])


def test_every_event_says_where_it_belongs_and_what_was_counted() -> None:
    events, _ = _play(ToolPolicy(maxToolCalls=1), ["ls", "pwd"])
    assert [event["type"] for event in events] == [
        "turn_started", "tool_call_started", "tool_call_finished", "tool_rejected", "turn",
    ]  # fmt: skip
    for event in events:
        assert {"v", "ts", "session_id", "turn"} <= set(event)
    for event in events[1:4]:
        assert {"call_id", "name", "key", "counts", "executed", "ordinal"} <= set(event)
        assert len(event["key"]["digest"]) == 32
    assert [event["executed"] for event in events[1:4]] == ["unknown", True, False]
    assert events[-1] | {"text": "the answer", "complete": True, "turn": 1} == events[-1]


def test_the_schema_refuses_what_is_no_event() -> None:
    for wrong in ({}, {"type": "tool_rejected"}, {"type": "other", "v": 1}):
        with pytest.raises(ValidationError):
            VALIDATOR.validate(wrong)


class TestSinks:
    """No event is lost when a sink fails, and the agent does not notice."""

    def test_events_wait_for_a_sink_that_fails_and_keep_their_order(self) -> None:
        taken: list[str] = []
        broken = True

        def sink(event: Event) -> None:
            if broken:
                raise OSError("no space left")
            taken.append(event.type)

        gate = ToolCallGate(ToolPolicy(), on_event=sink)
        answer = gate.run("ls", {}, lambda _: "a.txt")
        assert not answer.error
        assert [event.type for event in gate.undelivered] == ["turn_started", "tool_call_started", "tool_call_finished"]
        broken = False
        gate.finish_turn("done")
        assert taken == ["turn_started", "tool_call_started", "tool_call_finished", "turn"]
        assert gate.undelivered == ()

    def test_without_a_sink_nothing_waits(self) -> None:
        gate = ToolCallGate(ToolPolicy())
        gate.run("ls", {}, lambda _: "a.txt")
        assert gate.undelivered == ()


def test_arguments_are_shown_only_when_asked_for_and_then_without_credentials() -> None:
    events: list[Event] = []
    gate = ToolCallGate(ToolPolicy(maxToolCalls=0), on_event=events.append, include_input=True)
    gate.admit([ToolCall("bash", {"command": "curl -u ann:hunter2 https://h.example/"}, "c1")])
    shown = json.dumps(to_json(events[-1]))
    assert "https://h.example/" in shown
    assert "hunter2" not in shown
    VALIDATOR.validate(to_json(events[-1]))
