"""What a command printed, as a model reads it: bounded, the start and the end kept, text or a word on what it is."""

from __future__ import annotations

import unicodedata

_BINARY = 0.1
"""Share of characters that are no text from which output counts as binary: ``find -print0`` stays below it."""

_BLANKS = "\t\n\r\x1b\0"
"""Control characters of text: escape sequences colour it, and NULs separate names."""


class Tape:
    r"""Takes in output of any length and keeps its two ends, ``limit`` bytes together.

    >>> tape = Tape(8)
    >>> tape.add(b"0123456789abc")
    >>> tape.text()
    '0123\n[... 5 bytes left out ...]\n9abc'
    """

    def __init__(self, limit: int) -> None:
        """Keep half of ``limit`` from each end."""
        self._limit = limit
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, chunk: bytes) -> None:
        """Take in what came next."""
        self._total += len(chunk)
        room = self._limit // 2 - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        most = self._limit - self._limit // 2
        if len(self._tail) > 2 * most:  # cut now and then: cutting at every chunk would copy the tail each time
            del self._tail[: len(self._tail) - most]

    def text(self) -> str:
        """Return what was kept, with a line about what was not."""
        if self._total <= self._limit:
            return readable(bytes(self._head + self._tail))
        most = self._limit - self._limit // 2
        left_out = self._total - len(self._head) - most
        tail = self._tail[len(self._tail) - most :]
        kept = readable(bytes(self._head)), readable(bytes(tail))
        return f"{kept[0]}\n[... {left_out} bytes left out ...]\n{kept[1]}"


def readable(data: bytes) -> str:
    r"""Decode output. Stray bytes are replaced, NULs become a visible sign, and binary data is only described.

    >>> readable(b"a\0b c d e f\xff g h")
    'a␀b c d e f� g h'
    >>> readable(bytes(range(256)))
    '[binary data, 256 bytes]'
    """
    text = data.decode(errors="replace")
    strange = sum(
        letter == "\ufffd" or (letter not in _BLANKS and unicodedata.category(letter) == "Cc") for letter in text
    )
    if strange > _BINARY * len(text):
        return f"[binary data, {len(data)} bytes]"
    return text.replace("\0", "␀")
