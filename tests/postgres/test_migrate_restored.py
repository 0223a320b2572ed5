"""DSR-11 on PostgreSQL: a base backup of the cluster, under the live vault, gives nothing back and is replayed.

The vault lies outside the cluster, so it is as new as the last forget, whatever the cluster is restored to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.stores import KEY, chain, open_store, person
from iris_memory.errors import StoreRolledBackError
from iris_memory.storage.postgres import prepare
from iris_memory.wiring.restoring import restore
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

CANARY = "Zanzibar quokka"


@pytest.fixture
def backup(own_server: Server, folder: Path) -> Iterator[tuple[Server, str]]:
    """A cluster restored from a base backup that is older than a forget and an erasure, and its address."""
    database = own_server.new_database()
    prepare(own_server.at(database, OWNER), service=SERVICE)
    url = own_server.at(database, SERVICE)
    with open_store(folder, database=url) as iris:
        ada, bob = person(iris), person(iris, user="bob")
        ada.remember("Likes tea")
        gone = ada.remember(f"Met a {CANARY} once")
        bob.remember(f"Owns a {CANARY}")
    copy = own_server.copied()
    try:
        with open_store(folder, database=url) as iris:
            ada, bob = (iris.for_user(tenant="acme", user=name) for name in ("ada", "bob"))
            ada.remember("Likes gin")
            ada.forget(gone.entry.logical_id)  # type: ignore[union-attr]
            bob.erase()
        yield copy, copy.at(database, SERVICE)
    finally:
        copy.stop()


def test_a_base_backup_is_refused_then_replayed(backup: tuple[Server, str], folder: Path) -> None:
    copy, url = backup
    with pytest.raises(StoreRolledBackError, match="iris restore"):
        open_store(folder, database=url)
    found = restore(folder, accept=False, database=url, key=KEY)
    assert (found.memories, found.people, set(found.behind)) == (2, 1, {"acme"})
    done = restore(folder, accept=True, database=url, key=KEY)
    assert (done.memories, done.people) == (2, 1)
    with open_store(folder, database=url) as iris:
        ada, bob = (iris.for_user(tenant="acme", user=name) for name in ("ada", "bob"))
        assert [entry.body for entry in ada.list().entries] == ["Likes tea"]
        assert [hit.entry.body for hit in ada.recall(CANARY).hits] in ([], ["Likes tea"])
        assert bob.list(limit=0).total == 0
        told = [one for one in chain(iris) if one["action"] == "store.restored"]
        assert told[0]["events_lost"] == done.events_lost
        assert iris.verify_audit(tenant="acme").ok
        assert all(finding.ok for finding in iris.doctor())
        ada.remember("Said since")
    with open_store(folder, database=url) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total == 2
    copy_files = [path for path in copy.data.rglob("*") if path.is_file()]
    assert copy_files
    for path in [*copy_files, *(one for one in folder.rglob("*") if one.is_file())]:
        assert CANARY.encode() not in path.read_bytes(), path.name
