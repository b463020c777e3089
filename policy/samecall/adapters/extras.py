"""A framework that is not there is named with the extra that brings it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Generator[None]:
    """Import a framework inside; raises ``ModuleNotFoundError`` that says how to install what is missing.

    >>> with extra("langchain"):
    ...     import no_such_framework.agents
    Traceback (most recent call last):
    ModuleNotFoundError: no_such_framework is not installed: pip install 'samecall[langchain]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error.name} is not installed: pip install 'samecall[{name}]'", name=error.name
        ) from None
