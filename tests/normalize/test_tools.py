"""Tool profiles: which argument holds the command, and what a call of a tool does."""

from __future__ import annotations

from typing import Any

import pytest
from callkey import PROFILES, Profile, ToolCall, tool_effect
from callkey.tools import profile_of, shell_command


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("Bash", {"command": "ls", "description": "List"}, "ls"),
        ("bash", {"command": "ls"}, "ls"),
        ("shell", {"command": "ls", "cwd": "/srv"}, "ls"),
        ("shell", {"command": ["bash", "-lc", "ls | wc -l"]}, "ls | wc -l"),
        ("shell", {"command": ["/bin/sh", "-c", "ls | wc -l"]}, "ls | wc -l"),
        ("shell", {"command": ["grep", "a b", "*.py"]}, "grep 'a b' '*.py'"),
        ("shell", {"command": ["bash", "-c", "ls", "name"]}, "bash -c ls name"),
        ("shell", {"command": ["ls", 1]}, None),
        ("shell_command", {"command": "ls", "workdir": "/srv"}, "ls"),
        ("exec_command", {"cmd": "ls", "yield_time_ms": 100}, "ls"),
        ("run_shell_command", {"command": "ls", "dir_path": "src"}, "ls"),
        ("execute_bash", {"command": "ls", "is_input": "false"}, "ls"),
        ("terminal", {"command": "ls", "security_risk": "LOW"}, "ls"),
        ("terminal", {"commands": ["cd src", "ls"]}, "cd src\nls"),
        ("terminal", {"commands": "ls"}, "ls"),
        ("run_terminal_cmd", {"command": "ls"}, "ls"),
        ("execute_command", {"command": "ls"}, "ls"),
        ("Bash", {"command": None}, None),
    ],
)
def test_the_command_of_a_shell_tool(name: str, arguments: dict[str, Any], command: str | None) -> None:
    call = ToolCall(name, arguments)
    profile = profile_of(call)
    assert profile is not None
    assert shell_command(call, profile) == command


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("str_replace_editor", {"command": "view", "path": "f"}),
        ("bash", {"restart": True}),
        ("think", {"thought": "x"}),
    ],
)
def test_what_only_looks_like_a_shell_tool(name: str, arguments: dict[str, Any]) -> None:
    profile = profile_of(ToolCall(name, arguments))
    assert profile is None or not profile.command


@pytest.mark.parametrize("kept", ["sandbox_permissions", "run_in_background", "login", "is_input", "thought_number"])
def test_what_changes_the_call_is_no_remark(kept: str) -> None:
    assert not any(kept in profile.remarks for profile in PROFILES)


def test_thoughts_are_no_remark_of_a_tool_that_thinks() -> None:
    assert profile_of(ToolCall("think", {"thought": "x"})) is None


def test_the_first_profile_that_fits_counts() -> None:
    mine = Profile(("run_*",), command="script", persistent=False)
    call = ToolCall("run_job", {"script": "cd d && ls"})
    assert profile_of(call, (mine, *PROFILES)) is mine
    assert tool_effect(call, (mine, *PROFILES)).kind == "read"
    assert tool_effect(call).kind == "write"


@pytest.mark.parametrize(
    ("kind", "name", "arguments"),
    [
        # A shell that lives on takes the directory along, one that is started for each call does not.
        ("write", "Bash", {"command": "cd d && ls"}),
        ("read", "exec_command", {"cmd": "cd d && ls"}),
        ("read", "shell", {"command": ["bash", "-lc", "cd d && ls"]}),
        ("write", "shell", {"command": "cd d && ls"}),
        ("volatile", "bash", {"command": "sleep 5"}),
        ("write", "exec_command", {"cmd": "make"}),
        ("write", "bash", {"restart": True}),
        # Keystrokes and looks at a running program are never the same twice.
        ("volatile", "write_stdin", {"session_id": 1, "chars": ""}),
        ("volatile", "execute_bash", {"command": "C-c", "is_input": "true"}),
        ("volatile", "execute_bash", {"command": ""}),
        ("volatile", "BashOutput", {"bash_id": "1"}),
        # Known tools
        ("read", "Read", {"file_path": "f"}),
        ("read", "Grep", {"pattern": "x"}),
        ("read", "WebFetch", {"url": "https://example.org", "prompt": "x"}),
        ("write", "Edit", {"file_path": "f"}),
        ("write", "Task", {"prompt": "x"}),
        ("write", "apply_patch", {"input": "x"}),
        ("read", "str_replace_editor", {"command": "view", "path": "f"}),
        ("write", "str_replace_editor", {"command": "create", "path": "f"}),
        ("read", "think", {"thought": "x"}),
        # Verbs
        ("read", "get_user_details", {}),
        ("read", "mcp__github__list_issues", {}),
        ("read", "searchDirectFlight", {}),
        ("read", "query-docs", {}),
        ("read", "lookup.customer", {}),
        ("volatile", "get_job_status", {}),
        ("volatile", "get_current_time", {}),
        ("write", "update_reservation", {}),
        ("write", "get_or_create_user", {}),
        ("write", "search_and_replace", {}),
        ("write", "read_write_file", {}),
        ("write", "fetchAndRun", {}),
        ("write", "open_pr", {}),
        ("write", "mcp__get__delete_issue", {}),
        ("write", "calculate", {}),
        ("write", "", {}),
        # A question must also be one.
        ("read", "query_database", {"sql": "SELECT 1"}),
        ("write", "query_database", {"sql": "DELETE FROM t"}),
    ],
)
def test_the_kind_of_a_call(kind: str, name: str, arguments: dict[str, Any]) -> None:
    assert tool_effect(ToolCall(name, arguments)).kind == kind


def test_an_unknown_tool_changes_everything() -> None:
    effect = tool_effect(ToolCall("frobnicate", {}))
    assert effect.changes == {"workspace", "network"}
