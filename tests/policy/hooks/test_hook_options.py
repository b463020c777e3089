"""The policy on a hook's command line."""

import pytest
from click.testing import CliRunner
from samecall import PolicyError, ToolPolicy
from samecall.cli.hook import command
from samecall.hooks.options import OPTIONS, policy, spell
from samecall.options import EXEMPT_TOOLS


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {}),
        (["--max-tool-calls", "0"], {"max_tool_calls": 0}),
        (
            ["--max-tool-calls=6", "--max-tool-calls-per-session", "20"],
            {"max_tool_calls": 6, "max_tool_calls_per_session": 20},
        ),
        (["--retry-failures", "none"], {"retry_failures": None}),
        (["--tool-limit", "mcp__*=3", "--tool-limit", "a=b=1"], {"tool_limits": {"mcp__*": 3, "a=b": 1}}),
        (["--effect", "mcp__db__ask=read"], {"effects": {"mcp__db__ask": "read"}}),
        (["--exempt-tool", "note"], {"exempt_tools": (*EXEMPT_TOOLS, "note")}),
        (
            [
                "--dedupe-tool-calls",
                "--dedupe-scope",
                "session",
                "--duplicate-ttl",
                "1.5",
                "--view-changes",
                "distinct",
            ],
            {"dedupe_tool_calls": True, "dedupe_scope": "session", "duplicate_ttl": 1.5, "view_changes": "distinct"},
        ),
        (["--tool-call-key", "exact"], {"tool_call_key": "exact"}),
    ],
)
def test_arguments_are_a_policy(arguments: list[str], expected: dict[str, object]) -> None:
    assert policy(arguments) == ToolPolicy(**expected, on_store_error="open")  # type: ignore[arg-type]  # a table


@pytest.mark.parametrize(
    "arguments",
    [
        ["--max-tool-calls"],
        ["--max-tool-calls", "six"],
        ["--max-tool-calls", "²"],
        ["--max-tool-calls", "-1"],
        ["--tool-limit", "Bash"],
        ["--tool-limit", "=3"],
        ["--tool-limit", "Bash=none"],
        ["--effect", "Bash=maybe"],
        ["--on-duplicate-tool-call", "reuse", "--dedupe-tool-calls"],
        ["--duplicate-ttl", "soon", "--dedupe-tool-calls"],
        ["--dedupe-tool-calls=yes"],
        ["--dedupe-scope", "session"],
        ["--unknown"],
        ["6"],
    ],
)
def test_what_makes_no_sense_is_named(arguments: list[str]) -> None:
    with pytest.raises(PolicyError):
        policy(arguments)


def test_what_install_is_given_is_what_the_hook_reads() -> None:
    given = {
        "max_tool_calls": "6",
        "tool_limits": ("Bash=3", "mcp__*=1"),
        "dedupe_tool_calls": True,
        "exempt_tools": (),
        "poll_limit": None,
    }
    assert spell(given) == [
        "--max-tool-calls",
        "6",
        "--tool-limit",
        "Bash=3",
        "--tool-limit",
        "mcp__*=1",
        "--dedupe-tool-calls",
    ]
    assert policy(spell(given)).tool_limits == {"Bash": 3, "mcp__*": 1}


@pytest.mark.parametrize("name", ["install", "claude-code", "codex", "gemini-cli"])
def test_every_option_is_in_the_help(name: str) -> None:
    text = CliRunner().invoke(command, [name, "--help"]).output
    assert all(option.flag in text for option in OPTIONS)
