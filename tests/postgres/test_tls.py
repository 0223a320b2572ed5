"""Over TLS, with a certificate that is checked, where the server has it."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from iris_memory.errors import StoreBusyError
from iris_memory.storage.postgres import PostgresStore
from postgres.server import Server

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def tls(server: Server, url: str) -> dict[str, str]:
    """The parts of an address that asks for TLS, verified as far as the surroundings name an authority."""
    with psycopg.connect(server.url) as connection:
        row = connection.execute("SHOW ssl").fetchone()
    if row != ("on",):
        pytest.skip(
            "the server speaks no TLS: name one that does by IRIS_TEST_POSTGRES_URL (the wheel has none built in)"
        )
    if conninfo_to_dict(server.url).get("host", "/").startswith("/"):
        pytest.skip("a local socket carries no TLS: name the server by IRIS_TEST_POSTGRES_URL with its host")
    authority = os.environ.get("IRIS_TEST_POSTGRES_CA", "")
    return {"sslmode": "verify-full", "sslrootcert": authority} if authority else {"sslmode": "require"}


def test_the_store_speaks_tls(url: str, tls: dict[str, str]) -> None:
    store = PostgresStore(make_conninfo(url, **tls))
    try:
        store.write(lambda tx: tx.append_event("acme", {"by": "test"}, at=1))
        with store._views.borrowed() as connection:
            row = connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone()
        assert row == (True,)
    finally:
        store.close()


def test_a_certificate_of_a_stranger_is_refused(url: str, tls: dict[str, str], tmp_path: Path) -> None:
    stranger = tmp_path / "ca.pem"
    stranger.write_text("", encoding="utf-8")
    with pytest.raises(StoreBusyError):
        PostgresStore(make_conninfo(url, sslmode="verify-full", sslrootcert=str(stranger)))
