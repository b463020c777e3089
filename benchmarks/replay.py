"""What replaying recorded sessions costs, beside reading the same files as JSON; and that memory does not grow."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from samecall import ToolPolicy
from samecall.contenders import Contender, contenders
from samecall.study import Task, study

from .report import Report

_CALLS = 50  # in a session
_FEW, _MANY = 40, 400  # sessions
_REPEATED = 7  # each so many calls come again
_WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()


def run() -> Report:
    """Write sessions into a folder; read them, replay them, compare policies on them; weigh a process that does."""
    with tempfile.TemporaryDirectory() as folder:
        files = [_write(Path(folder), number) for number in range(_MANY)]
        calls = _FEW * _CALLS
        # A process of its own: the memory of this one holds what other benchmarks left.
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            rates = pool.apply(_rates, (files[:_FEW],))
        peaks: list[float] = []
        for count in (_FEW, _MANY):
            with context.Pool(1) as pool:
                peaks.append(pool.apply(_peak, (files[:count],)))
    figures = {f"replay {name} calls a second": rate for name, rate in rates.items()}
    figures["replay memory ratio at 10 times the calls"] = peaks[1] / peaks[0]
    rows: list[tuple[str, ...]] = [
        (name, f"{rate:,.0f}", f"{rates['json.loads'] / rate:,.1f}") for name, rate in rates.items()
    ]
    grown = f"{peaks[0]:.0f} MB at {calls:,} calls, {peaks[1]:.0f} MB at {_MANY * _CALLS:,}"
    remarks = [f"peak memory: {grown}: {peaks[1] / peaks[0]:.2f} times (target: flat)"]
    title = f"replay: {calls:,} calls in {_FEW} sessions, one process"
    return Report(title, ("what", "calls a second", "times json.loads"), rows, remarks, figures)


def _rates(files: list[str]) -> dict[str, float]:
    """Return calls a second for each way to go through the files."""
    ours = (Contender("normalized", ToolPolicy(dedupe_tool_calls=True)),)
    ways: dict[str, Callable[[], None]] = {
        "json.loads": lambda: _load(files),
        "no policy": lambda: _study(files, contenders({})[:1]),
        "normalized": lambda: _study(files, ours),
        "five policies compared": lambda: _study(files, contenders({})),
    }
    _study(files[:1], contenders({}))  # what is loaded at first use
    rates: dict[str, float] = {}
    for name, way in ways.items():
        start = time.perf_counter()
        way()
        rates[name] = len(files) * _CALLS / (time.perf_counter() - start)
    return rates


def _peak(files: list[str]) -> float:
    """Return the most memory that this process has had after a comparison, in MB."""
    _study(files, contenders({}))
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _study(files: list[str], contending: tuple[Contender, ...]) -> None:
    deque(study(files, Task(contending)), maxlen=0)


def _load(files: list[str]) -> None:
    for name in files:
        for line in Path(name).read_text(encoding="utf-8").splitlines():
            json.loads(line)


def _write(folder: Path, number: int) -> str:
    """Write one session of commands, some of them again in another spelling, with results as long as real ones."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Find it."}]
    for place in range(_CALLS):
        source = place - _REPEATED if place % _REPEATED == 0 and place else place
        word = _WORDS[(number + source) % len(_WORDS)]
        blanks = "  " if source != place else " "
        command = f"grep -rn{blanks}{word}{source} src/{word} | head -{10 + source % 5}"
        call = {
            "id": f"c{place}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{place}", "content": f"src/{word}.py:{source}: {word}\n" * 40}
        )
    path = folder / f"{number}.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in messages), encoding="utf-8")
    return str(path)
