"""Who works on the files of a study: this process, a pool of processes, or a cluster."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from ..errors import EngineError
from ..study import Piece, Task, study
from . import dask, pool

WORTH_A_POOL = 4 << 20
"""Bytes from which on starting processes takes less time than it saves."""


@contextmanager
def pieces(
    files: Sequence[str], task: Task, *, jobs: int | None = None, engine: str | None = None
) -> Generator[Iterator[Piece]]:
    """Give what a study of the files comes to, piece by piece, and let go of whoever works on it at the end.

    ``jobs`` is the number of processes (``None``: one a core, where that is worth it), ``engine`` the address of a
    cluster, ``dask://HOST:PORT``. Raises ``EngineError``.
    """
    if engine is not None:
        if not engine.startswith(dask.SCHEME):
            raise EngineError(f"no engine {engine!r}; there is {dask.SCHEME}HOST:PORT")
        yield from _with(dask.executor(engine), files, replace(task, folder=str(Path.cwd())), dask.AHEAD)
        return
    workers = (os.cpu_count() or 1) if jobs is None else jobs
    if min(workers, len(files)) <= 1 or (jobs is None and _size(files) < WORTH_A_POOL):
        yield study(files, task)
        return
    workers = min(workers, len(files))
    yield from _with(pool.executor(workers), files, task, 2 * workers)


def _with(
    opened: AbstractContextManager[Executor], files: Sequence[str], task: Task, ahead: int
) -> Generator[Iterator[Piece]]:
    with opened as executor:
        yield study(files, task, executor, ahead=ahead)


def _size(files: Sequence[str]) -> int:
    paths = (Path(name) for name in files)
    return sum(path.stat().st_size for path in paths if path.is_file())
