"""What a decision costs in a session of ten calls, and in one of a million."""

from __future__ import annotations

import gc
import itertools
import statistics
import time
from pathlib import Path

from callkey import ToolCall
from samecall import Execute, ToolCallGate, ToolPolicy

from .report import Report

_SIZES = (10, 10**3, 10**5, 10**6)
_SAMPLE = 400  # decisions measured at each size
_BATCH = 500  # calls that are admitted together while the session fills
_WEIGHABLE = 10**5  # calls below which the process is too heavy to see them


def run() -> Report:
    """Fill one session with different calls; at each size measure new ones and repeated ones, and the memory."""
    policy = ToolPolicy(dedupe_tool_calls=True, dedupe_scope="session", tool_call_key="exact", invalidate=False)
    gate = ToolCallGate(policy)
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    before, filled = _resident_bytes(), 0
    for size in _SIZES:
        _fill(gate, range(filled, size))
        gc.collect()
        weight = (_resident_bytes() - before) / size
        new = _microseconds(gate, range(size, size + _SAMPLE))
        repeated = _microseconds(gate, [number * (size // 10) % size for number in range(_SAMPLE)])
        filled = size + _SAMPLE
        figures[f"gate new µs at {size}"] = new
        figures[f"gate repeated µs at {size}"] = repeated
        weighable = size >= _WEIGHABLE and before > 0
        if weighable:
            figures[f"gate bytes a call at {size}"] = weight
        rows.append((f"{size:,}", f"{new:.1f}", f"{repeated:.1f}", f"{weight:,.0f}" if weighable else "-"))
    flat = figures[f"gate new µs at {_SIZES[-1]}"] / figures[f"gate new µs at {_SIZES[0]}"]
    return Report(
        "gate: one decision and its settlement, exact keys, in memory",
        ("remembered calls", "new, µs", "repeated, µs", "bytes a call"),
        rows,
        [
            f"a decision at {_SIZES[-1]:,} calls takes {flat:.2f} times one at {_SIZES[0]} (target: flat)",
            "bytes: growth of the resident set, by the number of calls (target: at most 250)",
        ],
        figures,
    )


def _fill(gate: ToolCallGate, numbers: range) -> None:
    for start in range(numbers.start, numbers.stop, _BATCH):
        calls = [_search(number, "f") for number in itertools.islice(numbers, start - numbers.start, start - numbers.start + _BATCH)]
        gate.admit(calls)
        for call in calls:
            gate.settle(call, "succeeded")


def _search(number: int, kind: str) -> ToolCall:
    return ToolCall("search", {"query": number}, f"{kind}{number}")


def _microseconds(gate: ToolCallGate, numbers: range | list[int]) -> float:
    taken: list[int] = []
    for index, number in enumerate(numbers):
        call = _search(number, f"{index}-")
        start = time.perf_counter_ns()
        (decision,) = gate.admit([call])
        if isinstance(decision, Execute):
            gate.settle(call, "succeeded")
        taken.append(time.perf_counter_ns() - start)
    return statistics.median(taken) / 1000


def _resident_bytes() -> int:
    """Return the resident set of this process; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    except OSError:
        return 0
