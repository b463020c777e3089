"""A pool of processes on this machine, none of which outlives it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import ParamSpec, TypeVar

from ..errors import EngineError

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def executor(workers: int) -> Generator[Executor]:
    """Give a pool. Whatever ends the block but its own end stops the processes where they are.

    Raises ``EngineError`` when a process dies, of a lack of memory for example.
    """
    # Not forked: this process may have threads, a progress bar's for example.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    made = _Pool(workers, mp_context=context, initializer=_begin)
    try:
        yield made
    except BrokenProcessPool:
        raise EngineError("a process of the pool died; fewer --jobs need less memory") from None
    except BaseException:
        # Before the pool is told: it would wait for the files that are in work.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        made.shutdown(wait=True, cancel_futures=True)


class _Pool(ProcessPoolExecutor):
    """Starts its processes, when tasks come, deaf to Ctrl-C: a terminal tells all, and it is the parent's to see."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        resource_tracker.ensure_running()  # it would change the mask
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin() -> None:
    """End when the parent is gone, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
