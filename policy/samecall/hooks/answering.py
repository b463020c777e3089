"""What the process that stays does: answer the events that hooks hand over, each in a thread, until nobody asks."""

from __future__ import annotations

import os
import socketserver
import sys
import time
from pathlib import Path

from callkey import ToolCall

from ..options import ToolPolicy
from ..proposals import propose
from . import AGENTS, process

IDLE = 600.0
"""Seconds without an event after which it ends."""

POLL = 10.0
"""Seconds between two looks at the clock and the socket."""

_READ = 10.0
"""Seconds that a hook has to hand its event over: it has read all of it before it connects."""


def serve(path: Path) -> None:
    """Listen at ``path`` until nobody can ask, or does."""
    _load()
    path.unlink(missing_ok=True)
    os.umask(0o177)  # nobody else may connect, nor read the books
    with Resident(path) as server:
        while server.wanted():
            server.handle_request()
    # Those that connected since get no greeting, and work alone.


class Resident(socketserver.ThreadingUnixStreamServer):
    """Answers each connection in a thread: a session that waits for its file holds no other up."""

    daemon_threads = False  # whom it greeted it answers, before it ends
    request_queue_size = 128
    timeout = POLL

    def __init__(self, path: Path) -> None:
        """Listen at ``path``."""
        super().__init__(str(path), _Errand)
        self._path = path
        self._inode = path.stat().st_ino
        self._sources = _sources()
        self._asked = time.monotonic()
        self._stale = False

    def wanted(self) -> bool:
        """Say whether anybody may still ask."""
        try:
            reached = self._path.stat().st_ino == self._inode
        except OSError:
            reached = False
        return reached and not self._stale and time.monotonic() - self._asked < IDLE

    def verify_request(self, request: object, client_address: object) -> bool:
        """Say whether to greet: not once the code has changed, for a newer hook may book otherwise."""
        del request, client_address
        self._asked = time.monotonic()
        self._stale = any(_changed(file) != time_then for file, time_then in self._sources.items())
        return not self._stale

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave a hook that went away."""


class _Errand(socketserver.StreamRequestHandler):
    timeout = _READ

    def handle(self) -> None:
        self.wfile.write(b"+")
        count, _, rest = self.rfile.read().partition(b"\0")
        *words, data = rest.split(b"\0", int(count))
        status, out, error = process.reply([os.fsdecode(word) for word in words], data)
        self.wfile.write(b"%d\0%s\0%s" % (status, out.encode(), error.encode()))


def _load() -> None:
    """Load what an event takes, so that the first one does not wait for it."""
    for agent in AGENTS:
        process.dialect(agent)
    propose(ToolCall("Bash", {"command": "ls | wc -l"}), "", ToolPolicy(dedupe_tool_calls=True))


def _sources() -> dict[str, int]:
    """Return when each loaded file of ours was changed."""
    ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in {"callkey", "samecall"}]
    files = [file for module in ours if (file := getattr(module, "__file__", None)) is not None]
    return {file: _changed(file) for file in files}


def _changed(file: str) -> int:
    """Return when a file was changed, 0 where it is gone."""
    try:
        return os.stat(file).st_mtime_ns  # noqa: PTH116 - a hundred files at each event
    except OSError:
        return 0
