"""Make the key vectors: ``python -m benchmarks.vectors`` reads the hand-written inputs and writes what the engine says.

The groups are claims: it refuses to write vectors that break one. A vector that changes needs a new ``KEY_VERSION``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from callkey import KEY_VERSION, ToolCall, canonicalize, key

CONFORMANCE = Path(__file__).parents[1] / "tests" / "conformance"
INPUTS = CONFORMANCE / "inputs.json"
VECTORS = CONFORMANCE / "keys.json"


def vector(item: str | dict[str, Any]) -> dict[str, Any]:
    """Return one command or tool call with everything that a key says of it."""
    found = key(item if isinstance(item, str) else ToolCall(item["name"], item["input"]))
    if found is None:
        raise ValueError(f"no key for {item!r}")
    entry: dict[str, Any] = {"command": item} if isinstance(item, str) else {"call": item}
    if isinstance(item, str):
        forms = canonicalize(item)
        entry |= {"exact": forms.exact, "text": forms.text, "view": forms.view, "raw": forms.raw}
    return entry | {"strategy": found.strategy, "digest": found.digest, "view_digest": found.view_digest}


def make() -> dict[str, Any]:
    """Return the whole document.

    Raises:
        ValueError: an input stands twice in its group, or the engine breaks a claim of a group.

    """
    groups: list[dict[str, Any]] = []
    for group in json.loads(INPUTS.read_text(encoding="utf-8")):
        same, others = [vector(item) for item in group["same"]], [vector(item) for item in group["others"]]
        digests = {entry["digest"] for entry in same}
        if len(digests) != 1:
            raise ValueError(f"{group['why']} Not one digest: {[entry.get('text', entry) for entry in same]}")
        merged = [entry for entry in others if entry["digest"] in digests]
        if merged:
            raise ValueError(f"{group['why']} Merged: {merged}")
        twice = [item for item, count in Counter(map(repr, group["same"] + group["others"])).items() if count > 1]
        if twice:
            raise ValueError(f"{group['why']} Twice: {twice}")
        groups.append({"why": group["why"], "same": same, "others": others})
    return {"key_version": KEY_VERSION, "groups": groups}


def dump(document: dict[str, Any]) -> str:
    """Write JSON that is ASCII, so that control characters and lone surrogates survive every editor."""
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    try:
        VECTORS.write_text(dump(make()), encoding="ascii")
    except ValueError as error:
        sys.exit(str(error))
