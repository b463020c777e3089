"""Each format of recorded sessions is found from its content and read into turns of batches of calls."""

import json
from pathlib import Path
from typing import Any

import pytest
from callkey import ToolCall
from samecall import RecordingError
from samecall.recordings import Recording, parse, read

SESSIONS = Path(__file__).parents[3] / "shared" / "data" / "sessions"

LS = {"command": "ls"}
PWD = {"command": "pwd"}


def _told(recording: Recording) -> list[list[list[tuple[str, object, str, str | None]]]]:
    """Return turns of batches of (tool, input, outcome, result)."""
    return [
        [[(c.call.name, c.call.input, c.outcome, c.result) for c in batch] for batch in turn.batches]
        for turn in recording.turns
    ]


def _lines(*records: object) -> str:
    return "\n".join(json.dumps(record) for record in records)


def _openai_call(call_id: str, given: object) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": json.dumps(given)}}


OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is here?"},
    {"role": "assistant", "content": None, "tool_calls": [_openai_call("a", LS), _openai_call("b", PWD)]},
    {"role": "tool", "tool_call_id": "b", "content": "/srv"},
    {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "Error: no access"}]},
    {"role": "assistant", "content": "Nothing.", "tool_calls": None},
    {"role": "user", "content": "Again."},
    {"role": "assistant", "content": "", "tool_calls": [_openai_call("a", LS)]},
    {"role": "assistant", "content": "Done."},
]
TWO = [[("bash", LS, "failed", "Error: no access"), ("bash", PWD, "succeeded", "/srv")]]


