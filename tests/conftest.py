"""What every test has: settings of its own, no sockets beyond loopback for those marked, and stores to work on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from flows.stores import OpenIris, SteppingClock, open_store, person
from forked_iris import forked_iris
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.wiring.settings import SETTINGS

settings.register_profile("change", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("nightly", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "change"))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Block sockets in every test that is not marked `enable_socket` (pytest-socket reads these options)."""
    config.option.disable_socket = True
    config.option.allow_unix_socket = True


@pytest.fixture(autouse=True)
def _settings_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let no setting of this machine reach a test, and no key file of a test this machine."""
    for row in SETTINGS:
        monkeypatch.delenv(row.name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a command `iris` that starts at once, for tests that call it many times."""
    with forked_iris(tmp_path_factory.mktemp("iris")) as place:
        yield place


@pytest.fixture
def clock() -> SteppingClock:
    """A clock that stands until it is stepped."""
    return SteppingClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the test's store lies."""
    return tmp_path / "memory"


@pytest.fixture
def open_iris(folder: Path, clock: SteppingClock) -> Iterator[OpenIris]:
    """Open the test's store, as often as is liked; what is still open at the end is closed."""
    opened: list[Iris] = []

    def open_it(**more: Any) -> Iris:
        opened.append(open_store(folder, **{"clock": clock, **more}))
        return opened[-1]

    yield open_it
    for iris in opened:
        iris.close()


@pytest.fixture
def iris(open_iris: OpenIris) -> Iris:
    """The test's store, open."""
    return open_iris()


@pytest.fixture
def me(iris: Iris) -> PersonMemory:
    """Ada of the tenant acme, who agreed that what she says is processed and stored."""
    return person(iris)
