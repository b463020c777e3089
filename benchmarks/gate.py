"""What a decision costs in a session of ten calls, and in one of a million, on each store."""

from __future__ import annotations

import gc
import multiprocessing
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callkey import ToolCall
from samecall import Execute, ToolCallGate, ToolPolicy
from samecall.stores import MemoryStore, RedisStore, SQLiteStore, Store

from .report import Report

_SIZES = {"memory": (10, 10**3, 10**5, 10**6), "sqlite": (10, 10**3, 10**5), "redis": (10, 10**3, 10**5)}
_SAMPLE = 400  # decisions measured at each size
_BATCH = 500  # calls that are admitted together while the session fills
_WEIGHABLE = 10**5  # calls below which the process is too heavy to see them


def run() -> Report:
    """Fill one session a store; at each size measure new calls and repeated ones, and the memory they take."""
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    remarks: list[str] = []
    for store, sizes in _SIZES.items():
        if store == "redis" and shutil.which("redis-server") is None:
            remarks.append("redis: skipped, no redis-server here")
            continue
        # A process of its own: the memory of this one holds what other benchmarks left.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            measured = pool.apply(_measure, (store, sizes))
        for size, new, repeated, weight in measured:
            figures[f"gate {store} new µs at {size}"] = new
            figures[f"gate {store} repeated µs at {size}"] = repeated
            weighs = store == "memory" and size >= _WEIGHABLE and weight > 0
            if weighs:
                figures[f"gate bytes a call at {size}"] = weight
            rows.append((store, f"{size:,}", f"{new:.0f}", f"{repeated:.0f}", f"{weight:,.0f}" if weighs else "-"))
        ratio = measured[-1][1] / measured[0][1]
        remarks.append(f"{store}: new at {sizes[-1]:,} calls / new at {sizes[0]}: {ratio:.2f} (target: flat)")
    remarks.append("bytes: growth of the resident set, by the number of calls (target: at most 250)")
    return Report(
        "gate: one decision and its settlement, exact keys",
        ("store", "remembered calls", "new, µs", "repeated, µs", "bytes a call"),
        rows,
        remarks,
        figures,
    )


def _measure(store: str, sizes: tuple[int, ...]) -> list[tuple[int, float, float, float]]:
    """Return for each size: itself, µs for a new call, µs for a repeated one, bytes a call."""
    policy = ToolPolicy(
        dedupe_tool_calls=True, dedupe_scope="session", tool_call_key="exact", invalidate=False, max_rejections=None
    )
    measured: list[tuple[int, float, float, float]] = []
    with _open(store) as opened:
        gate = ToolCallGate(policy, store=opened)
        _microseconds(gate, range(-_SAMPLE, 0))  # what is loaded at first use
        before, filled = _resident_bytes(), 0
        for size in sizes:
            _fill(gate, range(filled, size))
            gc.collect()
            weight = (_resident_bytes() - before) / size
            new = _microseconds(gate, range(size, size + _SAMPLE))
            repeated = _microseconds(gate, [number * (size // 10) % size for number in range(_SAMPLE)])
            filled = size + _SAMPLE
            measured.append((size, new, repeated, weight))
    return measured


@contextmanager
def _open(store: str) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        match store:
            case "sqlite":
                file = SQLiteStore(Path(folder) / "gate.db")
                yield file
                file.close()
            case "redis":
                with _redis(folder) as url:
                    yield RedisStore(url)
            case _:
                yield MemoryStore()


@contextmanager
def _redis(folder: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    # Nothing in the command comes from outside.
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:  # noqa: S603
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


def _fill(gate: ToolCallGate, numbers: range) -> None:
    for start in range(numbers.start, numbers.stop, _BATCH):
        calls = [_search(number, "f") for number in range(start, min(start + _BATCH, numbers.stop))]
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
