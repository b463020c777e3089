"""What a hook costs an agent at each event: the whole process, beside an interpreter that does nothing."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

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
    """Start each kind of hook, and the bare interpreter, in turn, so that a disturbance hits all of them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"XDG_STATE_HOME": folder, "HOME": folder, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        jobs = [(_BARE, b"")] + [(_line(dedupes), _event(kind, fields)) for _, kind, fields, dedupes in _EVENTS]
        taken: list[list[float]] = [[] for _ in jobs]
        for turn in range(_ROUNDS + 1):
            for times, (line, event) in zip(taken, jobs, strict=True):
                seconds = _seconds(line, event, environment)
                if turn:  # the first round compiles the modules
                    times.append(seconds)
        modules = [_modules(line, event, environment) for line, event in jobs]
    medians = [statistics.median(times) * 1000 for times in taken]
    names = ["python -c pass", *(name for name, *_ in _EVENTS)]
    ratios = [median / medians[0] for median in medians]
    return Report(
        f"hook: the whole process, medians of {_ROUNDS} starts",
        ("what", "ms", "times python -c pass", "modules"),
        [
            (name, f"{median:.1f}", f"{ratio:.1f}", str(loaded))
            for name, median, ratio, loaded in zip(names, medians, ratios, modules, strict=True)
        ],
        [f"target: {_TARGET} times python -c pass"],
        {f"hook, {name}, times python -c pass": ratio for name, ratio in zip(names[1:], ratios[1:], strict=True)},
    )


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
