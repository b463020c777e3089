"""Time ``bashlex.parse`` in a process of its own, which is ended when a command never comes back.

bashlex 0.18 loops for ever on some ordinary commands (single quotes that hold an open ``${``).
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection

_SECONDS = 5.0


def _serve(pipe: Connection, rounds: int) -> None:
    import bashlex  # noqa: PLC0415, TID251 - the peer itself, loaded only in the process that may be ended

    bashlex.parse("ls")
    while True:
        command = pipe.recv()
        taken: list[float] = []
        accepted = True
        for _ in range(rounds):
            start = time.perf_counter()
            try:
                bashlex.parse(command)
            except Exception:  # noqa: BLE001 - it raises many kinds for valid bash; its time counts all the same
                accepted = False
            taken.append(time.perf_counter() - start)
        pipe.send((sorted(taken)[rounds // 2] * 1e6, accepted))


def time_each(commands: Sequence[str], *, rounds: int) -> tuple[dict[str, tuple[float, bool]], int]:
    """Return, for each command that came back, microseconds and whether it was read; and how many never came back."""
    context = multiprocessing.get_context("spawn")
    found: dict[str, tuple[float, bool]] = {}
    lost = 0
    ours, theirs = context.Pipe()
    worker: multiprocessing.process.BaseProcess | None = None
    for command in commands:
        if worker is None:
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs, rounds), daemon=True)
            worker.start()
        ours.send(command)
        if ours.poll(_SECONDS * rounds):
            found[command] = ours.recv()
        else:
            lost += 1
            worker.kill()
            worker.join()
            worker = None
    if worker is not None:
        worker.kill()
        worker.join()
    return found, lost
