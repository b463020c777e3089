"""What the process of a hook loads, since the agent waits for it at each call."""

import json
import subprocess
import sys
from typing import Any

import pytest

HEAVY = ("bashlex", "click", "rich", "asyncio", "importlib.metadata", "pydantic", "redis", "samecall.cli", "argparse")
READ = {"tool_name": "Read", "tool_input": {"file_path": "/repo/a"}}
SHELL = {"tool_name": "Bash", "tool_input": {"command": "git log --oneline | head -5"}}


@pytest.mark.parametrize("kind", ["PreToolUse", "PostToolUse", "UserPromptSubmit"])
@pytest.mark.parametrize("call", [READ, SHELL], ids=["read", "shell"])
def test_a_hook_loads_nothing_that_it_does_not_need(
    environment: dict[str, str], kind: str, call: dict[str, Any]
) -> None:
    event = {"session_id": "s", "hook_event_name": kind, "prompt": "?", "tool_use_id": "toolu_01", **call}
    # The command is this interpreter and our own module.
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "samecall", "hook", "claude-code", "--dedupe-tool-calls"],
        input=json.dumps(event).encode(),
        env=environment,
        capture_output=True,
        check=True,
    )
    loaded = {
        line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if line.startswith("import time:")
    }
    assert "samecall.hooks.process" in loaded
    assert not loaded.intersection(HEAVY)
