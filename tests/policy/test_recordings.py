"""Each format of recorded sessions is found from its content and read into turns of batches of calls."""

import json
from pathlib import Path
from typing import Any

import pytest
from callkey import ToolCall
from samecall import RecordingError
from samecall.recordings import Recording, Turn, parse, read

from tests.policy.recorded import LS, NAMES, OPENAI, PWD, RECORDED, TWO, lines, told

SESSIONS = Path(__file__).parents[3] / "shared" / "data" / "sessions"


def _turns(recording: Recording) -> list[Turn]:
    return list(recording.turns)


class TestOpenAIMessages:
    """A turn is a message of the user's; a batch is one of the model's."""

    @pytest.mark.parametrize(
        "document", [OPENAI, {"messages": OPENAI}, {"traj": OPENAI}], ids=["list", "object", "traj"]
    )
    def test_calls_are_grouped_and_results_found_by_id(self, document: object) -> None:
        (recording,) = parse(json.dumps(document))
        assert told(recording) == [TWO, [[("bash", LS, "unknown", None)]]]
        assert [turn.text for turn in recording.turns] == ["Nothing.", "Done."]

    def test_an_id_that_comes_again_is_another_call(self) -> None:
        (recording,) = parse(json.dumps(OPENAI))
        ids = [call.call.id for turn in recording.turns for batch in turn.batches for call in batch]
        assert len(set(ids)) == 3

    def test_a_file_may_hold_many_conversations(self) -> None:
        found = parse(json.dumps([{"traj": OPENAI, "reward": 1}, {"traj": OPENAI}]))
        assert [recording.session for recording in found] == ["1", "2"]

    def test_messages_may_come_aslines(self) -> None:
        assert told(parse(lines(*OPENAI))[0])[0] == TWO

    def test_arguments_that_are_no_json_stay_text(self) -> None:
        call = {"id": "a", "function": {"name": "bash", "arguments": "{broken"}}
        (recording,) = parse(json.dumps([{"role": "assistant", "tool_calls": [call]}]))
        assert _turns(recording)[0].batches[0][0].call == ToolCall("bash", "{broken", "a")

    def test_talk_without_calls_is_a_recording_too(self) -> None:
        assert _turns(parse(json.dumps([{"role": "user", "content": "hi"}]))[0])[0].batches == ()


def _user(content: object, **more: object) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def _assistant(message_id: str, *blocks: object, **more: object) -> dict[str, object]:
    return {"type": "assistant", "message": {"id": message_id, "role": "assistant", "content": list(blocks)}, **more}


def _use(call_id: str, given: object, name: str = "Bash") -> dict[str, object]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def _result(call_id: str, content: object, **more: object) -> dict[str, object]:
    return _user([{"type": "tool_result", "tool_use_id": call_id, "content": content, **more}])


class TestClaudeCode:
    """The subtleties of its session files."""

    def test_one_message_in_several_records_is_one_batch(self) -> None:
        (recording,) = parse(
            lines(
                _user("Look around"),
                _assistant("m1", {"type": "text", "text": "Looking."}),
                _assistant("m1", _use("t1", LS)),
                _assistant("m1", _use("t2", PWD)),
                _result("t1", "a.txt"),
                _result("t2", [{"type": "text", "text": "/srv"}]),
                _assistant("m2", _use("t3", LS)),
                _result("t3", "no such file", is_error=True),
            )
        )
        assert told(recording) == [
            [
                [("Bash", LS, "succeeded", "a.txt"), ("Bash", PWD, "succeeded", "/srv")],
                [("Bash", LS, "failed", "no such file")],
            ]
        ]

    def test_a_call_that_was_written_twice_counts_once(self) -> None:
        records = [_user("x"), _assistant("m1", _use("t1", LS)), _assistant("m1", _use("t1", LS), uuid="other")]
        assert sum(len(batch) for batch in _turns(parse(lines(*records))[0])[0].batches) == 1

    def test_what_the_user_did_not_type_is_no_turn(self) -> None:
        (recording,) = parse(
            lines(
                {"type": "summary", "summary": "s", "leafUuid": "u"},
                {"type": "some-new-kind", "payload-of-it": 1},
                _user("Caveat: the messages below were made by local commands", isMeta=True),
                _user("<command-name>/model</command-name>"),
                _user("<local-command-stdout>ok</local-command-stdout>"),
                _user("<task-notification>done</task-notification>"),
                _user("First"),
                _assistant("m1", _use("t1", LS)),
                _result("t1", "x"),
                _user([{"type": "text", "text": "[Request interrupted by user]"}]),
                _user([{"type": "text", "text": "Second"}]),
            )
        )
        assert len(_turns(recording)) == 2

    def test_a_subagent_is_a_session_of_its_own(self) -> None:
        found = parse(
            lines(
                _user("Go"),
                _assistant("m1", _use("t1", {"prompt": "x"}, "Task")),
                _user("x", isSidechain=True, agentId="a1"),
                _assistant("m2", _use("t2", LS), isSidechain=True, agentId="a1"),
                _assistant("m3", _use("t3", PWD)),
            )
        )
        names = [[call.call.id for turn in r.turns for batch in turn.batches for call in batch] for r in found]
        assert [recording.session for recording in found] == ["", "a1"]
        assert names == [["t1", "t3"], ["t2"]]

    def test_a_denial_by_the_user_is_a_denial(self) -> None:
        text = "The user doesn't want to proceed with this tool use. The tool use was rejected."
        (recording,) = parse(lines(_user("x"), _assistant("m", _use("t", LS)), _result("t", text, is_error=True)))
        assert _turns(recording)[0].batches[0][0].outcome == "denied"

    def test_half_a_line_at_the_end_is_a_session_that_was_cut_off(self) -> None:
        text = lines(_user("x"), _assistant("m", _use("t", LS))) + '\n{"type": "us'
        assert len(_turns(parse(text)[0])[0].batches) == 1


@pytest.mark.parametrize(("form", "text", "expected"), RECORDED, ids=NAMES)
def test_the_format_is_found_and_its_calls_are_read(form: str, text: str, expected: list[Any]) -> None:
    (recording,) = parse(text)
    assert recording.format == form
    assert told(recording) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("hello", "neither JSON nor JSON Lines"),
        ('{"a": 1}\nnot json\n{"b": 2}', "line 2"),
        ('{"a": 1}', "no format"),
        ("[]", "no format"),
        ("3", "no format"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_recording_says_so(text: str, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        parse(text)


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, "a\0b"):
        with pytest.raises(RecordingError):
            list(read(path))


def test_bytes_that_are_no_utf8_do_not_stop_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(json.dumps(OPENAI).encode().replace(b"What is here?", b"\xff\xfe"))
    assert told(next(read(path)))[0] == TWO


# Calls in each folder of recorded sessions, counted by hand where a folder is small.
FOLDERS = {
    "claude_code": 8,
    "claude_code_records": 18,
    "codex": 23,  # one more is written twice, under one id and name
    "forge": 70,
    "intercode": 310,
    "mini_swe_agent": 12,
    "openai_messages": 123,
    "swe_agent": 49,
}


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="the recorded sessions are not here")
@pytest.mark.parametrize("folder", FOLDERS)
def test_real_sessions_are_read(folder: str) -> None:
    found = [recording for path in sorted((SESSIONS / folder).iterdir()) for recording in read(path)]
    assert sum(len(batch) for r in found for turn in r.turns for batch in turn.batches) == FOLDERS[folder]
