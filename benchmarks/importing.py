"""What ``import callkey`` costs."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from .report import Report

_ROUNDS = 11
_PROGRAM = """
import sys
before = set(sys.modules)
import {name}
print(len(set(sys.modules) - before), "bashlex" in sys.modules)
"""


def run() -> Report:
    """Start a fresh interpreter several times with and without the import."""
    bare = _seconds("import sys")
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name in ("callkey", "samecall"):
        taken = _seconds(f"import {name}") - bare
        program = [sys.executable, "-c", _PROGRAM.format(name=name)]
        printed = subprocess.run(program, capture_output=True, text=True, check=True)  # noqa: S603 - our own text
        modules, has_bashlex = printed.stdout.split()
        rows.append((f"import {name}", f"{taken * 1000:.1f}", modules, "yes" if has_bashlex == "True" else "no"))
        figures[f"import {name} ms"] = taken * 1000
    return Report(
        f"import: medians of {_ROUNDS} fresh interpreters, less {bare * 1000:.1f} ms of their own",
        ("what", "ms", "modules", "loads bashlex"),
        rows,
        ["target: callkey under 60 ms, without bashlex"],
        figures,
    )


def _seconds(program: str) -> float:
    taken: list[float] = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - this interpreter, our own text
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)
