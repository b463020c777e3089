"""The Chromium of this machine, as a person would use it, with no network to speak of."""

import os
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Start a browser. Where ``SAMECALL_REQUIRE_CHROMIUM`` is set, its absence is a failure.

    For one module only: while Playwright runs, its event loop is the thread's, and no other can be started there.
    """
    program = shutil.which("chromium")
    if program is None:
        _absent("chromium is not installed")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may be absent
    except ImportError:
        _absent("playwright is not installed")
    options = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*options, "--no-first-run"])
        yield browser
        browser.close()


@pytest.fixture
def axe() -> Any:
    """Return axe-core, which knows what a reader with a screen reader or weak eyes stumbles over."""
    try:
        return import_module("axe_playwright_python.sync_playwright").Axe()
    except ImportError:
        _absent("axe-playwright-python is not installed")


def _absent(message: str) -> NoReturn:
    if os.environ.get("SAMECALL_REQUIRE_CHROMIUM"):
        pytest.fail(message)
    pytest.skip(message)


class Visit:
    """A page that was opened, and everything that it complained of or asked for."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri())

    def _dismiss(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def shown(self) -> list[str]:
        """Return what the visible chips say."""
        found: list[str] = self.page.eval_on_selector_all(
            ".timeline button:not([hidden])",
            "chips => chips.filter(c => c.checkVisibility()).map(c => c.querySelector('.said').textContent)",
        )
        return found