class TestOpenAIMessages:
    """A turn is a message of the user's; a batch is one of the model's."""

    @pytest.mark.parametrize(
        "document", [OPENAI, {"messages": OPENAI}, {"traj": OPENAI}], ids=["list", "object", "traj"]
    )
    def test_calls_are_grouped_and_results_found_by_id(self, document: object) -> None:
        (recording,) = parse(json.dumps(document))
        assert _told(recording) == [TWO, [[("bash", LS, "unknown", None)]]]
        assert [turn.text for turn in recording.turns] == ["Nothing.", "Done."]

    def test_an_id_that_comes_again_is_another_call(self) -> None:
        (recording,) = parse(json.dumps(OPENAI))
        ids = [call.call.id for turn in recording.turns for batch in turn.batches for call in batch]
        assert len(set(ids)) == 3

    def test_a_file_may_hold_many_conversations(self) -> None:
        found = parse(json.dumps([{"traj": OPENAI, "reward": 1}, {"traj": OPENAI}]))
        assert [recording.session for recording in found] == ["1", "2"]

    def test_messages_may_come_as_lines(self) -> None:
        assert _told(parse(_lines(*OPENAI))[0])[0] == TWO

    def test_arguments_that_are_no_json_stay_text(self) -> None:
        call = {"id": "a", "function": {"name": "bash", "arguments": "{broken"}}
        (recording,) = parse(json.dumps([{"role": "assistant", "tool_calls": [call]}]))
        assert recording.turns[0].batches[0][0].call == ToolCall("bash", "{broken", "a")

    def test_talk_without_calls_is_a_recording_too(self) -> None:
        assert parse(json.dumps([{"role": "user", "content": "hi"}]))[0].turns[0].batches == ()


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
            _lines(
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
        assert _told(recording) == [
            [
                [("Bash", LS, "succeeded", "a.txt"), ("Bash", PWD, "succeeded", "/srv")],
                [("Bash", LS, "failed", "no such file")],
            ]
        ]

    def test_a_call_that_was_written_twice_counts_once(self) -> None:
        lines = [_user("x"), _assistant("m1", _use("t1", LS)), _assistant("m1", _use("t1", LS), uuid="other")]
        assert sum(len(batch) for batch in parse(_lines(*lines))[0].turns[0].batches) == 1

    def test_what_the_user_did_not_type_is_no_turn(self) -> None:
        (recording,) = parse(
            _lines(
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
        assert len(recording.turns) == 2

    def test_a_subagent_is_a_session_of_its_own(self) -> None:
        found = parse(
            _lines(
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
        (recording,) = parse(_lines(_user("x"), _assistant("m", _use("t", LS)), _result("t", text, is_error=True)))
        assert recording.turns[0].batches[0][0].outcome == "denied"

    def test_half_a_line_at_the_end_is_a_session_that_was_cut_off(self) -> None:
        text = _lines(_user("x"), _assistant("m", _use("t", LS))) + '\n{"type": "us'
        assert len(parse(text)[0].turns[0].batches) == 1


def _item(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "t", "type": "response_item", "payload": {"type": kind, **payload}}


OTHERS: list[tuple[str, str, list[Any]]] = [
    (
        "codex",
        _lines(
            {"type": "session_meta", "payload": {"id": "s"}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "go"}},
            _item("message", role="user", content=[{"type": "input_text", "text": "injected"}]),
            _item("function_call", name="shell", arguments=json.dumps({"command": ["bash", "-lc", "ls"]}), call_id="1"),
            _item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="2"),
            _item("function_call_output", call_id="1", output="Exit code: 0\nWall time: 0.1 seconds\nOutput:\na.txt\n"),
            _item("custom_tool_call_output", call_id="2", output=[{"type": "input_text", "text": "Exit code: 1\n"}]),
        ),
        [
            [
                [
                    ("shell", {"command": ["bash", "-lc", "ls"]}, "succeeded", "a.txt\n"),
                    ("apply_patch", "*** Begin Patch", "failed", ""),
                ]
            ]
        ],
    ),
    (
        "forge",
        json.dumps(
            {
                "context": {
                    "messages": [
                        {"text": {"role": "User", "content": "go"}},
                        {"text": {"role": "User", "content": "<file_content/>"}},
                        {
                            "text": {
                                "role": "Assistant",
                                "content": "ok",
                                "tool_calls": [{"name": "shell", "call_id": "1", "arguments": LS}],
                            }
                        },
                        {
                            "tool": {
                                "name": "shell",
                                "call_id": "1",
                                "output": {"is_error": True, "values": [{"text": "x"}]},
                            }
                        },
                    ]
                }
            }
        ),
        [[[("shell", LS, "failed", "x")]]],
    ),
    (
        "intercode",
        json.dumps(
            {"0": {"environment": "ic_bash", "turn_history": {"actions": ["ls", "pwd"], "observations": ["a", "/"]}}}
        ),
        [[[("bash", LS, "succeeded", "a")], [("bash", PWD, "succeeded", "/")]]],
    ),
    (
        "mini_swe_agent",
        json.dumps(
            [
                {"role": "user", "content": "fix it"},
                {"role": "assistant", "content": "Look.\n```bash\nls\n```"},
                {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno\n</output>"},
                {"role": "assistant", "content": "No command here."},
                {"role": "user", "content": "Give one command."},
            ]
        ),
        [[[("bash", LS, "failed", "<returncode>2</returncode>\n<output>\nno\n</output>")]]],
    ),
    (
        "swe_agent",
        json.dumps(
            {"trajectory": [{"action": "ls", "observation": "a", "thought": "hm", "state": "{}"}], "history": []}
        ),
        [[[("bash", LS, "succeeded", "a")]]],
    ),
    (
        "swe_agent",
        json.dumps(
            {
                "history": [
                    {"role": "assistant", "message_type": "action", "tool_calls": [_openai_call("1", LS)]},
                    {"role": "tool", "message_type": "observation", "content": "a", "tool_call_ids": ["1"]},
                ]
            }
        ),
        [[[("bash", LS, "succeeded", "a")]]],
    ),
    (
        "openhands",
        json.dumps(
            {"messages": OPENAI[:6], "response": {"choices": [{"message": {"role": "assistant", "content": "Bye."}}]}}
        ),
        [TWO],
    ),
    (
        "openhands",
        json.dumps(
            {
                "messages": [
                    {"role": "user", "content": "go"},
                    {
                        "role": "assistant",
                        "content": "<function=terminal>\n<parameter=command>\nls\n</parameter>\n</function>",
                    },
                    {"role": "user", "content": "EXECUTION RESULT of [terminal]:\na"},
                ],
                "raw_messages": [{"role": "user", "content": "go"}],
                "response": {},
            }
        ),
        [[[("terminal", LS, "succeeded", "a")]]],
    ),
    (
        "openhands",
        json.dumps(
            [
                {"id": 0, "source": "user", "action": "message", "args": {}},
                {
                    "id": 1,
                    "source": "agent",
                    "action": "run",
                    "args": {"command": "ls", "thought": "x"},
                    "tool_call_metadata": {
                        "function_name": "execute_bash",
                        "tool_call_id": "1",
                        "model_response": {"choices": [{"message": {"tool_calls": [_openai_call("1", LS)]}}]},
                    },
                },
                {"id": 2, "cause": 1, "observation": "run", "content": "no", "extras": {"metadata": {"exit_code": 1}}},
            ]
        ),
        [[[("execute_bash", LS, "failed", "no")]]],
    ),
    (
        "antigravity",
        _lines(
            {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "go"},
            {
                "step_index": 1,
                "source": "MODEL",
                "type": "PLANNER_RESPONSE",
                "tool_calls": [{"name": "list_dir", "args": {"DirectoryPath": '"/srv"'}}],
            },
            {"step_index": 2, "source": "MODEL", "type": "LIST_DIRECTORY", "content": "a"},
        ),
        [[[("list_dir", {"DirectoryPath": "/srv"}, "succeeded", "a")]]],
    ),
    (
        "copilot",
        _lines(
            {"type": "user.message", "data": {"content": "go"}},
            {
                "type": "assistant.message",
                "data": {"toolRequests": [{"toolCallId": "1", "name": "shell", "arguments": json.dumps(LS)}]},
            },
            {"type": "tool.execution_start", "data": {"toolCallId": "1", "toolName": "shell", "arguments": LS}},
            {
                "type": "tool.execution_complete",
                "data": {"toolCallId": "1", "success": False, "result": {"content": "x"}},
            },
        ),
        [[[("shell", LS, "failed", "x")]]],
    ),
    (
        "kimi",
        _lines(
            {"type": "turn.prompt", "input": []},
            *(
                {"type": "context.append_loop_event", "event": event}
                for event in (
                    {"type": "tool.call", "toolCallId": "1", "name": "Bash", "args": LS, "stepUuid": "s"},
                    {"type": "tool.call", "toolCallId": "2", "name": "Bash", "args": PWD, "stepUuid": "s"},
                    {"type": "tool.result", "toolCallId": "1", "result": {"output": "a"}},
                    {"type": "tool.result", "toolCallId": "2", "result": {"output": "no", "isError": True}},
                )
            ),
        ),
        [[[("Bash", LS, "succeeded", "a"), ("Bash", PWD, "failed", "no")]]],
    ),
    (
        "grok",
        _lines(
            {"type": "user", "content": [{"type": "text", "text": "env"}], "synthetic_reason": "environment_context"},
            {"type": "user", "content": [{"type": "text", "text": "go"}]},
            {
                "type": "assistant",
                "content": "",
                "tool_calls": [{"id": "1", "name": "run_terminal_cmd", "arguments": json.dumps(LS)}],
            },
            {"type": "tool_result", "tool_call_id": "1", "content": "a"},
        ),
        [[[("run_terminal_cmd", LS, "succeeded", "a")]]],
    ),
    (
        "opencode",
        json.dumps(
            {
                "messageID": "m",
                "type": "tool",
                "callID": "1",
                "tool": "bash",
                "state": {"status": "completed", "input": LS, "output": "a", "metadata": {"exit": 1}},
            }
        ),
        [[[("bash", LS, "failed", "a")]]],
    ),
    (
        "droid",
        _lines(
            {"type": "message", "role": "user", "text": "go"},
            {"type": "tool_call", "toolCallId": "1", "toolName": "Shell", "parameters": LS},
            {"type": "tool_result", "toolCallId": "1", "value": {"stdout": "a", "exitCode": 3}},
            {"type": "completion", "finalText": "done"},
        ),
        [[[("Shell", LS, "failed", "a")]]],
    ),
    (
        "gemini",
        json.dumps(
            {
                "messages": [
                    {"type": "user", "content": "go"},
                    {
                        "type": "gemini",
                        "content": "",
                        "toolCalls": [
                            {
                                "id": "1",
                                "name": "run_shell_command",
                                "args": LS,
                                "status": "success",
                                "result": [{"functionResponse": {"response": {"output": "a"}}}],
                            }
                        ],
                    },
                ]
            }
        ),
        [[[("run_shell_command", LS, "succeeded", "a")]]],
    ),
    (
        "gemini",
        _lines(
            {"type": "init", "session_id": "s"},
            {"type": "message", "role": "user", "content": "go"},
            {"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "1", "parameters": LS},
            {"type": "tool_result", "tool_id": "1", "status": "error", "error": {"type": "x", "message": "no"}},
        ),
        [[[("run_shell_command", LS, "failed", '{"type": "x", "message": "no"}')]]],
    ),
    (
        "gemini",
        _lines(
            {"type": "user", "message": {"role": "user", "parts": [{"text": "go"}]}},
            {
                "type": "assistant",
                "message": {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "shell", "args": LS}}]},
            },
            {
                "type": "tool_result",
                "message": {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "1", "name": "shell", "response": {"output": "a"}}}],
                },
            },
        ),
        [[[("shell", LS, "succeeded", "a")]]],
    ),
    (
        "blocks",
        _lines(
            {"role": "user", "message": {"content": [{"type": "text", "text": "go"}]}},
            {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": LS}]}},
            {
                "role": "user",
                "message": {
                    "content": [{"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "a"}]}]
                },
            },
        ),
        [[[("Bash", LS, "succeeded", "a")]]],
    ),
    (
        "blocks",
        _lines(
            {"type": "session", "id": "s", "version": 3},
            {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "go"}]}},
            {
                "type": "message",
                "message": {
                    "role": "assistant",
                    "content": [{"type": "toolCall", "id": "1", "name": "run_terminal", "arguments": LS}],
                },
            },
            {"type": "message", "message": {"role": "toolResult", "toolCallId": "1", "content": "a", "isError": True}},
        ),
        [[[("run_terminal", LS, "failed", "a")]]],
    ),
]


@pytest.mark.parametrize(
    ("form", "text", "expected"), OTHERS, ids=[f"{n}-{form}" for n, (form, _, _) in enumerate(OTHERS)]
)
def test_the_format_is_found_and_its_calls_are_read(form: str, text: str, expected: list[Any]) -> None:
    (recording,) = parse(text)
    assert recording.format == form
    assert _told(recording) == expected


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
    assert _told(next(read(path)))[0] == TWO


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
