"""Stores to test on: memory, a file, and a real Redis server on a free port of this machine."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from samecall.stores import MemoryStore, RedisStore, SQLiteStore, Store

# A shell starts what runs in the background with Ctrl-C ignored, and what a test starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server. Where ``SAMECALL_REQUIRE_REDIS`` is set, its absence is a failure."""
    server = shutil.which("redis-server")
    if server is None:
        if os.environ.get("SAMECALL_REQUIRE_REDIS"):
            pytest.fail("redis-server is required and not installed")
        pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    # The command is fixed; nothing in it comes from outside.
    process = subprocess.Popen(  # noqa: S603
        [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    pytest.fail("redis-server did not start")


@pytest.fixture(params=["memory", "sqlite", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Return each kind of store in turn, empty."""
    match request.param:
        case "memory":
            yield MemoryStore()
        case "sqlite":
            file = SQLiteStore(tmp_path / "gate.db")
            yield file
            file.close()
        case _:
            server = RedisStore(request.getfixturevalue("redis_url"), prefix=f"test:{tmp_path}")
            yield server
            server.close()
