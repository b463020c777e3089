"""A Dask cluster, whose workers have samecall and see the files under our names. The only module that knows Dask."""

from __future__ import annotations

import logging
from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import contextmanager

from ..errors import EngineError

SCHEME = "dask://"
AHEAD = 256
"""Files in work or on the way: more than most clusters have cores."""

_TIMEOUT = 5
"""Seconds to wait for a scheduler."""


@contextmanager
def executor(address: str) -> Generator[Executor]:
    """Give an executor over the cluster at ``dask://HOST:PORT``. Raises ``EngineError``."""
    try:
        from distributed import CancelledError, Client, KilledWorker  # noqa: PLC0415 - the extra ``dask`` brings it
    except ImportError:
        raise EngineError("--engine dask://… needs the extra: pip install samecall[dask]") from None
    logging.getLogger("distributed").setLevel(logging.ERROR)
    place = address.removeprefix(SCHEME)
    try:
        client = Client(place if "://" in place else f"tcp://{place}", timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise EngineError(f"{address}: no Dask scheduler answers ({type(error).__name__})") from None
    try:
        with client:
            # Its options have no types.
            yield client.get_executor()  # pyright: ignore[reportUnknownMemberType]
    except (CancelledError, ImportError, KilledWorker) as error:
        raise EngineError(f"{address}: the cluster could not do it ({type(error).__name__}: {error})") from None
