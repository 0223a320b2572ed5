"""The served store of the HTTP tests, for the client."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "http"))

from http_world import World, served


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Serve a new store for the tests of one module."""
    with served(tmp_path_factory.mktemp("served")) as world:
        yield world
