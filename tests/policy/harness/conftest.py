"""A scripted provider for each test; at its end every history that it was sent must have been valid."""

from collections.abc import Iterator

import pytest

from tests.policy.harness.provider import Provider, serving


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving() as provider:
        yield provider
    assert provider.problems == []
