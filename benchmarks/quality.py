"""Who sees that two calls are one, and who takes two for one: labelled pairs, ours beside each peer's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from callkey import ToolCall, canonicalize, key

from . import peers
from .corpus import HERE
from .report import Report

PAIRS = HERE / "pairs.jsonl"
"""``kind`` is shell, curl or url; ``equal`` says whether the two do the same work; ``why`` says why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commands or URLs and whether they do the same work."""

    kind: str
    a: str
    b: str
    equal: bool
    why: str


def read_pairs(path: Path = PAIRS) -> list[Pair]:
    """Read the labelled pairs."""
    return [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def run() -> Report:
    """Count missed and false merges of every key on the pairs that it is for."""
    pairs = read_pairs()
    commands = [pair for pair in pairs if pair.kind != "url"]
    urls = [pair for pair in pairs if pair.kind == "url"]
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    remarks: list[str] = []

    def count(name: str, make: Callable[[str], object], chosen: Sequence[Pair], *, ours: bool = False) -> None:
        wrong = [pair for pair in chosen if (make(pair.a) == make(pair.b)) != pair.equal]
        missed = [pair for pair in wrong if pair.equal]
        false = [pair for pair in wrong if not pair.equal]
        equal = sum(pair.equal for pair in chosen)
        rows.append((name, f"{len(missed)} of {equal}", f"{len(false)} of {len(chosen) - equal}"))
        figures[f"quality {name} missed"] = len(missed)
        figures[f"quality {name} false"] = len(false)
        if ours:
            remarks.extend(
                f"{name}, {'missed' if pair.equal else 'FALSE'}: {pair.a!r}  {pair.b!r}  ({pair.why})" for pair in wrong
            )

    count("normalized", _work, commands, ours=True)
    # The exact text keeps views apart: that is what it is for
    shell = [pair for pair in commands if pair.kind == "shell" and not (pair.equal and "view" in pair.why)]
    count("exact text (shell pairs)", peers.exact, shell, ours=True)
    for name, make in peers.COMMAND_PEERS.items():
        count(name, make, commands)
    tree_sitter = peers.tree_sitter(whole=True)
    if tree_sitter:
        count("tree-sitter-bash, tree and texts", tree_sitter, commands)
    count("url: normalized", _fetched, urls, ours=True)
    for name, make in peers.url_peers().items():
        count(f"url: {name}", make, urls)
    count("url: raw text, hashed", peers.raw_text, urls)
    return Report(
        f"quality: {len(commands)} pairs of commands, {len(urls)} of URLs",
        ("key", "missed merges", "false merges"),
        rows,
        remarks,
        figures,
    )


def _work(command: str) -> str:
    return canonicalize(command).text


def _fetched(url: str) -> str:
    found = key(ToolCall("WebFetch", {"url": url, "prompt": "-"}))
    return found.digest if found else ""
