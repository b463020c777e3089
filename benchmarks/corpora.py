"""Other people's commands through the engine: no exception, none slow, few left raw."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from callkey import canonicalize, key
from callkey.keys import forget_all

from .corpus import SHARED, read_commands
from .report import Report

_SHORT = 4096  # characters: the bound on time holds below it


@dataclass(slots=True)
class _Found:
    raised: list[str]
    raw: list[tuple[str, str]]
    slowest: float = 0.0
    slowest_command: str = ""


def run() -> Report:
    """Key every command of every file, and ask ``bash -n`` about those that stay raw."""
    rows: list[tuple[str, ...]] = []
    remarks: list[str] = []
    figures: dict[str, float] = {}
    for path in sorted((SHARED / "commands").glob("*.jsonl")):
        commands = read_commands(path)
        found = _try(commands)
        refused = {command for command, _ in found.raw if not _bash_reads(command)}
        accepted = len(commands) - sum(command in refused for command in commands)
        left = [(command, problem) for command, problem in found.raw if command not in refused]
        share = 1 - len(left) / accepted
        rows.append(
            (
                path.stem,
                str(len(commands)),
                str(len(found.raised)),
                f"{found.slowest:.1f}",
                str(accepted),
                f"{share:.2%}",
            )
        )
        figures[f"corpora {path.stem} structured"] = share
        figures[f"corpora {path.stem} slowest ms"] = found.slowest
        remarks.append(f"{path.stem}: slowest {found.slowest_command[:100]!r}")
        remarks += [f"  raised: {one}" for one in found.raised[:5]]
        remarks += [f"  raw {number} times: {reason}" for reason, number in _reasons(left)]
        remarks += [f"    {command[:140]!r}" for command, _ in left[:4]]
    return Report(
        "corpora: structured is the share, not keyed raw, of what bash -n accepts",
        ("file", "commands", "exceptions", "slowest ms", "bash reads", "structured"),
        rows,
        ["targets: no exception, under 50 ms, agents and nl2bash at least 99 % structured", *remarks],
        figures,
    )


def _try(commands: Sequence[str]) -> _Found:
    found = _Found([], [])
    for command in ("{ true; }", "curl http://h/ | jq ."):
        canonicalize(command)  # tables are built once, and not by the first command measured
    for command in commands:
        forget_all()
        start = time.perf_counter()
        try:
            forms = canonicalize(command)
            key(command)
        except Exception as error:  # noqa: BLE001 - counting them is the point
            found.raised.append(f"{command[:100]!r}: {error!r}")
            continue
        taken = (time.perf_counter() - start) * 1000
        if taken > found.slowest and len(command) < _SHORT:
            found.slowest, found.slowest_command = taken, command
        if forms.raw:
            found.raw.append((command, forms.problem))
    return found


def _reasons(raw: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
    return Counter(problem.partition(": ")[2] or problem for _, problem in raw).most_common(6)


def _bash_reads(command: str) -> bool:
    source = command.encode("utf-8", "surrogateescape")
    # A fixed program that only reads; the command is its standard input
    done = subprocess.run(["bash", "-n"], input=source, capture_output=True, check=False)  # noqa: S607
    return done.returncode == 0


def available(path: Path = SHARED) -> bool:
    """Say whether the data is there."""
    return path.is_dir()
