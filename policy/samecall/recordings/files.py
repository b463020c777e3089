"""Which files hold sessions, and their bytes: plain or compressed, from a file, a pipe or standard input."""

from __future__ import annotations

import glob
import gzip
import os
import stat
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import RecordingError
from .cumulative import without_superseded

STDIN = "-"
CHUNK = 1 << 16
_SUBAGENTS = "subagents"


def find(arguments: Iterable[str]) -> Iterator[Path]:
    """Return the files that directories, globs and names stand for, in a stable order.

    A session's subagent files belong to their session: in a directory, they are not listed by themselves; of request
    logs that hold the session so far, only the last one is. A name that
    is no file is returned as it is: reading it says what is wrong. Raises ``RecordingError`` for a glob without a file.
    """
    for argument in arguments:
        if os.path.isdir(argument):  # noqa: PTH112 - a name with a NUL is no directory here, and an error for a Path
            yield from _walk(argument)
        elif glob.has_magic(argument) and not os.path.lexists(argument):
            found = sorted(glob.iglob(argument, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
            if not found:
                raise RecordingError(f"{argument}: no such file")
            yield from find(found)
        else:
            yield Path(argument)


def _walk(root: str) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        here = Path(folder)
        if _SUBAGENTS in folders and folder != root and main_file(here) is not None:
            folders.remove(_SUBAGENTS)
        for name in without_superseded(here, sorted(names)):
            path = here / name
            # A directory may hold pipes and sockets, on which a reader would wait for ever.
            if path.is_file():
                yield path


def main_file(session: Path) -> Path | None:
    """Return the file of the session whose directory this is."""
    names = (session.with_name(f"{session.name}.jsonl{ending}") for ending in ("", ".gz", ".zst"))
    return next((name for name in names if name.is_file()), None)


def subagent_files(main: Path) -> list[Path]:
    """Return the files of a session's subagents: ``<session>/subagents/agent-*.jsonl`` beside ``<session>.jsonl``."""
    stem = main.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".jsonl")
    folder = main.with_name(stem) / _SUBAGENTS if stem else main
    return sorted(path for path in folder.rglob("agent-*.jsonl*") if path.is_file()) if folder.is_dir() else []


def chunks(path: str | Path) -> Iterator[bytes]:
    """Return the bytes of a file, ``-`` for standard input, decompressed.

    Raises ``RecordingError`` when it cannot be opened, ``OSError`` or ``EOFError`` at a part that cannot be read.
    """
    with _opened(path) as handle:
        read = _reader(handle)
        while chunk := read():
            yield chunk


@contextmanager
def _opened(path: str | Path) -> Generator[BinaryIO, None, None]:
    if str(path) == STDIN:
        yield sys.stdin.buffer
        return
    try:
        handle = Path(path).open("rb")  # noqa: SIM115 - closed below, where opening cannot fail any more
        # /dev/zero and its like have no end. A pipe may come as a device's name, too: those are fine.
        endless = stat.S_ISCHR(os.fstat(handle.fileno()).st_mode) and not handle.isatty() and str(path) != os.devnull
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or type(error).__name__}") from None
    except ValueError:
        raise RecordingError(f"{path!r}: not a file name") from None
    with handle:
        if endless:
            raise RecordingError(f"{path}: a device, not a file")
        yield handle


def _reader(handle: BinaryIO) -> Callable[[], bytes]:
    # Standard input may be replaced by something plain.
    peek: Callable[[int], bytes] | None = getattr(handle, "peek", None)
    # What is there is read: someone who writes line by line is heard line by line.
    read: Callable[[int], bytes] = getattr(handle, "read1", handle.read)
    magic = peek(4)[:4] if peek is not None else b""
    if magic.startswith(b"\x1f\x8b"):
        return _gzip(handle)
    if magic == b"\x28\xb5\x2f\xfd":
        return _zstd(handle)
    return lambda: read(CHUNK)


def _gzip(handle: BinaryIO) -> Callable[[], bytes]:
    stream = gzip.GzipFile(fileobj=handle)

    def read() -> bytes:
        try:
            return stream.read1(CHUNK)
        except zlib.error as error:
            raise OSError(str(error)) from None

    return read


def _zstd(handle: BinaryIO) -> Callable[[], bytes]:
    try:
        import zstandard  # noqa: PLC0415 - for files compressed with it only
    except ImportError:
        raise RecordingError("compressed with zstd: pip install 'samecall[zstd]'") from None
    stream = zstandard.ZstdDecompressor().stream_reader(handle, read_across_frames=True)

    def read() -> bytes:
        try:
            return stream.read(CHUNK)
        except zstandard.ZstdError as error:
            raise OSError(str(error)) from None

    return read
