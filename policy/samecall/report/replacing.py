"""A file that is there whole or not at all: what stood there before stays until the new text is complete."""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from ..errors import ReportError


class Draft:
    """A text that will take the place of a file."""

    def __init__(self, path: str | os.PathLike[str], file: TextIO) -> None:
        """Write to ``file`` what will be at ``path``."""
        self._path = path
        self._file = file

    def write(self, pieces: Iterable[str]) -> None:
        """Write all of the text. Raises ``ReportError`` where the system does not take it."""
        with _in_words(self._path):
            self._file.writelines(pieces)
            self._file.flush()


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[Draft]:
    """Open a text to write; it takes the place of ``path`` when the block ends, and leaves no trace when that fails.

    A link stays a link, a file keeps its permissions. What is no file (``/dev/stdout``, a pipe) is written as it comes.

    Raises:
        ReportError: the file cannot be written. Other errors of the block are its own.

    """
    with _in_words(path):
        given = Path(path)
        # Asked of the path itself: /dev/stdout leads to a pipe, whose name is that of no file.
        whole = not given.exists() or given.is_file()
        target = Path(os.path.realpath(given)) if whole else given
        draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}") if whole else given
        # A lone surrogate has no UTF-8. The page holds none, and one should not cost the page.
        file = draft.open("x" if whole else "w", encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield Draft(path, file)
        with _in_words(path):
            file.close()
            if whole and target.exists():
                draft.chmod(target.stat().st_mode & 0o7777)
            if whole:
                draft.replace(target)
    finally:
        with suppress(OSError):  # what could not be written cannot be flushed either
            file.close()
        if whole:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


@contextmanager
def _in_words(path: str | os.PathLike[str]) -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # who reads from a pipe may stop; that is no failure of the page
    except OSError as error:
        raise ReportError(f"{os.fspath(path)}: {error.strerror or error}") from None
