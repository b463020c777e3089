"""Codex and its hook: like Claude Code's, with less in it."""

from typing import Any

import pytest

from tests.policy.hooks.agent import Agent, Reply

SEARCH = {"tool_name": "mcp__docs__search", "tool_input": {"query": "retry"}}


@pytest.fixture
def codex(here: dict[str, str]) -> Agent:
    return Agent(
        "codex",
        here,
        common={"turn_id": "t1", "cwd": "/repo", "model": "m", "permission_mode": "default", "transcript_path": None},
        here=True,
    )


def ask(codex: Agent, call_id: str, call: dict[str, Any], **fields: object) -> Reply:
    return codex.send("PreToolUse", **call, tool_use_id=call_id, **fields)


def end(codex: Agent, call_id: str, call: dict[str, Any], result: object) -> Reply:
    return codex.send("PostToolUse", **call, tool_use_id=call_id, tool_response=result)


def refused(reply: Reply) -> bool:
    return reply.answer is not None and reply.answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_turns_budget_holds(codex: Agent) -> None:
    codex.policy = ("--max-tool-calls", "1")
    codex.send("UserPromptSubmit", prompt="Look around.")
    assert not refused(ask(codex, "c1", SEARCH))
    assert refused(ask(codex, "c2", {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}}))
    assert not refused(ask(codex, "c3", SEARCH, turn_id="t2"))


def test_equal_commands_may_run_in_different_directories_so_they_only_count(codex: Agent) -> None:
    codex.policy = ("--dedupe-tool-calls", "--max-tool-calls", "2")
    command = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert not refused(ask(codex, "c1", command))
    end(codex, "c1", command, "a.txt\n")
    assert not refused(ask(codex, "c2", command))
    assert refused(ask(codex, "c3", command))


@pytest.mark.parametrize(
    ("result", "duplicate"),
    [
        ({"content": [{"type": "text", "text": "3 pages"}], "isError": False}, True),
        ({"content": [{"type": "text", "text": "3 pages"}]}, True),
        ({"content": [{"type": "text", "text": "no server"}], "isError": True}, False),
        ({"output": "3 pages", "metadata": {"exit_code": 0}}, True),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\n3 pages", True),
        ("Chunk ID: 1\nProcess exited with code 7\nOutput:\n", False),
        ("3 pages", False),
        (None, False),
    ],
)
def test_only_what_is_known_to_have_succeeded_makes_a_duplicate(
    codex: Agent, result: object, *, duplicate: bool
) -> None:
    ask(codex, "c1", SEARCH)
    end(codex, "c1", SEARCH, result)
    assert refused(ask(codex, "c2", SEARCH)) is duplicate


def test_a_compaction_forgets(codex: Agent) -> None:
    ask(codex, "c1", SEARCH)
    end(codex, "c1", SEARCH, {"content": []})
    codex.send("SessionStart", source="compact")
    assert not refused(ask(codex, "c2", SEARCH))


def test_nothing_is_said_of_a_call_that_runs(codex: Agent) -> None:
    assert ask(codex, "c1", SEARCH) == Reply(0, None, "")
