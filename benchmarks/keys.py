"""How long a key takes, beside what others take on the same commands in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from callkey import canonicalize, key
from callkey.keys import forget_all

from . import bashlex_timing, peers
from .corpus import read_commands
from .report import Report
from .timing import Times, measure, summary
from .ways import way

_ROUNDS = 7


def run(corpus: Path) -> Report:
    """Measure keys cold and warm, each peer, and how many commands go which way through the engine."""
    commands = read_commands(corpus)
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}

    def add(name: str, times: Times) -> Times:
        rows.append((name, *(f"{value:,.1f}" for value in (times.median, times.mean, times.p99, times.slowest))))
        figures[f"keys {name} median µs"] = times.median
        figures[f"keys {name} mean µs"] = times.mean
        return times

    cold = add("normalized, cold", measure(key, commands, rounds=_ROUNDS, before=forget_all))
    add("canonicalize, cold", measure(canonicalize, commands, rounds=_ROUNDS, before=forget_all))
    few = commands[:256]  # what a session repeats fits in memory
    warm = add("normalized, warm", measure(key, few, rounds=_ROUNDS, before=None))
    others = dict(peers.COMMAND_PEERS)
    tree_sitter = peers.tree_sitter(whole=False)
    if tree_sitter:
        others["tree-sitter-bash"] = tree_sitter
    measured = {name: add(name, measure(make, commands, rounds=_ROUNDS, before=None)) for name, make in others.items()}
    found, lost = bashlex_timing.time_each(commands, rounds=3)
    bashlex = add("bashlex.parse, raw", summary([taken for taken, _ in found.values()]))
    read = [command for command, (_, accepted) in found.items() if accepted]
    cold_read = measure(key, read, rounds=_ROUNDS, before=forget_all)
    bashlex_read = summary([found[command][0] for command in read])
    split = measured["shlex.split"]
    figures["keys cold median / shlex median"] = cold.median / split.median
    figures["keys cold mean / bashlex mean"] = cold.mean / bashlex.mean
    return Report(
        f"keys: {len(commands)} commands of {corpus.name}, µs a command",
        ("what", "median", "mean", "p99", "slowest"),
        rows,
        [
            f"cold median / shlex.split median: {cold.median / split.median:.2f} (target: at most 1.0)",
            f"cold mean / bashlex.parse mean: {cold.mean / bashlex.mean:.2f} (target: at most 0.25)",
            f"warm median: {warm.median:.2f} µs (target: at most 2)",
            f"on the {len(read)} commands that bashlex.parse reads: {cold_read.mean / bashlex_read.mean:.2f}",
            f"bashlex.parse refused {len(found) - len(read)} and never came back from {lost}",
            *(f"{name}: {share}" for name, share in _ways(commands)),
            *([] if tree_sitter else ["tree-sitter-bash is not installed (dependency group bench)"]),
        ],
        figures,
    )


def _ways(commands: Sequence[str]) -> list[tuple[str, str]]:
    ways = [way(command) for command in commands]
    names = ("text to text", "short", "masked", "raw")
    return [(name, f"{ways.count(name) / len(ways):.1%} of the commands") for name in names]
