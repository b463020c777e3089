"""What a hook costs an agent at each event: the whole process, beside an interpreter that does nothing."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from samecall.hooks.answering import IDLE
from samecall.hooks.short import SWITCH

from .report import Report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROUNDS = 15
_TARGET = 4
_BARE = [sys.executable, "-c", "pass"]
# What the installed script does.
_HOOK = [sys.executable, "-c", "from samecall.__main__ import main; main()"]
_HOOK += ["hook", "claude-code", "--max-tool-calls", "1000"]
_SHELL = {"tool_name": "Bash", "tool_input": {"command": "grep -rn 'def main' src | head -20"}}
_READ = {"tool_name": "Read", "tool_input": {"file_path": "/repo/README.md"}}
# What happens, what it is about, and whether duplicates are looked for.
_EVENTS: tuple[tuple[str, str, Mapping[str, object], bool], ...] = (
    ("a shell command is proposed", "PreToolUse", _SHELL, True),
    ("another tool is proposed", "PreToolUse", _READ, True),
    ("a call is proposed, budget only", "PreToolUse", _SHELL, False),
    ("a call has ended", "PostToolUse", _SHELL, True),
    ("a turn begins", "UserPromptSubmit", {"prompt": "What is in here?"}, True),
)


def run() -> Report:
    """Start each kind of hook, both ways, and the bare interpreter, in turn, so that a disturbance hits all of them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"XDG_STATE_HOME": folder, "HOME": folder, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        alone = environment | {SWITCH: "off"}
        hooks = [(_line(dedupes), _event(kind, fields)) for _, kind, fields, dedupes in _EVENTS]
        _seconds(*hooks[0], alone)  # compiles the modules
        _seconds(*hooks[0], environment)  # leaves the process that stays
        _wait_for(folder)
        jobs = [(_BARE, b"", alone)]
        jobs += [(*hook, variables) for hook in hooks for variables in (environment, alone)]
        taken: list[list[float]] = [[] for _ in jobs]
        for turn in range(_ROUNDS + 1):
            for times, job in zip(taken, jobs, strict=True):
                seconds = _seconds(*job)
                if turn:
                    times.append(seconds)
        modules = [_modules(*job) for job in jobs]
    medians = [statistics.median(times) * 1000 for times in taken]
    ways = [f"{name}{way}" for name, *_ in _EVENTS for way in ("", ", alone")]
    names = ["python -c pass", *ways]
    ratios = [median / medians[0] for median in medians]
    return Report(
        f"hook: the whole process, medians of {_ROUNDS} starts",
        ("what", "ms", "times python -c pass", "modules"),
        [
            (name, f"{median:.1f}", f"{ratio:.1f}", str(loaded))
            for name, median, ratio, loaded in zip(names, medians, ratios, modules, strict=True)
        ],
        [
            f"target: {_TARGET} times python -c pass",
            f"alone: the first hook after {IDLE / 60:.0f} quiet minutes, and all with {SWITCH}=off; others ask it",
        ],
        {f"hook, {name}, times python -c pass": ratio for name, ratio in zip(names[1:], ratios[1:], strict=True)},
    )


def _wait_for(folder: str) -> None:
    """Wait until the process that stays listens. Raises ``TimeoutError``."""
    end = time.monotonic() + 30
    while not any(Path(folder).rglob("*.socket")):
        if time.monotonic() > end:
            raise TimeoutError("no hook left a process that stays")
        time.sleep(0.05)


def _line(dedupes: bool) -> list[str]:  # noqa: FBT001 - a column of the table above
    return [*_HOOK, "--dedupe-tool-calls"] if dedupes else _HOOK


def _event(kind: str, fields: Mapping[str, object]) -> bytes:
    event = {"session_id": "s", "prompt_id": "p", "hook_event_name": kind, "tool_use_id": "toolu_1", **fields}
    return json.dumps(event).encode()


def _seconds(line: Sequence[str], event: bytes, environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    # This interpreter, our own text.
    subprocess.run(line, input=event, env=environment, capture_output=True, check=True)  # noqa: S603
    return time.perf_counter() - start


def _modules(line: Sequence[str], event: bytes, environment: Mapping[str, str]) -> int:
    """Count the modules that a process imports, the interpreter's own included."""
    told = [line[0], "-X", "importtime", *line[1:]]
    # This interpreter, our own text.
    done = subprocess.run(told, input=event, env=environment, capture_output=True, text=False, check=True)  # noqa: S603
    return done.stderr.count(b"import time:") - 1
