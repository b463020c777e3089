"""Where hooks keep their books: one file a session, so that sessions neither wait for nor harm one another."""

from __future__ import annotations

import os
import sys

KEPT_DAYS = 30
"""A session that was not used for so long is forgotten."""


def directory(agent: str) -> str:
    """Return the folder for an agent's sessions, by the rule of the platform. It may not exist yet.

    Linux: https://specifications.freedesktop.org/basedir-spec, where a path that is not absolute counts as unset.
    A library for this costs more to import than all of it does.
    """
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib is slow to import
    match sys.platform:
        case "win32":
            base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")  # noqa: PTH118 - the same
        case "darwin":
            base = os.path.join(home, "Library", "Application Support")  # noqa: PTH118 - the same
        case _:
            given = os.environ.get("XDG_STATE_HOME", "")
            base = given if os.path.isabs(given) else os.path.join(home, ".local", "state")  # noqa: PTH117, PTH118 - the same
    return os.path.join(base, "samecall", "hooks", agent)  # noqa: PTH118 - the same


def session_file(agent: str, session_id: str) -> str:
    """Return the file of a session; its folder is made where it is missing. Raises ``OSError``."""
    import hashlib  # noqa: PLC0415 - the short way of a hook has no use for it

    folder = directory(agent)
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - as above
    # An id is the agent's own word: as a digest it cannot lead out of the folder.
    name = hashlib.blake2b(session_id.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(folder, f"{name}.sqlite3")  # noqa: PTH118 - as above


def forget_old(agent: str) -> None:
    """Remove what belongs to sessions that nobody used for ``KEPT_DAYS``. Raises ``OSError``."""
    import time  # noqa: PLC0415 - as above
    from contextlib import suppress  # noqa: PLC0415 - as above

    oldest = time.time() - KEPT_DAYS * 86400
    sessions: dict[str, list[os.DirEntry[str]]] = {}
    with os.scandir(directory(agent)) as entries:
        for entry in entries:
            name, ours, _ = entry.name.partition(".sqlite3")
            if ours:
                sessions.setdefault(name, []).append(entry)
    for files in sessions.values():
        # What is written stays in the log beside the file at first. Another hook may be removing the same.
        with suppress(FileNotFoundError):
            if all(entry.stat(follow_symlinks=False).st_mtime < oldest for entry in files):
                for entry in files:
                    os.unlink(entry.path)  # noqa: PTH108 - as above
