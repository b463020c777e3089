"""Readers of recorded sessions, one format a file. The format is found from the content, not from the file's name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from ..errors import RecordingError
from . import (
    antigravity,
    blocks,
    claude_code,
    codex,
    copilot,
    droid,
    forge,
    gemini,
    grok,
    intercode,
    kimi,
    mini_swe_agent,
    openai_messages,
    opencode,
    openhands,
    swe_agent,
)
from .recording import Batch, RecordedCall, Recording, Turn

Reader: TypeAlias = tuple[Callable[[object], bool], Callable[[object], Iterator[Recording]]]

# The first that recognizes a file reads it: the narrow ones come before those that would take more.
READERS: tuple[Reader, ...] = (
    (codex.recognizes, codex.read),
    (forge.recognizes, forge.read),
    (intercode.recognizes, intercode.read),
    (swe_agent.recognizes, swe_agent.read),
    (openhands.recognizes, openhands.read),
    (mini_swe_agent.recognizes, mini_swe_agent.read),
    (openai_messages.recognizes, openai_messages.read),
    (antigravity.recognizes, antigravity.read),
    (copilot.recognizes, copilot.read),
    (kimi.recognizes, kimi.read),
    (grok.recognizes, grok.read),
    (opencode.recognizes, opencode.read),
    (droid.recognizes, droid.read),
    (gemini.recognizes, gemini.read),
    (claude_code.recognizes, claude_code.read),
    (blocks.recognizes, blocks.read),
)

__all__ = ["READERS", "Batch", "RecordedCall", "Recording", "Turn", "parse", "read"]


def read(path: str | Path) -> tuple[Recording, ...]:
    """Read the sessions of a file. Raises ``RecordingError``, which says what is wrong with it."""
    try:
        text = Path(path).read_bytes().decode(errors="replace")
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or type(error).__name__}") from None
    except ValueError:
        raise RecordingError(f"{path!r}: not a file name") from None
    try:
        return parse(text)
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}") from None


def parse(text: str) -> tuple[Recording, ...]:
    """Read the sessions in JSON or JSON Lines. Raises ``RecordingError`` for anything else."""
    document = _load(text.removeprefix("\ufeff"))
    for recognizes, reads in READERS:
        if recognizes(document):
            return tuple(reads(document))
    raise RecordingError("no format of recorded sessions that we know")


def _load(text: str) -> object:
    if not text.strip():
        raise RecordingError("empty")
    try:
        return json.loads(text)
    except RecursionError:
        raise RecordingError("nested too deeply") from None
    except ValueError:
        pass
    lines = [line for line in text.splitlines() if line.strip()]
    found: list[object] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            # A session that was cut off ends in half a line; anything else is not JSON Lines.
            if number < len(lines) or not found:
                raise RecordingError(f"neither JSON nor JSON Lines (line {number})") from None
    return found
