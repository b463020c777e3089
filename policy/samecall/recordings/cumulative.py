"""Request logs that each hold the session so far: of one session's files in a folder, only the last is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import cast

# What OpenHands' SDK calls them: the model, then seconds since 1970.
_NAME = re.compile(r"(.+)-\d{9,}\.\d+\.json")


def without_superseded(folder: Path, names: Iterable[str]) -> list[str]:
    """Return the names in their order, without the logs whose messages another log of their series begins with."""
    kept: list[str] = []
    series, messages = "", ""
    for name in names:
        named = _NAME.fullmatch(name)
        told = _messages(folder / name) if named else ""
        if named and told and named[1] == series and messages and told.startswith(messages):
            kept.pop()
        kept.append(name)
        series, messages = (named[1], told) if named else ("", "")
    return kept


def _messages(path: Path) -> str:
    """Return a log's messages as text, without the end of their list; ``""`` where it is no log."""
    try:
        log = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", log) if isinstance(log, dict) else {}
    return json.dumps(found.get("messages"))[:-1] if isinstance(found.get("messages"), list) else ""
