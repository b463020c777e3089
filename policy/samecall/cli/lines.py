"""Standard input line by line, without a thread: a wait for a line can be cancelled like any other."""

from __future__ import annotations

import asyncio
import os


class Lines:
    """Reads lines from a descriptor. Between two reads it takes nothing from it."""

    def __init__(self, descriptor: int) -> None:
        """Begin at the descriptor's place."""
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def next(self) -> str | None:
        """Return the next line without its end; ``None`` at the end of input."""
        while b"\n" not in self._buffer and not self._ended:
            chunk = await self._chunk()
            self._buffer += chunk
            self._ended = not chunk
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.removesuffix(b"\r").decode(errors="replace")

    def drop(self) -> None:
        """Forget what was read ahead."""
        self._buffer = b""

    async def _chunk(self) -> bytes:
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, readable.set)
        except PermissionError:  # a regular file is always readable, and cannot be waited for
            readable.set()
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._descriptor)
        try:
            return os.read(self._descriptor, 1 << 16)
        except OSError:  # closed, or its terminal is gone
            return b""
