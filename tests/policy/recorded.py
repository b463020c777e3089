"""A short session in each format, and what is in it. They are written for these tests."""

import json
from typing import Any

from samecall.recordings import Recording

LS = {"command": "ls"}
PWD = {"command": "pwd"}


def told(recording: Recording) -> list[list[list[tuple[str, object, str, str | None]]]]:
    """Return turns of batches of (tool, input, outcome, result)."""
    return [
        [[(c.call.name, c.call.input, c.outcome, c.result) for c in batch] for batch in turn.batches]
        for turn in recording.turns
    ]


def lines(*records: object) -> str:
    """Return JSON Lines."""
    return "\n".join(json.dumps(record) for record in records)


def openai_call(call_id: str, given: object) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": json.dumps(given)}}


OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is here?"},
    {"role": "assistant", "content": None, "tool_calls": [openai_call("a", LS), openai_call("b", PWD)]},
    {"role": "tool", "tool_call_id": "b", "content": "/srv"},
    {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "Error: no access"}]},
    {"role": "assistant", "content": "Nothing.", "tool_calls": None},
    {"role": "user", "content": "Again."},
    {"role": "assistant", "content": "", "tool_calls": [openai_call("a", LS)]},
    {"role": "assistant", "content": "Done."},
]
TWO = [[("bash", LS, "failed", "Error: no access"), ("bash", PWD, "succeeded", "/srv")]]


def codex_item(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "t", "type": "response_item", "payload": {"type": kind, **payload}}


def opencode_part(message: str, **more: object) -> dict[str, object]:
    return {"messageID": message, "sessionID": "s", **more}


def opencode_tool(message: str, call_id: str, state: dict[str, object]) -> dict[str, object]:
    return opencode_part(message, type="tool", tool="bash", callID=call_id, state=state)


def span(start: str, **attributes: str) -> dict[str, object]:
    found = [(name.replace("_", ".", 1), value) for name, value in attributes.items()]
    found = [(name.replace("tool.call_", "tool.call."), value) for name, value in found]
    return {
        "traceId": "t",
        "spanId": f"s{start}",
        "startTimeUnixNano": f"{start}000000000",
        "endTimeUnixNano": f"{start}500000000",
        "attributes": [{"key": f"gen_ai.{name}", "value": {"stringValue": value}} for name, value in found],
    }


