"""The commands that the benchmarks run on."""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent
DEFAULT = HERE / "corpus.jsonl"
"""Commands written for this project, in the mix that coding agents use."""

SHARED = HERE.parents[1] / "shared" / "data"
"""Other people's data, read where it lies and skipped where it does not."""


def read_commands(path: Path) -> list[str]:
    """Read one JSON object a line: the command is under ``cmd`` or ``command``, or the line is a JSON string.

    Raises:
        ValueError: a line is none of these; the message names it.

    """
    commands: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            found = value if isinstance(value, str) else value.get("cmd", value.get("command"))
        except (ValueError, AttributeError):
            found = None
        if not isinstance(found, str):
            # A fault of the file, not of the caller
            raise ValueError(f"{path}, line {number}: no command")  # noqa: TRY004
        commands.append(found)
    if not commands:
        raise ValueError(f"{path}: no commands")
    return commands
