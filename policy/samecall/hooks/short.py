"""The short way of a hook: hand the event to the process that stays, and pass its answer on.

An agent starts a hook at each of its calls and waits for it. What the hook needs takes ten times as long to load as a
bare interpreter, so the first hook of a user leaves a process behind, which keeps it loaded (``resident``), and those
after it only ask there. Where nobody answers, a hook does all by itself, the long way.

Nothing is loaded here that the interpreter has not loaded already.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as type checkers take it, without ``typing``

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .process import Reply

SWITCH = "SAMECALL_RESIDENT"
"""Environment variable: ``off`` keeps each hook to itself."""

GREETING = 2.0
"""Seconds to wait for a greeting. Who does not greet was stopped, and is set aside."""

ANSWER = 8.0
"""Seconds to wait for an answer: longer than for a file, shorter than an agent waits for its hook."""

_REPEATABLE = ("claude-code", "codex")
"""Agents that name their calls: an event that is booked twice counts once."""

_LONGEST_PATH = 100
"""Bytes in the name of a socket: systems take 104 or 108."""


def run(arguments: Sequence[str]) -> None:
    """Answer the event on standard input and end this process. ``arguments``: the agent, then its policy.

    Whatever goes wrong, the call passes: the reason goes to standard error, and the status is 1, which all of the
    agents take for a warning. A status of 2 would refuse the call.
    """
    address: str | None = None
    status, alone = 1, False
    try:
        data = sys.stdin.buffer.read()
        address = socket_path()
        reply = None if address is None else ask(address, arguments, data)
        alone = reply is None
        status, out, error = _reply_alone(arguments, data) if reply is None else reply
        sys.stderr.write(error)
        sys.stderr.flush()
        sys.stdout.write(out)
        sys.stdout.flush()
    except BaseException as trouble:  # noqa: BLE001 - an interrupted hook must not refuse the call either
        _complain(trouble)
        status = 1
    if alone and address is not None:
        from contextlib import suppress  # noqa: PLC0415 - the long way

        with suppress(BaseException):  # the call is answered; the next hook tries again
            _leave_resident(address)
    # The books are on disk after each transaction. Taking the interpreter down in order would cost milliseconds.
    os._exit(status)


def _reply_alone(arguments: Sequence[str], data: bytes) -> Reply:
    import gc  # noqa: PLC0415 - the long way

    gc.disable()  # a process that lives for milliseconds leaves no garbage worth looking for
    from .process import reply  # noqa: PLC0415 - the long way

    return reply(arguments, data)


def socket_path() -> str | None:
    """Return where the process that stays listens; ``None`` where there is to be none.

    Each installation has its own, so that no other release answers.
    """
    if os.name != "posix" or not sys.executable or os.environ.get(SWITCH) == "off":
        return None
    import binascii  # noqa: PLC0415 - compiled into the interpreter

    from . import state  # noqa: PLC0415 - light, too

    mark = binascii.crc32(os.fsencode(f"{sys.executable}\0{__file__}"))
    path = os.path.join(state.directory("resident"), f"{mark:08x}.socket")  # noqa: PTH118 - pathlib is slow to import
    return path if len(os.fsencode(path)) <= _LONGEST_PATH else None


def ask(address: str, arguments: Sequence[str], data: bytes) -> Reply | None:
    """Return the answer of the process that stays; ``None`` where there is none, and the event is still to be booked.

    Raises ``OSError`` where the event may have been booked, and would count twice.
    """
    import _socket  # noqa: PLC0415 - ``socket`` itself takes as long to import as all of this

    received = bytearray()
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.settimeout(GREETING)
        try:
            line.connect(address)
            greeted = line.recv(1)  # it greets whom it will answer
        except TimeoutError:
            _set_aside(address)
            return None
        except OSError:
            return None
        if not greeted:
            return None
        line.settimeout(ANSWER)
        words = [os.fsencode(word) for word in arguments]
        try:
            line.sendall(b"\0".join([b"%d" % len(words), *words, data]))
            line.shutdown(_socket.SHUT_WR)
            while chunk := line.recv(1 << 16):
                received += chunk
        except ConnectionError:
            received.clear()  # it was killed
    finally:
        line.close()
    match received.split(b"\0", 2):
        case [status, out, error]:
            return int(status), out.decode(), error.decode()
        case _ if arguments[0] in _REPEATABLE:
            return None
        case _:
            raise ConnectionError("the process that stays is gone")


def _set_aside(address: str) -> None:
    """Take a process that does not greet out of the way: the next hook starts another. It ends once it goes on."""
    from contextlib import suppress  # noqa: PLC0415 - as above

    for path in (address, address.removesuffix(".socket") + ".lock"):
        with suppress(OSError):  # another hook was first
            os.unlink(path)  # noqa: PTH108 - as above


def _leave_resident(address: str) -> None:
    """Start the process that stays. It ends by itself where another one is there, or is not needed."""
    os.makedirs(os.path.dirname(address), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 - as above
    nothing = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    # Of this interpreter, and -P: nothing of the agent's working directory.
    line = [sys.executable, "-P", "-m", "samecall.hooks.resident", address]
    os.posix_spawn(sys.executable, line, os.environ, file_actions=nothing)


def _complain(error: BaseException) -> None:
    """Say why nothing was checked, in one line."""
    told = ": ".join(part for part in (type(error).__name__, " ".join(str(error).split())) if part)
    text = f"samecall: the call was not checked: {told}\n"
    try:
        sys.stderr.write(text.encode("ascii", "backslashreplace").decode())
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody listens
