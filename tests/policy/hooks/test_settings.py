"""Our block in an agent's settings: in, and exactly out again."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samecall.errors import SettingsError
from samecall.hooks.settings import HOSTS, command_line, commands, install, settings_file, uninstall

CLAUDE = HOSTS["claude-code"]
LINE = "samecall hook claude-code --max-tool-calls 6"
THEIRS = """\
{
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []},
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh"}]}
        ],
        "Stop": [
            {"hooks": [{"type": "command", "command": "say 'done, ann\\u00e9'"}]}
        ]
    },
    "model": "opus"
}
"""
entries = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["guard.sh", "samecall key", "x"])}
)
groups = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(entries, min_size=1, max_size=3)}, optional={"matcher": st.sampled_from(["Bash", "*"])}
    ),
    min_size=1,
    max_size=3,
)
hooks = st.dictionaries(st.sampled_from([*CLAUDE.events, "Stop", "Notification"]), groups, min_size=1)
documents = st.fixed_dictionaries(
    {}, optional={"hooks": hooks, "model": st.text(), "permissions": st.dictionaries(st.text(), st.lists(st.text()))}
)


class TestInstall:
    """What is put in is there once, whatever was there; taking it out gives the old file back, byte for byte."""

    @settings(max_examples=40, deadline=None)
    @given(documents, st.sampled_from([None, 2, 4, "\t"]), st.sampled_from(sorted(HOSTS)))
    def test_in_and_out(self, document: dict[str, object], indent: int | str | None, agent: str) -> None:
        text, host = json.dumps(document, indent=indent), HOSTS[agent]
        once = install(text, host, f"samecall hook {agent} --max-tool-calls 6")
        assert install(once, host, f"samecall hook {agent} --max-tool-calls 6") == once
        assert uninstall(once, host) == text
        other = install(once, host, f"samecall hook {agent} --max-tool-calls 7")
        assert commands(other, host) == (f"samecall hook {agent} --max-tool-calls 7",)
        assert uninstall(other, host) == text

    @settings(max_examples=40, deadline=None)
    @given(documents)
    def test_nothing_else_changes(self, document: dict[str, object]) -> None:
        changed = json.loads(install(json.dumps(document), CLAUDE, LINE))
        group = {"hooks": [{"type": "command", "command": LINE, "timeout": 10}]}
        for event in CLAUDE.events:
            assert changed["hooks"][event].pop() == group
        changed["hooks"] = {event: there for event, there in changed["hooks"].items() if there}
        assert {name: there for name, there in changed.items() if name != "hooks" or there} == document


def test_the_file_keeps_its_layout() -> None:
    text = install(THEIRS, CLAUDE, LINE)
    assert text.startswith(THEIRS[: THEIRS.index("        ],")].rstrip())
    assert '            {"hooks": [{"type": "command", "command": "say \'done, ann\\u00e9\'"}]}' in text
    assert uninstall(text, CLAUDE) == THEIRS


def test_an_empty_file_gets_the_block_alone() -> None:
    text = install("{}\n", CLAUDE, LINE)
    assert list(json.loads(text)["hooks"]) == list(CLAUDE.events)
    assert uninstall(text, CLAUDE) == "{}\n"


def test_an_entry_of_ours_among_others_goes_alone() -> None:
    text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"command": "a"}, {"command": LINE}, {"command": "b"}]}]}})
    assert json.loads(uninstall(text, CLAUDE)) == {
        "hooks": {"PreToolUse": [{"hooks": [{"command": "a"}, {"command": "b"}]}]}
    }


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("samecall hook claude-code", True),
        ("/opt/bin/samecall hook claude-code --max-tool-calls 6", True),
        ("'/opt/my tools/samecall' hook claude-code", True),
        (r'"C:\tools\samecall.exe" hook claude-code', True),
        ("/usr/bin/python3 -m samecall hook claude-code", True),
        ("samecall hook claude-code-next", False),
        ("samecall hook codex", False),
        ("notsamecall hook claude-code", False),
        ("echo samecall", False),
    ],
)
def test_our_entries_are_told_by_their_command(line: str, *, ours: bool) -> None:
    text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}})
    assert bool(commands(text, CLAUDE)) is ours


@pytest.mark.parametrize(
    "text",
    ["", "// mine\n{}", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1,}', "[" * 100_000],
)
def test_what_is_not_understood_is_left_alone(text: str) -> None:
    with pytest.raises(SettingsError):
        install(text, CLAUDE, LINE)


@pytest.mark.parametrize(
    "hooks", [{"Stop": ["x"]}, {"Stop": [{"hooks": "x"}]}, {"Stop": [{"hooks": [1, {"command": 5}]}]}, {"Stop": []}]
)
def test_odd_shapes_are_carried_along(hooks: object) -> None:
    text = json.dumps({"hooks": hooks})
    assert json.loads(install(text, CLAUDE, LINE))["hooks"]["Stop"] == json.loads(text)["hooks"]["Stop"]


def test_the_files_are_where_the_agents_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ann")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert [settings_file(host, user=True) for host in HOSTS.values()] == [
        Path("/home/ann/.claude/settings.json"),
        Path("/home/ann/.codex/hooks.json"),
        Path("/home/ann/.gemini/settings.json"),
    ]
    assert settings_file(CLAUDE, user=False) == tmp_path / ".claude/settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/etc/claude")
    assert settings_file(CLAUDE, user=True) == Path("/etc/claude/settings.json")


def test_gemini_cli_takes_a_missing_command_for_a_refusal_so_it_never_sees_that_status() -> None:
    assert command_line(HOSTS["gemini-cli"], ["--max-tool-calls", "6"]).endswith(
        "hook gemini-cli --max-tool-calls 6 || exit 1"
    )
    assert command_line(CLAUDE, ["--tool-limit", "mcp__*=3"]).endswith("hook claude-code --tool-limit 'mcp__*=3'")
