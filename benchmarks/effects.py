"""How many commands with a label from elsewhere are judged as labelled: ``python -m benchmarks.effects``.

A label says "may run unasked", which is not quite our question: some labelled writers only read secrets, or are not
known to whoever labelled them; some labelled readers write a lock file. What differs is listed to be looked at.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from callkey import Effect, effects

LABELLED = Path(__file__).parents[2] / "shared" / "data" / "commands" / "effects_dippy.jsonl"
"""Lines of ``{"cmd": …, "read_only": …}``. Other people's work, read where it lies."""

Row = tuple[str, str]


def run(path: Path = LABELLED) -> list[Row]:
    """Return what was counted, then every command labelled a writer that no effect shows: (name, value)."""
    commands = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    judged = [(command, effects(command["cmd"])) for command in commands]
    counts = Counter((bool(command["read_only"]), effect.kind) for command, effect in judged)
    writers = sum(number for (reads, _), number in counts.items() if not reads)
    readers = sum(number for (reads, _), number in counts.items() if reads)
    found = counts[True, "read"] + counts[True, "volatile"]
    missed = counts[False, "read"]
    rows = [
        ("labelled not read-only", str(writers)),
        ("  of these called READ", f"{missed} ({missed / writers:.2%})"),
        ("  of these called VOLATILE without a change", str(sum(_is_quiet(*one) for one in judged))),
        ("labelled read-only", str(readers)),
        ("  of these called READ or VOLATILE", f"{found} ({found / readers:.1%})"),
    ]
    for command, effect in judged:
        if not command["read_only"] and not effect.changes:
            rows.append((f"    {effect.kind.upper()}, labelled a writer", command["cmd"]))
    return rows


def _is_quiet(command: dict[str, Any], effect: Effect) -> bool:
    return not command["read_only"] and effect.kind == "volatile" and not effect.changes


if __name__ == "__main__":
    for name, value in run():
        print(f"{name:48} {value}")  # noqa: T201  # a report
