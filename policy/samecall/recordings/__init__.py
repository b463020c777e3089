"""Readers of recorded sessions, one format a file. The format is found from the content, not from the file's name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from ..errors import RecordingError
from . import (
    antigravity,
    blocks,
    claude_code,
    cline,
    codex,
    copilot,
    cursor,
    droid,
    forge,
    gate_events,
    gemini,
    grok,
    intercode,
    kimi,
    mini_swe_agent,
    openai_messages,
    openai_responses,
    opencode,
    openhands,
    opentelemetry,
    swe_agent,
)
from .draft import Drafts
from .files import STDIN, chunks, find, subagent_files
from .lines import values
from .reading import Format, Reading, reading
from .recording import Batch, BrokenLine, RecordedCall, Recording, Skipped, Turn

_CLAUDE_CODE = Format(claude_code.FORMAT, claude_code.recognizes, claude_code.read)

# The first that recognizes a file reads it: the narrow ones come before those that would take more.
READERS: tuple[Format, ...] = (
    Format(gate_events.FORMAT, gate_events.recognizes, gate_events.read),
    Format(opentelemetry.FORMAT, opentelemetry.recognizes, opentelemetry.read),
    Format(codex.FORMAT, codex.recognizes, codex.read),
    Format(forge.FORMAT, forge.recognizes, forge.read),
    Format(intercode.FORMAT, intercode.recognizes, intercode.read),
    Format(swe_agent.FORMAT, swe_agent.recognizes, swe_agent.read),
    Format(openhands.FORMAT, openhands.recognizes, openhands.read),
    Format(mini_swe_agent.FORMAT, mini_swe_agent.recognizes, mini_swe_agent.read),
    Format(cline.FORMAT, cline.recognizes, cline.read),
    Format(openai_messages.FORMAT, openai_messages.recognizes, openai_messages.read),
    Format(openai_responses.FORMAT, openai_responses.recognizes, openai_responses.read),
    Format(antigravity.FORMAT, antigravity.recognizes, antigravity.read),
    Format(copilot.FORMAT, copilot.recognizes, copilot.read),
    Format(kimi.FORMAT, kimi.recognizes, kimi.read),
    Format(grok.FORMAT, grok.recognizes, grok.read),
    Format(opencode.FORMAT, opencode.recognizes, opencode.read),
    Format(cursor.FORMAT, cursor.recognizes, cursor.read),
    Format(droid.FORMAT, droid.recognizes, droid.read),
    Format(gemini.FORMAT, gemini.recognizes, gemini.read),
    _CLAUDE_CODE,
    Format(blocks.FORMAT, blocks.recognizes, blocks.read),
)
FORMATS: tuple[str, ...] = tuple(reader.name for reader in READERS)
"""The names that ``format`` takes."""

__all__ = [
    "FORMATS",
    "READERS",
    "Batch",
    "BrokenLine",
    "Format",
    "RecordedCall",
    "Recording",
    "Skipped",
    "Turn",
    "find",
    "parse",
    "read",
]


# The option of the command line has this name, and a keyword is all it is here.
def read(path: str | Path, *, format: str | None = None) -> Iterator[Recording]:  # noqa: A002
    """Read the sessions of a file, ``-`` for standard input; the format is found unless it is named.

    JSON Lines are read turn by turn while they are walked, so that memory is a turn's; a document is held whole. A
    session's turns may be walked after the next session was asked for: then they are kept until that. Raises
    ``RecordingError``, which says what is wrong with the file, when the first session is asked for.
    """
    formats = _chosen(format)
    skipped = Skipped()
    try:
        found = reading(values(chunks(path), str(path), skipped), formats, skipped)
    except RecordingError as error:
        raise RecordingError(str(error) if str(error).startswith(f"{path}") else f"{path}: {error}") from None
    yield from found.recordings()
    if found.form.name == claude_code.FORMAT and str(path) != STDIN:
        yield from _subagents(Path(path), found.drafts, skipped)


def parse(text: str) -> tuple[Recording, ...]:
    """Read the sessions in JSON or JSON Lines, whole. Raises ``RecordingError`` for anything else."""
    skipped = Skipped()
    found = reading(values(iter([text.encode(errors="replace")]), "text", skipped), READERS, skipped)
    return tuple(
        Recording(recording.format, recording.session, tuple(recording.turns), skipped)
        for recording in found.recordings()
    )


def _chosen(name: str | None) -> tuple[Format, ...]:
    if name is None:
        return READERS
    chosen = [reader for reader in READERS if reader.name == name]
    if not chosen:
        raise RecordingError(f"{name}: no such format; one of {', '.join(FORMATS)}")
    # Said is said: it recognizes everything.
    return tuple(Format(reader.name, bool, reader.read) for reader in chosen)


def _subagents(main: Path, drafts: Drafts, skipped: Skipped) -> Iterator[Recording]:
    """Read the files of a session's subagents: a call that its file has, too, is that call.

    An agent that the session's file tells of whole has no second recording.
    """
    told = {session.rpartition("/")[2] for session in drafts.names}
    for path in subagent_files(main):
        agent = path.name.split(".")[0].removeprefix("agent-")
        try:
            records = values(chunks(path), str(path), skipped)
            own = Drafts(f"{path.parent.parent.name}/{agent}", drafts.ids)
            for recording in Reading(_CLAUDE_CODE, records, skipped, own).recordings():
                found = _with_calls(recording) if agent in told else recording
                if found is not None:
                    yield found
        except RecordingError as error:
            skipped.add(BrokenLine(str(path), 0, str(error)))


def _with_calls(recording: Recording) -> Recording | None:
    """Return a recording without the turns before its first call, ``None`` where it has no call."""
    turns = iter(recording.turns)
    first = next((turn for turn in turns if turn.batches), None)
    return None if first is None else replace(recording, turns=chain([first], turns))
