"""One served store per test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from http_world import World, served


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Serve a new store for the tests of one module."""
    with served(tmp_path_factory.mktemp("served")) as world:
        yield world
