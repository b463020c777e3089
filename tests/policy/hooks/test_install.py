"""``samecall hook install`` and ``uninstall``."""

import json
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.policy.hooks.agent import Agent

POLICY = ("--max-tool-calls", "2", "--dedupe-tool-calls")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a terminal, in a project."""

    environment: dict[str, str]
    project: Path

    def samecall(self, *arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
        # The command is this interpreter and our own module.
        return subprocess.run(  # noqa: S603
            [sys.executable, "-m", "samecall", "hook", *arguments],
            cwd=self.project,
            env=self.environment,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def settings(self) -> Path:
        return self.project / ".claude/settings.json"


@pytest.fixture
def person(environment: dict[str, str], tmp_path: Path) -> Person:
    project = tmp_path / "project"
    project.mkdir()
    return Person(environment, project)


def test_the_change_is_shown_and_asked_for(person: Person) -> None:
    refused = person.samecall("install", "--project", *POLICY, typed="n\n")
    assert (refused.returncode, refused.stderr) == (1, "Change this file? [y/N] Nothing changed.\n")
    assert '+            "command": "' in refused.stdout
    assert not person.settings.exists()
    assert person.samecall("install", "--project", *POLICY, typed="y\n").returncode == 0
    assert json.loads(person.settings.read_text())["hooks"]["PreToolUse"]


def test_without_anybody_to_ask_nothing_changes(person: Person) -> None:
    left = person.samecall("install", "--project", *POLICY)
    assert (left.returncode, left.stderr.splitlines()) == (1, ["Change this file? [y/N] ", "Nothing changed."])
    assert not person.settings.exists()


def test_what_it_installs_is_what_an_agent_can_start(person: Person) -> None:
    person.samecall("install", "--project", "--yes", *POLICY)
    line = json.loads(person.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    statuses = []
    for number in range(3):
        event = Agent("claude-code", person.environment).event(
            "PreToolUse", tool_name="Bash", tool_input={"command": f"cat {number}"}, tool_use_id=f"toolu_{number}"
        )
        # The line that an agent gives to its shell.
        done = subprocess.run(line, shell=True, env=person.environment, input=event, capture_output=True, check=True)  # noqa: S602
        statuses.append(bool(done.stdout))
    assert statuses == [False, False, True]


def test_again_there_is_nothing_to_do_and_another_policy_takes_the_place(person: Person) -> None:
    person.samecall("install", "--project", "--yes", *POLICY)
    first = person.settings.read_text()
    assert person.samecall("install", "--project", *POLICY).stdout.startswith("Nothing to do")
    assert person.settings.read_text() == first
    person.samecall("install", "--project", "--yes", "--max-tool-calls", "9")
    assert person.settings.read_text() == first.replace("--max-tool-calls 2 --dedupe-tool-calls", "--max-tool-calls 9")


def test_uninstall_gives_the_file_back(person: Person) -> None:
    person.settings.parent.mkdir()
    person.settings.write_bytes(b'\xef\xbb\xbf{\r\n\t"model": "opus"\r\n}\r\n')
    person.settings.chmod(0o640)
    person.samecall("install", "--project", "--yes", *POLICY)
    assert stat.S_IMODE(person.settings.stat().st_mode) == 0o640
    assert person.samecall("uninstall", "--project", "--yes").returncode == 0
    assert person.settings.read_bytes() == b'\xef\xbb\xbf{\r\n\t"model": "opus"\r\n}\r\n'
    assert person.samecall("uninstall", "--project").stdout.startswith("Nothing to do")
    assert [file.name for file in person.settings.parent.iterdir()] == ["settings.json"]


def test_a_linked_file_stays_a_link(person: Person, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}\n")
    person.settings.parent.mkdir()
    person.settings.symlink_to(target)
    person.samecall("install", "--project", "--yes", *POLICY)
    assert person.settings.is_symlink()
    assert "hooks" in target.read_text()


@pytest.mark.parametrize("text", ["// mine\n{}\n", "[]", "{"])
def test_a_file_that_is_not_understood_is_left_as_it_is(person: Person, text: str) -> None:
    person.settings.parent.mkdir()
    person.settings.write_text(text)
    done = person.samecall("install", "--project", "--yes", *POLICY)
    assert done.returncode == 2
    assert "left as it is" in done.stderr
    assert person.settings.read_text() == text


@pytest.mark.parametrize(
    "policy",
    [
        (),
        ("--max-tool-calls", "none"),
        ("--retry-failures", "none"),
        ("--effect", "Bash=read"),
        ("--dedupe-tool-calls", "--on-duplicate-tool-call", "allow"),
    ],
    ids=" ".join,
)
def test_a_policy_that_does_nothing_is_not_installed(person: Person, policy: tuple[str, ...]) -> None:
    done = person.samecall("install", "--project", "--yes", *policy)
    assert done.returncode == 2
    assert "nothing to enforce" in done.stderr
    assert not person.settings.exists()


def test_an_option_without_effect_is_not_installed(person: Person) -> None:
    done = person.samecall("install", "--project", "--yes", "--dedupe-scope", "session")
    assert done.returncode == 2
    assert "has no effect unless" in done.stderr


def test_installing_for_the_user_and_the_project_is_pointed_out(person: Person) -> None:
    person.samecall("install", "--yes", *POLICY)
    assert "both will answer" in person.samecall("install", "--project", "--yes", *POLICY).stderr


@pytest.mark.parametrize(("agent", "file"), [("codex", ".codex/hooks.json"), ("gemini-cli", ".gemini/settings.json")])
def test_other_agents_have_their_own_files(person: Person, agent: str, file: str) -> None:
    person.samecall("install", "--project", "--yes", "--agent", agent, *POLICY)
    assert f"hook {agent}" in (person.project / file).read_text()
