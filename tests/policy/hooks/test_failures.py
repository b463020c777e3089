"""Whatever goes wrong in a hook, the call passes and the reason is told: never a refusal, never status 2."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from samecall.hooks import AGENTS

from tests.policy.hooks.agent import Agent, Reply, finish

CALL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01"}


@pytest.fixture
def claude(environment: dict[str, str]) -> Agent:
    return Agent("claude-code", environment)


def books(claude: Agent) -> Path:
    (file,) = Path(claude.environment["XDG_STATE_HOME"]).rglob("*.sqlite3")
    return file


def assert_passed(reply: Reply, reason: str) -> None:
    assert reply.status == 1
    assert reply.answer is None
    assert reply.error.startswith("samecall: the call was not checked: ")
    assert reply.error.count("\n") == 1
    assert reason in reply.error


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b"PreToolUse", "no JSON"),
        (b"[1]", "no JSON object"),
        (b"null", "no JSON object"),
        (b"[" * 100_000, "RecursionError"),
        (b"{}", "no hook_event_name"),
        (b'{"hook_event_name": 5}', "no hook_event_name"),
        (b'{"hook_event_name": "PreToolUse"}', "no tool_name"),
        (b'{"hook_event_name": "PreToolUse", "tool_name": ["Bash"]}', "no tool_name"),
        (b'{"hook_event_name": "PreToolUse", "tool_name": "Bash"}', "no session_id"),
        (b'{"hook_event_name": "UserPromptSubmit", "session_id": ""}', "no session_id"),
    ],
)
def test_what_is_no_event_is_told_and_passes(claude: Agent, data: bytes, reason: str) -> None:
    assert_passed(claude.tell(data), reason)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_lets_a_call_pass_that_it_cannot_read(environment: dict[str, str], agent: str) -> None:
    assert_passed(Agent(agent, environment).tell(b"{"), "no JSON")


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "ls",
        5,
        {"command": None},
        {"command": ["ls"]},
        {"command": "\ud800"},
        {"deep": [[[[]]]] * 50},
        {"n": 1e400},
    ],
)
def test_any_input_of_a_tool_is_a_call(claude: Agent, given: object) -> None:
    claude.policy = ("--max-tool-calls", "1", "--dedupe-tool-calls")
    assert claude.send("PreToolUse", **CALL | {"tool_input": given}) == Reply(0, None, "")
    assert claude.send("PostToolUse", **CALL | {"tool_input": given}, tool_response=given) == Reply(0, None, "")
    assert claude.send("PreToolUse", **CALL | {"tool_use_id": "toolu_02", "tool_input": given}).answer


def test_an_end_without_a_beginning_is_nothing(claude: Agent) -> None:
    assert claude.send("PostToolUse", **CALL, tool_response={}) == Reply(0, None, "")


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (("--max-tool-calls",), "--max-tool-calls: must be a whole number from 0"),
        (("--max-tool-calls", "-1"), "--max-tool-calls: must be a whole number from 0"),
        (("--no-such-option",), "--no-such-option: no such option"),
        (("--dedupe-scope", "session"), "--dedupe-scope: has no effect unless --dedupe-tool-calls is on"),
        (("extra",), "extra: no such option"),
    ],
)
def test_a_policy_that_makes_no_sense_is_told_and_passes(claude: Agent, policy: tuple[str, ...], told: str) -> None:
    claude.policy = policy
    assert_passed(claude.send("PreToolUse", **CALL), f"the call was not checked: {told}")


def test_a_corrupt_file_is_told_and_passes(claude: Agent) -> None:
    claude.send("PreToolUse", **CALL)
    for part in books(claude).parent.iterdir():
        part.unlink()
    claude.send("PreToolUse", **CALL)
    file = books(claude)
    for part in file.parent.iterdir():
        part.unlink()
    file.write_bytes(b"no database " * 1000)
    assert_passed(claude.send("PreToolUse", **CALL), "file is not a database")
    claude.session = "another"
    assert claude.send("PreToolUse", **CALL) == Reply(0, None, "")


def test_a_locked_file_is_waited_for_told_and_passed(claude: Agent) -> None:
    claude.send("PreToolUse", **CALL)
    holder = sqlite3.connect(books(claude), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert_passed(claude.send("PreToolUse", **CALL | {"tool_use_id": "toolu_02"}), "locked")
    finally:
        holder.close()
    assert claude.send("PreToolUse", **CALL | {"tool_use_id": "toolu_03"}).answer


def test_a_state_folder_that_cannot_be_written_is_told_and_passes(claude: Agent, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    claude.environment["XDG_STATE_HOME"] = str(tmp_path / "file")
    assert_passed(claude.send("PreToolUse", **CALL), "Error")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_read_only_state_folder_is_told_and_passes(claude: Agent, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o500)
    assert_passed(claude.send("PreToolUse", **CALL), "PermissionError")


def test_a_reader_that_went_away_is_survived(claude: Agent) -> None:
    claude.policy = ("--max-tool-calls", "0")
    process = claude.start()
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, error = process.communicate(claude.event("PreToolUse", **CALL))
    assert process.returncode == 1
    assert b"BrokenPipeError" in error


def test_an_interrupt_passes(claude: Agent) -> None:
    process = claude.start()
    assert process.stdin is not None
    process.stdin.write(b'{"hook_event_name"')
    process.stdin.flush()
    process.terminate()
    assert process.wait() not in {0, 2}
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def test_nothing_of_a_call_is_in_the_files(claude: Agent) -> None:
    needle = "hunter2-opensesame"
    claude.send("PreToolUse", **CALL | {"tool_input": {"command": f"curl -u ann:{needle} https://example.org"}})
    claude.send("PreToolUse", tool_name="Read", tool_input={"file_path": needle})
    files = [file for file in books(claude).parent.iterdir() if file.is_file()]
    assert files
    assert not any(needle.encode() in file.read_bytes() for file in files)


def test_a_session_id_cannot_lead_out_of_the_folder(claude: Agent) -> None:
    claude.session = "../../../../evil"
    claude.send("PreToolUse", **CALL)
    assert books(claude).parent.name == "claude-code"


def test_a_mistyped_agent_is_told_and_refuses_nothing(environment: dict[str, str]) -> None:
    # Agents take status 2 for a refusal, and a settings file may hold the mistake.
    # The command is this interpreter and our own module.
    done = subprocess.run(
        [sys.executable, "-m", "samecall", "hook", "emacs"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "samecall: no such agent: emacs; there are claude-code, codex, gemini-cli\n"


def test_the_event_may_come_late_and_in_pieces(claude: Agent) -> None:
    claude.policy = ("--max-tool-calls", "0")
    process = claude.start()
    event = claude.event("PreToolUse", **CALL)
    assert process.stdin is not None
    process.stdin.write(event[:10])
    process.stdin.flush()
    reply = finish(process, event[10:])
    assert reply.status == 0
    assert "budget exhausted" in json.dumps(reply.answer)
