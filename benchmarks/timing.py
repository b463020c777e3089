"""Measure how long a function takes on each of many inputs."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Times:
    """Microseconds an input: for each the median of its repetitions, over all inputs these."""

    median: float
    mean: float
    p99: float
    slowest: float


def measure(
    function: Callable[[str], object], inputs: Sequence[str], *, rounds: int, before: Callable[[], object] | None
) -> Times:
    """Run ``function`` on all inputs, round after round, so that a disturbance hits one round and not one input.

    ``before`` runs, unmeasured, ahead of each round: it empties caches.
    """
    clock = time.perf_counter_ns
    taken: list[list[int]] = [[] for _ in inputs]
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            if before:
                before()
            for times, value in zip(taken, inputs, strict=True):
                start = clock()
                function(value)
                times.append(clock() - start)
    finally:
        gc.enable()
    return summary([statistics.median(times) / 1000 for times in taken])


def summary(values: Sequence[float]) -> Times:
    """Summarize microseconds."""
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return Times(statistics.median(ordered), statistics.fmean(ordered), p99, ordered[-1])


def best(function: Callable[[], object], *, rounds: int) -> float:
    """Return the shortest time of a function, in seconds."""
    shortest = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest
