"""An erasure in one process is heard in every other at once: keys and columns go before anybody asks for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows.stores import KEY, bodies, person, written
from iris_memory.conformance.samples import PERSON, TENANT, add, entry, tombstone
from iris_memory.errors import StorageError
from iris_memory.front.iris import Iris
from iris_memory.storage.postgres import PostgresStore, statements
from iris_memory.wiring.opening import open_embedded
from postgres.server import SERVICE, Server

pytestmark = pytest.mark.enable_socket

OpenPostgres = Callable[..., PostgresStore]
PATIENCE = 20.0


def eventually(holds: Callable[[], Any]) -> None:
    """Wait until something holds; that it does, not how soon, is what is promised."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


class Ear:
    """Notes what it hears."""

    def __init__(self, store: PostgresStore) -> None:
        self.heard: list[tuple[str, str]] = []
        self.gaps = 0
        self.can = store.on_erasure(lambda *whose: self.heard.append(whose), missed=self._missed)
        self.store = store

    def _missed(self) -> None:
        self.gaps += 1

    def listens(self) -> bool:
        """Say whether the server tells this store now."""
        assert self.store._erasures is not None
        return self.store._erasures.listens.is_set()


@pytest.fixture
def ear(open_postgres: OpenPostgres) -> Ear:
    """Another process's ear."""
    listening = Ear(open_postgres())
    assert listening.can
    eventually(listening.listens)
    return listening


def test_what_takes_a_memory_out_of_reach_is_told(store: PostgresStore, ear: Ear) -> None:
    add(store, entry("a"), entry("b"))
    store.write(lambda tx: tx.bump(TENANT, PERSON))
    store.write(lambda tx: tx.hide(TENANT, PERSON, ["a"], seq=2))
    store.write(lambda tx: tx.bury("globex", 'somebody: "else" ä', [tombstone("x")]))
    store.write(lambda tx: tx.erase_person(TENANT, "p9"))
    eventually(lambda: len(ear.heard) == 3)
    assert ear.heard == [(TENANT, PERSON), ("globex", 'somebody: "else" ä'), (TENANT, "p9")]
    assert ear.gaps == 0


def test_what_is_not_kept_is_not_told(store: PostgresStore, ear: Ear) -> None:
    with pytest.raises(ZeroDivisionError):
        store.write(lambda tx: (tx.hide(TENANT, PERSON, ["a"], seq=2), 1 / 0))
    store.write(lambda tx: tx.hide(TENANT, "p2", ["a"], seq=2))
    eventually(lambda: ear.heard)
    assert ear.heard == [(TENANT, "p2")]


def test_a_lost_connection_is_made_again_and_the_gap_is_told(server: Server, store: PostgresStore, ear: Ear) -> None:
    listening = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s AND query LIKE 'LISTEN%%'"
    with psycopg.connect(server.url, autocommit=True) as connection:
        assert connection.execute(listening.encode(), [SERVICE]).fetchall()
    eventually(lambda: ear.gaps == 1)
    store.write(lambda tx: tx.hide(TENANT, PERSON, ["a"], seq=2))
    eventually(lambda: ear.heard)


def test_a_stranger_notice_is_a_gap(url: str, ear: Ear) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for payload in ("", "[1, 2]", '{"tenant": "acme"}', "[" * 2_000):
            connection.execute("SELECT pg_notify(%s, %s)", [statements.ERASURES, payload])
    eventually(lambda: ear.gaps == 4)
    assert ear.heard == []


def test_an_ear_that_fails_listens_on(store: PostgresStore, open_postgres: OpenPostgres) -> None:
    calls: list[str] = []

    def fail(tenant: str, person: str) -> None:
        calls.append(person)
        raise ZeroDivisionError(tenant)

    listening = open_postgres()
    assert listening.on_erasure(fail, missed=lambda: None)
    assert listening._erasures is not None
    eventually(listening._erasures.listens.is_set)
    for name in ("p1", "p2"):
        store.write(lambda tx, name=name: tx.hide(TENANT, name, ["a"], seq=2))  # type: ignore[misc]
    eventually(lambda: calls == ["p1", "p2"])


def test_behind_a_pooler_an_address_past_it_is_needed(url: str, open_postgres: OpenPostgres) -> None:
    assert not open_postgres(pooled=True).on_erasure(lambda *_: None, missed=lambda: None)
    past = open_postgres(pooled=True, direct=url)
    assert past.on_erasure(lambda *_: None, missed=lambda: None)
    with pytest.raises(StorageError, match="already"):
        past.on_erasure(lambda *_: None, missed=lambda: None)


@pytest.fixture
def two(tmp_path: Path, url: str) -> Iterator[tuple[Iris, Iris]]:
    """One store, opened twice as two processes would."""
    opened = [Iris(open_embedded(tmp_path / "memory", key=KEY, tended=False, database=url)) for _ in range(2)]
    try:
        yield opened[0], opened[1]
    finally:
        for each in reversed(opened):
            each.close()


def test_columns_and_keys_go_before_anybody_asks(two: tuple[Iris, Iris]) -> None:
    one, other = two
    store = other.instruments.store
    assert isinstance(store, PostgresStore)
    assert store._erasures is not None
    eventually(store._erasures.listens.is_set)
    me, me_there = person(one), person(other)
    gone = written(me.remember("I saw a heron.")).entry
    me.remember("I saw a kestrel.")
    assert sorted(bodies(me_there, "saw")) == ["I saw a heron.", "I saw a kestrel."]
    (known,) = other.instruments.people.known()
    assert len(known.snapshot.columns.rows()) == 2
    me.forget(gone.logical_id, scan=False)
    eventually(lambda: len(known.snapshot.columns.rows()) == 1)
    assert known._recent == {}
    me.erase(scan=False)
    eventually(lambda: other.instruments.people.known() == [])
