"""What a decision costs in a session of ten calls, and in one of a million."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc

from callkey import ToolCall
from samecall import Execute, ToolCallGate, ToolPolicy

from .report import Report

_SIZES = (10, 10**3, 10**5, 10**6)
_SAMPLE = 400  # decisions measured at each size


def run() -> Report:
    """Fill one session with different calls; at each size measure new ones and repeated ones, and the memory."""
    gate = ToolCallGate(ToolPolicy(dedupe_tool_calls=True, dedupe_scope="session", tool_call_key="exact", invalidate=False))
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    gc.collect()
    tracemalloc.start()
    start, filled = tracemalloc.get_traced_memory()[0], 0
    for size in _SIZES:
        for number in range(filled, size):
            _call(gate, number)
        gc.collect()
        bytes_a_call = (tracemalloc.get_traced_memory()[0] - start) / size
        filled = size
        rows.append((f"{size:,}", f"{bytes_a_call:,.0f}"))
        figures[f"gate bytes a call at {size}"] = bytes_a_call
    tracemalloc.stop()
    del gate
    gate = ToolCallGate(ToolPolicy(dedupe_tool_calls=True, dedupe_scope="session", tool_call_key="exact", invalidate=False))
    filled = 0
    timed: list[tuple[str, ...]] = []
    for size, row in zip(_SIZES, rows, strict=True):
        for number in range(filled, size):
            _call(gate, number)
        new = _microseconds(gate, range(size, size + _SAMPLE))
        repeated = _microseconds(gate, [number * (size // 10) % size for number in range(_SAMPLE)])
        filled = size + _SAMPLE
        timed.append((row[0], f"{new:.1f}", f"{repeated:.1f}", row[1]))
        figures[f"gate new µs at {size}"] = new
        figures[f"gate repeated µs at {size}"] = repeated
    flat = figures[f"gate new µs at {_SIZES[-1]}"] / figures[f"gate new µs at {_SIZES[0]}"]
    memory = figures[f"gate bytes a call at {_SIZES[-1]}"]
    return Report(
        "gate: one decision and its settlement, exact keys, in memory",
        ("remembered calls", "new, µs", "repeated, µs", "bytes a call"),
        timed,
        [
            f"a decision at {_SIZES[-1]:,} calls takes {flat:.2f} times one at {_SIZES[0]} (target: flat)",
            f"{memory:.0f} bytes a remembered call (target: at most 250)",
        ],
        figures,
    )


def _call(gate: ToolCallGate, number: int) -> None:
    call = ToolCall("search", {"query": number}, f"c{number}")
    (decision,) = gate.admit([call])
    if isinstance(decision, Execute):
        gate.settle(call, "succeeded")


def _microseconds(gate: ToolCallGate, numbers: range | list[int]) -> float:
    taken: list[int] = []
    for index, number in enumerate(numbers):
        call = ToolCall("search", {"query": number}, f"t{number}-{index}")
        start = time.perf_counter_ns()
        (decision,) = gate.admit([call])
        if isinstance(decision, Execute):
            gate.settle(call, "succeeded")
        taken.append(time.perf_counter_ns() - start)
    return statistics.median(taken) / 1000
