"""A base backup and the archived log of the cluster give no forgotten text back beside the live vault (DSR-10)."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
import pytest

from flows.stores import bodies, person, written
from iris_memory.errors import StoreRolledBackError
from iris_memory.storage.postgres import prepare
from postgres.server import OWNER, SERVICE, Server
from postgres.test_postgres_residue import CANARY, opened, places

pytestmark = pytest.mark.enable_socket


def test_the_log_replayed_to_before_the_forget_gives_no_text_back(own_server: Server, tmp_path: Path) -> None:
    name = own_server.new_database()
    prepare(own_server.at(name, OWNER), service=SERVICE)
    memory = tmp_path / "memory"
    with opened(memory, own_server, name) as iris:
        me = person(iris)
        backup = own_server.backed_up()
        entry = written(me.remember(f"I saw {CANARY}.")).entry
        with psycopg.connect(own_server.url) as connection:
            row = connection.execute("SELECT pg_current_wal_lsn()::text").fetchone()
        assert row is not None
        me.forget(entry.logical_id)
    restored = own_server.replayed(backup, until=row[0])
    try:
        with psycopg.connect(restored.at(name)) as connection:
            kept = connection.execute("SELECT slot FROM iris.entry").fetchall()
        assert kept, "the log brought the sealed row back"
        assert places(restored.data, CANARY) == []
        with pytest.raises(StoreRolledBackError):
            opened(memory, restored, name)
        shutil.rmtree(memory / "heads")
        with opened(memory, restored, name) as iris:
            vault = iris.instruments.vault
            subject = vault.find_subject("acme", "ada")
            assert subject is not None
            assert not {slot for (slot,) in kept} & vault.open_slots(subject).keys(), "its key is destroyed"
            found = [one.body for one in person(iris).list().entries] + bodies(person(iris), "heron")
            assert not any("heron" in body for body in found)
    finally:
        restored.stop()