RECORDED: list[tuple[str, str, list[Any]]] = [
    (
        "codex",
        lines(
            {"type": "session_meta", "payload": {"id": "s"}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "go"}},
            codex_item("message", role="user", content=[{"type": "input_text", "text": "injected"}]),
            codex_item(
                "function_call", name="shell", arguments=json.dumps({"command": ["bash", "-lc", "ls"]}), call_id="1"
            ),
            codex_item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="2"),
            codex_item(
                "function_call_output", call_id="1", output="Exit code: 0\nWall time: 0.1 seconds\nOutput:\na.txt\n"
            ),
            codex_item(
                "custom_tool_call_output", call_id="2", output=[{"type": "input_text", "text": "Exit code: 1\n"}]
            ),
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
                    {"role": "assistant", "message_type": "action", "tool_calls": [openai_call("1", LS)]},
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
                        "model_response": {"choices": [{"message": {"tool_calls": [openai_call("1", LS)]}}]},
                    },
                },
                {"id": 2, "cause": 1, "observation": "run", "content": "no", "extras": {"metadata": {"exit_code": 1}}},
            ]
        ),
        [[[("execute_bash", LS, "failed", "no")]]],
    ),
    (
        "antigravity",
        lines(
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
        lines(
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
        lines(
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
        lines(
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
        lines(
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
        lines(
            {"type": "init", "session_id": "s"},
            {"type": "message", "role": "user", "content": "go"},
            {"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "1", "parameters": LS},
            {"type": "tool_result", "tool_id": "1", "status": "error", "error": {"type": "x", "message": "no"}},
        ),
        [[[("run_shell_command", LS, "failed", '{"type": "x", "message": "no"}')]]],
    ),
    (
        "gemini",
        lines(
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
        lines(
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
        lines(
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
    ("openai_messages", json.dumps(OPENAI), [TWO, [[("bash", LS, "unknown", None)]]]),
    (
        "openai_messages",
        lines(
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "function_call": {"name": "bash", "arguments": json.dumps(LS)}},
            {"role": "function", "name": "bash", "content": "a"},
            {"role": "assistant", "content": None, "function_call": {"name": "bash", "arguments": json.dumps(PWD)}},
            {"role": "function", "name": "bash", "content": "Error: no"},
        ),
        [[[("bash", LS, "succeeded", "a")], [("bash", PWD, "failed", "Error: no")]]],
    ),
    (
        "openai_responses",
        lines(
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "reasoning", "id": "r"},
            {"type": "function_call", "call_id": "1", "name": "bash", "arguments": json.dumps(LS)},
            {"type": "local_shell_call", "call_id": "2", "action": {"command": ["pwd"]}},
            {"type": "function_call_output", "call_id": "1", "output": "a"},
            {"type": "local_shell_call_output", "call_id": "2", "output": "/srv"},
            {"type": "mcp_call", "id": "3", "name": "find", "arguments": "{}", "error": "no"},
        ),
        [
            [
                [("bash", LS, "succeeded", "a"), ("local_shell", {"command": ["pwd"]}, "succeeded", "/srv")],
                [("find", {}, "failed", "no")],
            ]
        ],
    ),
    (
        "openai_responses",
        json.dumps(
            {
                "object": "response",
                "output": [{"type": "shell_call", "call_id": "1", "action": {"commands": ["ls"]}}],
            }
        ),
        [[[("shell", {"commands": ["ls"]}, "unknown", None)]]],
    ),
    (
        "claude_code",
        lines(
            {"type": "user", "message": {"role": "user", "content": "go"}},
            {
                "type": "assistant",
                "timestamp": "2026-01-01T00:00:00Z",
                "message": {
                    "id": "m",
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": LS}],
                },
            },
            {
                "type": "user",
                "timestamp": "2026-01-01T00:00:02Z",
                "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "a"}]},
            },
        ),
        [[[("Bash", LS, "succeeded", "a")]]],
    ),
    (
        "codex",
        lines(
            {"type": "session_meta", "payload": {"id": "s"}},
            codex_item(
                "custom_tool_call",
                name="exec",
                call_id="1",
                input='await Promise.all([tools.exec_command({cmd: "ls"}), tools.exec_command({"cmd": "pwd"})]);',
            ),
            codex_item("custom_tool_call_output", call_id="1", output="both"),
            codex_item(
                "custom_tool_call", name="exec", call_id="2", input='text(await tools.exec_command({cmd: "w"}))'
            ),
            codex_item("custom_tool_call_output", call_id="2", output={"content": "no", "success": False}),
        ),
        [
            [
                [("exec_command", {"cmd": "ls"}, "unknown", None), ("exec_command", {"cmd": "pwd"}, "unknown", None)],
                [("exec_command", {"cmd": "w"}, "failed", "no")],
            ]
        ],
    ),
    (
        "openhands",
        lines(
            {"kind": "SystemPromptEvent", "source": "agent"},
            {"kind": "MessageEvent", "source": "user", "llm_message": {"content": [{"type": "text", "text": "go"}]}},
            *(
                {
                    "kind": "ActionEvent",
                    "source": "agent",
                    "tool_name": "terminal",
                    "tool_call_id": call_id,
                    "llm_response_id": "r",
                    "tool_call": {"id": call_id, "name": "terminal", "arguments": json.dumps(given)},
                }
                for call_id, given in (("1", LS), ("2", PWD), ("3", {}), ("4", {"command": "rm a"}))
            ),
            {
                "kind": "ObservationEvent",
                "tool_call_id": "2",
                "observation": {"content": [{"type": "text", "text": "no"}], "exit_code": 1},
            },
            {"kind": "ObservationEvent", "tool_call_id": "1", "observation": {"output": "a", "exit_code": 0}},
            {"kind": "AgentErrorEvent", "tool_call_id": "3", "error": "command is missing"},
            {"kind": "UserRejectObservation", "tool_call_id": "4", "rejection_reason": "keep it"},
            {"kind": "MessageEvent", "source": "agent", "llm_message": {"content": [{"type": "text", "text": "done"}]}},
        ),
        [
            [
                [
                    ("terminal", LS, "succeeded", "a"),
                    ("terminal", PWD, "failed", "no"),
                    ("terminal", {}, "failed", "command is missing"),
                    ("terminal", {"command": "rm a"}, "denied", "keep it"),
                ]
            ]
        ],
    ),
    (
        "mini_swe_agent",
        json.dumps(
            {
                "trajectory_format": "mini-swe-agent-1.1",
                "messages": [
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "content": "Look.", "tool_calls": [openai_call("1", LS)]},
                    {"role": "tool", "tool_call_id": "1", "content": "<returncode>0</returncode>\n<output>a</output>"},
                ],
            }
        ),
        [[[("bash", LS, "succeeded", "<returncode>0</returncode>\n<output>a</output>")]]],
    ),
    (
        "mini_swe_agent",
        json.dumps(
            {
                "trajectory_format": "mini-swe-agent-1.1",
                "messages": [
                    {"role": "user", "content": "go"},
                    {
                        "object": "response",
                        "output": [],
                        "extra": {
                            "actions": [
                                {"command": "ls", "tool_call_id": "1"},
                                {"command": "pwd", "tool_call_id": "2"},
                            ]
                        },
                    },
                    {"type": "function_call_output", "call_id": "2", "output": "<returncode>1</returncode>"},
                    {"type": "function_call_output", "call_id": "1", "output": "<returncode>0</returncode>"},
                    {"role": "assistant", "content": "Now.", "extra": {"actions": [{"command": "id"}]}},
                    {"role": "user", "content": "<returncode>0</returncode>"},
                ],
            }
        ),
        [
            [
                [
                    ("bash", LS, "succeeded", "<returncode>0</returncode>"),
                    ("bash", PWD, "failed", "<returncode>1</returncode>"),
                ],
                [("bash", {"command": "id"}, "succeeded", "<returncode>0</returncode>")],
            ]
        ],
    ),
    (
        "kimi",
        lines(
            {"type": "metadata", "protocol_version": "1.1"},
            *(
                {"timestamp": 1.5, "message": {"type": name, "payload": payload}}
                for name, payload in (
                    ("TurnBegin", {"user_input": "go"}),
                    ("StepBegin", {"n": 1}),
                    ("ToolCall", {"type": "function", **openai_call("1", LS)}),
                    ("ToolCall", {"type": "function", **openai_call("2", PWD)}),
                    ("ToolResult", {"tool_call_id": "1", "return_value": {"is_error": False, "output": "a"}}),
                    ("ToolResult", {"tool_call_id": "2", "return_value": {"is_error": True, "output": "no"}}),
                    ("StepBegin", {"n": 2}),
                    ("ContentPart", {"type": "text", "text": "done"}),
                )
            ),
        ),
        [[[("bash", LS, "succeeded", "a"), ("bash", PWD, "failed", "no")]]],
    ),
    (
        "opencode",
        json.dumps(
            {
                "info": {"id": "s"},
                "messages": [
                    {"info": {"id": "m1", "role": "user"}, "parts": [opencode_part("m1", type="text", text="go")]},
                    {
                        "info": {"id": "m2", "role": "assistant"},
                        "parts": [
                            opencode_part("m2", type="step-start"),
                            opencode_tool("m2", "1", {"status": "completed", "input": LS, "output": "a"}),
                            opencode_tool("m2", "2", {"status": "error", "input": PWD, "error": "no"}),
                            opencode_tool("m2", "3", {"status": "running", "input": {}}),
                        ],
                    },
                ],
            }
        ),
        [[[("bash", LS, "succeeded", "a"), ("bash", PWD, "failed", "no"), ("bash", {}, "unknown", None)]]],
    ),
    (
        "opencode",
        lines(
            {"type": "step_start", "sessionID": "s", "part": opencode_part("m1", type="step-start")},
            {
                "type": "tool_use",
                "sessionID": "s",
                "part": opencode_tool("m1", "1", {"status": "completed", "input": LS, "output": "a"}),
            },
            {
                "type": "tool_use",
                "sessionID": "s",
                "part": opencode_tool("m2", "2", {"status": "completed", "input": PWD, "output": "/srv"}),
            },
            {"type": "text", "sessionID": "s", "part": opencode_part("m2", type="text", text="done")},
        ),
        [[[("bash", LS, "succeeded", "a")], [("bash", PWD, "succeeded", "/srv")]]],
    ),
    (
        "cline",
        json.dumps(
            [
                {"role": "user", "content": [{"type": "text", "text": "<task>go</task>"}]},
                {
                    "role": "assistant",
                    "content": "Look.\n<execute_command>\n<command>ls</command>\n</execute_command>",
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "[execute_command for 'ls'] Result:"},
                        {"type": "text", "text": "a"},
                    ],
                },
            ]
        ),
        [[[("execute_command", LS, "succeeded", "a")]]],
    ),
    (
        "cursor",
        lines(
            {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "go"}]}},
            *(
                {
                    "type": "tool_call",
                    "subtype": subtype,
                    "call_id": call_id,
                    "model_call_id": "m",
                    "tool_call": {"shellToolCall": {"args": LS, **more}},
                }
                for subtype, call_id, more in (
                    ("started", "1", {}),
                    ("started", "2", {}),
                    ("completed", "1", {"result": {"success": {"stdout": "a", "exitCode": 0}}}),
                    ("completed", "2", {"result": {"rejected": {"reason": "no"}}}),
                )
            ),
        ),
        [[[("shell", LS, "succeeded", "a"), ("shell", LS, "denied", '{"reason": "no"}')]]],
    ),
    (
        "samecall",
        lines(
            {"type": "turn_started", "session_id": "s", "turn": 1},
            *(
                {"session_id": "s", "turn": 1, "call_id": "1", "name": "bash", "key": {"digest": "d"}, **more}
                for more in (
                    {"type": "tool_call_started", "ordinal": 1},
                    {"type": "tool_call_finished", "outcome": "succeeded"},
                    {"type": "tool_rejected", "ordinal": 2, "call_id": "2"},
                )
            ),
        ),
        [[[("bash", {"digest": "d"}, "succeeded", None), ("bash", {"digest": "d"}, "denied", None)]]],
    ),
    (
        "opentelemetry",
        json.dumps(
            {
                "resourceSpans": [
                    {
                        "scopeSpans": [
                            {
                                "spans": [
                                    span(
                                        "2",
                                        operation_name="execute_tool",
                                        tool_name="bash",
                                        tool_call_id="1",
                                        tool_call_result="a",
                                    ),
                                    span(
                                        "1",
                                        operation_name="chat",
                                        output_messages=json.dumps(
                                            [
                                                {
                                                    "role": "assistant",
                                                    "parts": [
                                                        {
                                                            "type": "tool_call",
                                                            "id": "1",
                                                            "name": "bash",
                                                            "arguments": LS,
                                                        }
                                                    ],
                                                }
                                            ]
                                        ),
                                    ),
                                ]
                            }
                        ]
                    }
                ]
            }
        ),
        [[[("bash", LS, "succeeded", "a")]]],
    ),
]


NAMES = [f"{number}-{form}" for number, (form, _, _) in enumerate(RECORDED)]
