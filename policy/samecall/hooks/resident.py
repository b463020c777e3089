"""The process that stays: it has everything loaded, and answers the events that hooks hand over.

It keeps nothing: the books of each session are in the session's file, as for a hook that works alone, so it may be
killed at any moment, and hooks that go either way may be mixed. It ends by itself once nobody asked for a while, when
its socket was taken away, and when the code that it was started from has changed.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path


def main() -> None:
    """Listen at the path in the first argument, unless somebody does."""
    os.closerange(3, 256)  # an agent may wait for the end of a pipe that it left open in its hook
    os.chdir("/")
    if os.getpgrp() != os.getpid():
        os.setsid()  # what ends the agent's processes is not meant for this one
    path = Path(sys.argv[1])
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    os.ftruncate(lock, 0)
    os.write(lock, b"%d\n" % os.getpid())
    # Not before it is sure that this one is needed: of hooks that begin at once, each starts one.
    from .answering import serve  # noqa: PLC0415 - as above

    serve(path)


if __name__ == "__main__":
    main()
