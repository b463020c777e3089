"""The policy on a hook's command line."""

import pytest
from click.testing import CliRunner
from samecall import PolicyError, ToolPolicy
from samecall.cli.hook import command
from samecall.hooks.options import HOOK_OPTIONS, OPTIONS, policy, read, spell
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
        (["--dedupe-tool-calls", "--no-invalidate"], {"dedupe_tool_calls": True, "invalidate": False}),
    ],
)
def test_arguments_are_a_policy(arguments: list[str], expected: dict[str, object]) -> None:
    assert policy(arguments) == ToolPolicy(**expected, on_store_error="open")  # type: ignore[arg-type]  # a table


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--max-tool-calls"], "--max-tool-calls: must be a whole number"),
        (["--max-tool-calls", "six"], "--max-tool-calls: must be a whole number"),
        (["--max-tool-calls", "²"], "--max-tool-calls: must be a whole number"),
        (["--max-tool-calls", "-1"], "--max-tool-calls: must be a whole number"),
        (["--tool-limit", "Bash"], "--tool-limit: must be TOOL=N"),
        (["--tool-limit", "=3"], "--tool-limit: must be TOOL=N"),
        (["--tool-limit", "Bash=none"], "--tool-limit: must be a whole number"),
        (["--tool-limit", "think=3"], "--tool-limit: think is in --exempt-tool"),
        (["--tool-limit", "x=3", "--max-tool-calls", "1"], "cannot be reached: --max-tool-calls is 1"),
        (["--effect", "Bash=maybe"], '--effect: Bash: must be "read"'),
        (["--on-duplicate-tool-call", "reuse", "--dedupe-tool-calls"], "must be reject or warn or allow"),
        (["--duplicate-ttl", "soon", "--dedupe-tool-calls"], "--duplicate-ttl: must be a number"),
        (["--duplicate-ttl", "0", "--dedupe-tool-calls"], "--duplicate-ttl: must be seconds above 0"),
        (["--dedupe-tool-calls=yes"], "--dedupe-tool-calls: takes no value"),
        (["--dedupe-scope", "session"], "--dedupe-scope: has no effect unless --dedupe-tool-calls is on"),
        (["--no-invalidate"], "--no-invalidate: has no effect unless --dedupe-tool-calls is on"),
        (["--unknown"], "--unknown: no such option"),
        (["6"], "6: no such option"),
    ],
)
def test_what_makes_no_sense_is_named_as_it_was_written(arguments: list[str], told: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy(arguments)
    assert told in str(caught.value)


def test_only_a_hook_cannot_reuse() -> None:
    arguments = ["--dedupe-tool-calls", "--on-duplicate-tool-call", "reuse"]
    assert read(arguments)["on_duplicate_tool_call"] == "reuse"
    assert [option.field for option in OPTIONS] == [option.field for option in HOOK_OPTIONS]
    assert {option.field for option in OPTIONS} == {*ToolPolicy.__dataclass_fields__} - {"on_store_error"}


def test_what_install_is_given_is_what_the_hook_reads() -> None:
    given = {
        "max_tool_calls": "6",
        "tool_limits": ("Bash=3", "mcp__*=1"),
        "dedupe_tool_calls": True,
        "exempt_tools": (),
        "poll_limit": None,
        "invalidate": None,
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
