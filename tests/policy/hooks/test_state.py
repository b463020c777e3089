"""Where the books of a session are, and for how long."""

import os
import sys
import time
from pathlib import Path

import pytest
from samecall.hooks.state import KEPT_DAYS, directory, session_file

from tests.policy.hooks.agent import Agent

LONG_AGO = time.time() - (KEPT_DAYS + 1) * 86400


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/ann/.local/state/samecall/hooks/codex"),
        ("linux", {"XDG_STATE_HOME": "/var/state"}, "/var/state/samecall/hooks/codex"),
        ("linux", {"XDG_STATE_HOME": "state"}, "/home/ann/.local/state/samecall/hooks/codex"),
        ("freebsd14", {}, "/home/ann/.local/state/samecall/hooks/codex"),
        ("darwin", {"XDG_STATE_HOME": "/var/state"}, "/home/ann/Library/Application Support/samecall/hooks/codex"),
        ("win32", {"LOCALAPPDATA": "/Users/ann/Local"}, "/Users/ann/Local/samecall/hooks/codex"),
    ],
)
def test_the_folder_is_the_platforms(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], expected: str
) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ann", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert directory("codex") == expected


def test_only_the_user_can_read_the_folder(here: dict[str, str]) -> None:
    del here
    assert Path(session_file("codex", "s")).parent.stat().st_mode & 0o077 == 0


def test_a_session_that_nobody_uses_is_forgotten_when_another_begins(here: dict[str, str]) -> None:
    old, quiet, new = (Agent("codex", here, session=name, here=True) for name in ("old", "quiet", "new"))
    for agent in (old, quiet):
        agent.send("UserPromptSubmit", prompt="?")
    left, busy = (Path(session_file("codex", name)) for name in ("old", "quiet"))
    log = busy.with_name(busy.name + "-wal")
    log.touch()
    for file in left.parent.iterdir():
        if file != log:
            os.utime(file, (LONG_AGO, LONG_AGO))
    other = left.with_name("notes.txt")
    other.touch()
    os.utime(other, (LONG_AGO, LONG_AGO))
    new.send("SessionStart", source="startup")
    assert not left.exists()
    assert busy.exists()
    assert other.exists()
