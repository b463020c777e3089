"""The user that the hooks belong to."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for compiled modules, so that not every process compiles them all."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def environment(tmp_path: Path, compiled: Path) -> dict[str, str]:
    """Return the environment of a user whose home is empty."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {
        "SAMECALL_RESIDENT": "off",
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PYTHONPYCACHEPREFIX": str(compiled),
    }


@pytest.fixture
def here(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return that environment, and take it on in this process."""
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, environment[name])
    return environment
