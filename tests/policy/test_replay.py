"""A recorded session through a gate, and whether a refusal would have lost anything."""

import json
from pathlib import Path
from typing import Any

import pytest
from callkey import ToolCall
from samecall import Event, ToolPolicy
from samecall.recordings import RecordedCall, Recording, Turn, read
from samecall.replay import replay, total

EXAMPLE = Path(__file__).parents[2] / "benchmarks" / "sessions" / "defamation.json"


def _recording(*calls: tuple[str, str | None], batches: bool = True) -> Recording:
    recorded = [
        RecordedCall(ToolCall("bash", {"command": command}, f"c{n}"), "succeeded" if result else "unknown", result)
        for n, (command, result) in enumerate(calls)
    ]
    return Recording(
        "test", "s", (Turn(tuple((call,) for call in recorded) if batches else (tuple(recorded),), "bye"),)
    )


def _policy(**options: Any) -> ToolPolicy:
    given: dict[str, Any] = {"dedupeToolCalls": True, "effects": {"*": "read"}} | options
    return ToolPolicy(**given)


def test_a_refused_call_is_compared_with_the_earlier_one() -> None:
    recording = _recording(("ls", "a"), ("ls", "a"), ("ls", "b"), ("pwd", "/"))
    rows = list(replay(recording, _policy()))
    assert [(row.verdict, row.decision.duplicate_of, row.result) for row in rows] == [
        ("run", None, None), ("reject", 1, "same"), ("reject", 1, "other"), ("run", None, None),
    ]  # fmt: skip
    found = total(rows)
    assert (found.calls, found.run, found.refused, found.same_result, found.other_result) == (4, 2, 2, 1, 1)
    assert found.reasons == (("duplicate_tool_call", 2),)


def test_another_view_is_told_apart_from_another_result() -> None:
    read_it = "curl -s https://h.example/j"
    recording = _recording((f"{read_it} | jq .a", "1"), (f"{read_it} | jq .b", "2"))
    assert [row.result for row in replay(recording, _policy())] == [None, "view"]


def test_a_result_that_was_not_recorded_is_not_known() -> None:
    rows = list(replay(_recording(("ls", "a"), ("ls", None)), _policy()))
    assert rows[1].result == "unknown"


def test_a_budget_names_no_earlier_call() -> None:
    rows = list(replay(_recording(("ls", "a"), ("ls", "a")), ToolPolicy(maxToolCalls=1)))
    assert [(row.verdict, row.reason, row.result) for row in rows] == [
        ("run", None, None), ("reject", "max_tool_calls", None),
    ]  # fmt: skip


def test_copies_in_a_batch_are_answered_with_the_first_ones_result_under_reuse() -> None:
    rows = list(replay(_recording(("ls", "a"), ("ls", "a"), batches=False), _policy(onDuplicateToolCall="reuse")))
    assert [(row.verdict, row.result) for row in rows] == [("run", None), ("reuse", "same")]


def test_the_events_end_with_the_turn_and_its_text() -> None:
    events: list[Event] = []
    list(replay(_recording(("ls", "a")), ToolPolicy(), on_event=events.append))
    assert [event.type for event in events] == ["turn_started", "tool_call_started", "tool_call_finished", "turn"]
    assert events[-1].type == "turn"
    assert getattr(events[-1], "text", None) == "bye"


def test_the_example_of_the_readme() -> None:
    (recording,) = read(EXAMPLE)
    turns = tuple(recording.turns)
    recording = Recording(recording.format, recording.session, turns)
    rows = list(replay(recording, ToolPolicy(maxToolCalls=6, dedupeToolCalls=True)))
    found = {row.recorded.call.id: (row.verdict, row.reason, row.decision.duplicate_of, row.result) for row in rows}
    assert found == {
        "c1": ("run", None, None, None),
        "c2": ("run", None, None, None),
        "c3": ("reject", "duplicate_tool_call", 1, "same"),
        "c4": ("reject", "duplicate_tool_call", 2, "view"),
        "c5": ("run", None, None, None),
        "c6": ("reject", "duplicate_tool_call", 1, "view"),
        "c7": ("run", None, None, None),
        "c8": ("run", None, None, None),
        "c9": ("reject", "duplicate_tool_call", 2, "view"),
        "c10": ("run", None, None, None),
        "c11": ("reject", "max_tool_calls", None, None),
    }
    assert turns[0].text.startswith("Yes.")


def test_the_example_is_what_an_openai_client_would_send() -> None:
    messages = json.loads(EXAMPLE.read_text(encoding="utf-8"))["messages"]
    asked = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert sorted(asked) == sorted(answered)


@pytest.mark.parametrize("answer", ["reject", "warn", "allow", "reuse"])
def test_every_call_gets_one_row_under_every_answer(answer: str) -> None:
    recording = _recording(*[("ls", "a")] * 5)
    rows = list(replay(recording, _policy(onDuplicateToolCall=answer)))
    assert [row.decision.ordinal for row in rows] == [1, 2, 3, 4, 5]
