"""What the pages of the documentation are run with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from forked_iris import forked_iris


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a command `iris` that starts at once."""
    with forked_iris(tmp_path_factory.mktemp("iris")) as place:
        yield place
