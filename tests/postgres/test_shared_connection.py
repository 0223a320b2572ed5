"""Two tenants on one backend connection: 10,000 calls in turn, none of which sees a foreign row (AUT-2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from iris_memory.ports.rows import RecordKind
from iris_memory.storage.postgres import PostgresStore
from postgres.pooler import Pooler, program
from postgres.server import SERVICE, Server
from postgres.two_tenants import PERSONS, TENANTS, furnish

pytestmark = pytest.mark.enable_socket

CALLS = 10_000
_EVERYTHING = "SELECT (SELECT count(*) FROM iris.entry) + (SELECT count(*) FROM iris.tenant)"
_BACKENDS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND usename = %s AND backend_type = 'client backend'"
)


@pytest.fixture
def pooler(url: str) -> Iterator[Pooler]:
    """A pooler before the test's database."""
    if program() is None:
        pytest.skip("no PgBouncer here: install Debian's package pgbouncer to run this test")
    running = Pooler(url)
    try:
        yield running
    finally:
        running.stop()


def interleave(store: PostgresStore, absent: Callable[[], int]) -> None:
    """Ask for both tenants in turn; every tenth time somebody asks who named nobody."""
    for call in range(CALLS):
        tenant, person = TENANTS[call % 2], PERSONS[call // 2 % 2]
        mine = f"{tenant} {person}".encode()
        if call % 10 == 9:
            assert absent() == 0, call
        elif call % 50 == 0:
            assert store.write(lambda tx, t=tenant, p=person: _blobs(tx, t, p), durable=False) == [mine] * 3  # type: ignore[misc]
        else:
            with store.read() as view:
                assert _blobs(view, tenant, person) == [mine] * 3, call


def _blobs(view: Any, tenant: str, person: str) -> list[bytes]:
    found = [row.blob[:-1] for row in view.entries_since(tenant, person, -1)]
    return found + [row.blob for row in view.records(tenant, person, RecordKind.HOLD)]


def test_two_tenants_on_one_connection(server: Server, database: str, open_postgres: Any) -> None:
    store: PostgresStore = open_postgres(most_views=1)
    furnish(store)
    with psycopg.connect(server.at(database, SERVICE), autocommit=True) as stranger:
        interleave(store, lambda: _count(stranger))
    assert _backends(server, database) <= 2, "one for views and one for works"


def test_two_tenants_behind_a_transaction_pooler(server: Server, database: str, pooler: Pooler) -> None:
    store = PostgresStore(pooler.url, pooled=True)
    try:
        furnish(store)
        with psycopg.connect(pooler.url, autocommit=True, prepare_threshold=None) as stranger:
            interleave(store, lambda: _count(stranger))
            assert _backends(server, database) == 1, "all of them shared one backend"
    finally:
        store.close()


def _count(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute(_EVERYTHING).fetchone()
    assert row is not None
    return int(row[0])


def _backends(server: Server, database: str) -> int:
    with psycopg.connect(server.url) as connection:
        row = connection.execute(_BACKENDS, [database, SERVICE]).fetchone()
    assert row is not None
    return int(row[0])
