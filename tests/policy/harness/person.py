"""A person at a terminal: a pseudo-terminal of a given width, what is shown on it, and what is typed."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


class Person:
    """Runs a command on a terminal of its own."""

    def __init__(self, *command: str, columns: int = 80, **environment: str) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.environ.update(environment, TERM="xterm-256color")
            # The command is the test's.
            os.execv(command[0], command)  # noqa: S606
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.raw = ""

    @property
    def screen(self) -> str:
        """All that was shown and not erased, without escape sequences."""
        lines = (line.rpartition("\x1b[2K")[2] for line in self.raw.split("\n"))
        return _SEQUENCE.sub("", "\n".join(lines)).replace("\r", "")

    def waits_for(self, text: str) -> None:
        """Watch until ``text`` is shown."""
        end = time.monotonic() + 30
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} was not shown:\n{self.screen}"
            assert self._look(), f"ended without {text!r}:\n{self.screen}"

    def types(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def leaves(self) -> int:
        """Watch until the command ends and return its exit status."""
        end = time.monotonic() + 30
        while self._look():
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise AssertionError(f"did not end:\n{self.screen}")
        _, status = os.waitpid(self.pid, 0)
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(status)

    def _look(self) -> bool:
        if not select.select([self.descriptor], [], [], 0.1)[0]:
            return True
        try:
            chunk = os.read(self.descriptor, 65536)
        except OSError:  # the terminal is gone with the command
            return False
        self.raw += chunk.decode(errors="replace")
        return bool(chunk)
