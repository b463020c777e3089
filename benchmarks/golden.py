"""Pairs of commands that were run in bash or captured on the wire: equal ones should meet, different ones not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from callkey import Canonical, canonicalize

from .corpus import SHARED
from .report import Report

PAIRS = SHARED / "golden_pairs.jsonl"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commands, whether they are equal, and what kind of pair it is."""

    a: str
    b: str
    expect: str
    kind: str

    @property
    def is_curl(self) -> bool:
        """Whether the pair is about a request."""
        return "curl" in self.kind or "curl" in self.a


def read_pairs(path: Path = PAIRS) -> list[Pair]:
    """Read the pairs; arguments of curl become commands."""
    pairs: list[Pair] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        bare = row["cls"] in {"curl args", "curl flag cluster"}
        a, b = ((f"curl {row[side]}" if bare and not row[side].startswith("curl") else row[side]) for side in "ab")
        pairs.append(Pair(a, b, row["expect"], row["cls"]))
    return pairs


def run() -> Report:
    """Count the pairs that share a text, and list those that should and do not."""
    pairs = read_pairs()
    different = [pair for pair in pairs if pair.expect == "different"]
    merged = [pair for pair in different if _exact(pair.a) == _exact(pair.b)]
    merged_text = [pair for pair in different if _text(pair.a) == _text(pair.b)]
    equal = [pair for pair in pairs if pair.expect == "equal"]
    rows: list[tuple[str, ...]] = [
        ("different: one exact text", str(len(merged)), str(len(different)), "0"),
        ("different: one text and view", str(len(merged_text)), str(len(different)), "-"),
    ]
    remarks = [
        f"  {name}: {pair.a!r}  {pair.b!r}"
        for name, found in (("MERGED, exact", merged), ("merged, text", merged_text))
        for pair in found
    ]
    figures: dict[str, float] = {"golden different exact": len(merged), "golden different text": len(merged_text)}
    groups: tuple[tuple[str, list[Pair], Callable[[str], object], str], ...] = (
        ("equal, shell: one exact text", [p for p in equal if not p.is_curl], _exact, "95 %"),
        ("equal, curl: one text", [p for p in equal if p.is_curl], _text, "90 %"),
        ("equal-ast: one exact text", [p for p in pairs if p.expect == "equal-ast"], _exact, "90 %"),
    )
    for name, group, form, target in groups:
        missed = [pair for pair in group if form(pair.a) != form(pair.b)]
        share = 1 - len(missed) / len(group)
        rows.append((name, f"{len(group) - len(missed)} ({share:.1%})", str(len(group)), target))
        figures[f"golden {name}"] = share
        remarks += [f"{name}, missed:"] * bool(missed)
        remarks += [f"  {pair.a!r}  {pair.b!r}{_reason(pair)}" for pair in missed]
    policy = [pair for pair in pairs if pair.expect == "policy"]
    together = sum(_text(pair.a) == _text(pair.b) for pair in policy)
    rows.append(("policy: one text", f"{together} ({together / len(policy):.1%})", str(len(policy)), "-"))
    return Report("golden: pairs of known outcome", ("what", "pairs", "of", "target"), rows, remarks, figures)


def _exact(command: str) -> str:
    return canonicalize(command).exact


def _text(command: str) -> tuple[str, str]:
    forms = canonicalize(command)
    return forms.text, forms.view


def _reason(pair: Pair) -> str:
    problems = sorted({forms.problem for forms in map(_forms, (pair.a, pair.b)) if forms.problem})
    return f"  raw: {'; '.join(problems)}" if problems else f"  ({pair.kind})"


def _forms(command: str) -> Canonical:
    return canonicalize(command)
