"""Run the command: through pipes, or on a terminal of our own making."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

COMMAND = [sys.executable, "-c", "from samecall.cli import main; main()"]


def run(*arguments: str, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it through pipes."""
    # Only arguments that the tests write.
    return subprocess.run(  # noqa: S603
        [*COMMAND, *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


def on_terminal(*arguments: str, width: int, **environment: str) -> str:
    """Run it on a terminal and return what that shows, colours included."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**clean, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    parts: list[bytes] = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:  # Linux: the other side is closed
        pass
    process.wait(60)
    os.close(ours)
    return b"".join(parts).decode()
