"""Time against length, depth and number: a slope of 1 is linear."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from callkey import canonicalize
from callkey.keys import forget_all

from .report import Report
from .timing import best

_SIZES = (9 * 10**2, 9 * 10**3, 9 * 10**4, 9 * 10**5, 9 * 10**6)  # characters; from 10**6 on all is keyed raw

LENGTHS: Mapping[str, Callable[[int], str]] = {
    "one quoted word": lambda n: "printf %s '" + "a b" * (n // 3) + "'",
    "bare words": lambda n: "ls" + " file.txt" * (n // 9),
    "quoted words": lambda n: "ls" + " 'a b' \"$x\"" * (n // 11),
    "here-document": lambda n: "cat <<'EOF' >f\n" + "some text, $x\n" * (n // 14) + "EOF\n",
    "expanding here-document": lambda n: "cat <<EOF >f\n" + "some text, $x\n" * (n // 14) + "EOF\n",
    "lines": lambda n: "grep -n 'x y' f\n" * (n // 16),
    "substitutions": lambda n: "ls" + " $(cat f)" * (n // 9),
    "curl headers": lambda n: "curl" + " -H 'A: 1'" * (n // 10) + " https://h/",
    "query": lambda n: "curl 'https://h/?" + "b=1&a=2&" * (n // 8) + "'",
}
COUNTS: Mapping[str, tuple[Sequence[int], Callable[[int], str]]] = {
    "pipeline stages": ((100, 1000, 10_000), lambda n: "p" + " | q" * n),
    "nested $( )": ((8, 16, 32, 64, 1000), lambda n: "p " + "$(q " * n + ")" * n),
    "nested ( )": ((8, 16, 32, 64, 1000), lambda n: "( " * n + "p" + " )" * n),
    "nested if": ((8, 16, 32, 64, 1000), lambda n: "if p; then " * n + "q" + "; fi" * n),
}


def run() -> Report:
    """Measure each shape at each size; the slope is between neighbouring sizes, on a log scale."""
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name, shape in LENGTHS.items():
        rows += _grow(name, _SIZES, shape, figures)
    for name, (sizes, shape) in COUNTS.items():
        rows += _grow(name, sizes, shape, figures)
    worst, where = max((figures[name], name) for name in figures)
    return Report(
        "scale: time of one canonicalize without memory",
        ("shape", "n", "ms", "slope", "keyed"),
        rows,
        [f"most time for ten times the length: {worst:.1f} times, {where} (target: at most 12)"],
        figures,
    )


def _grow(
    name: str, sizes: Sequence[int], shape: Callable[[int], str], figures: dict[str, float]
) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    before: tuple[int, float, bool] | None = None
    for size in sizes:
        command = shape(size)

        def once(command: str = command) -> object:
            forget_all()
            return canonicalize(command)

        seconds = best(once, rounds=5 if size < 10**6 else 2)
        raw = canonicalize(command).raw
        slope = "-"
        if before is not None and before[2] == raw and not raw:
            ratio = seconds / before[1]
            slope = f"{math.log(ratio) / math.log(size / before[0]):.2f}"
            if size == 10 * before[0]:
                figures[f"scale {name} {size} tenfold"] = ratio
        rows.append((name, f"{size:,}", f"{seconds * 1000:,.2f}", slope, "raw" if raw else "structured"))
        before = (size, seconds, raw)
    return rows
