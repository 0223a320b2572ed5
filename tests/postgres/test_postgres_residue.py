"""What is forgotten is gone from the cluster and from its backups, as long as the vault is not among them (DSR-10)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from flows.stores import KEY, SteppingClock, bodies, person, written
from iris_memory.errors import StoreRolledBackError
from iris_memory.front.iris import Iris
from iris_memory.storage.postgres import PostgresStore, prepare
from iris_memory.wiring.opening import open_embedded
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

CANARY = "the heron of Kuusisto"
CONTROL = "the otter of Kuusisto"


@pytest.fixture
def prepared(own_server: Server) -> str:
    """The name of a prepared database on a server of the test's own."""
    name = own_server.new_database()
    prepare(own_server.at(name, OWNER), service=SERVICE)
    return name


def opened(folder: Path, server: Server, database: str) -> Iris:
    """Open the store whose data lies in a database and whose vault in a folder."""
    address = server.at(database, SERVICE)
    return Iris(open_embedded(folder, key=KEY, clock=SteppingClock(), tended=False, database=address))


def places(data: Path, text: str) -> list[str]:
    """Return which files of a data directory hold a text, the write-ahead log included."""
    sought = [text.encode(), text.encode("utf-16-le")]
    return [path.name for path in data.rglob("*") if path.is_file() and any(one in path.read_bytes() for one in sought)]


def settle(server: Server, database: str) -> None:
    """Let the server write everything to its files."""
    with psycopg.connect(server.at(database), autocommit=True) as connection:
        connection.execute("VACUUM")
        connection.execute("CHECKPOINT")


def test_no_word_is_in_the_data_directory(own_server: Server, prepared: str, tmp_path: Path) -> None:
    with opened(tmp_path / "memory", own_server, prepared) as iris:
        me = person(iris)
        entry = written(me.remember(f"I saw {CANARY}.")).entry
        assert bodies(me, "heron") == [f"I saw {CANARY}."]
        settle(own_server, prepared)
        assert places(own_server.data, CANARY) == [], "while it is remembered"
        me.forget(entry.logical_id)
        assert bodies(me, "heron") == []
        settle(own_server, prepared)
        assert places(own_server.data, CANARY) == [], "after it is forgotten"
    with psycopg.connect(own_server.at(prepared), autocommit=True) as connection:
        connection.execute("CREATE TABLE public.control (words text)")
        connection.execute("INSERT INTO public.control VALUES (%s)", [CONTROL])
    settle(own_server, prepared)
    assert places(own_server.data, CONTROL), "the scan finds what is there"


@pytest.fixture
def backup(own_server: Server, prepared: str, tmp_path: Path) -> Iterator[Server]:
    """A server on a backup that was taken while the canary was remembered, and forgotten since."""
    with opened(tmp_path / "memory", own_server, prepared) as iris:
        entry = written(person(iris).remember(f"I saw {CANARY}.")).entry
    copied = own_server.copied()
    try:
        with opened(tmp_path / "memory", own_server, prepared) as iris:
            person(iris).forget(entry.logical_id)
        yield copied
    finally:
        copied.stop()


def test_a_backup_of_the_cluster_gives_no_forgotten_text_back(
    own_server: Server, prepared: str, backup: Server, tmp_path: Path
) -> None:
    with pytest.raises(StoreRolledBackError):
        opened(tmp_path / "memory", backup, prepared)
    shutil.rmtree(tmp_path / "memory" / "heads")
    blobs = _sealed(backup, prepared)
    assert blobs, "the sealed row is in the backup"
    with opened(tmp_path / "memory", backup, prepared) as iris:
        vault = iris.instruments.vault
        subject = vault.find_subject("acme", "ada")
        assert subject is not None
        slots = {slot for _, slot in blobs}
        assert not slots & vault.open_slots(subject).keys(), "its key is destroyed"
        found = [entry.body for entry in person(iris).list().entries] + bodies(person(iris), "heron")
        assert not any("heron" in body for body in found)


def _sealed(server: Server, database: str) -> list[tuple[bytes, int]]:
    """Return (blob, slot) of every entry of every person, as a superuser sees them."""
    with psycopg.connect(server.at(database)) as connection:
        return connection.execute("SELECT blob, slot FROM iris.entry").fetchall()


def test_a_backup_with_its_vault_would_give_it_back(own_server: Server, prepared: str, tmp_path: Path) -> None:
    """The control: it is the vault that makes the difference, which is why it never lies in the cluster."""
    with opened(tmp_path / "memory", own_server, prepared) as iris:
        entry = written(person(iris).remember(f"I saw {CANARY}.")).entry
    copied = own_server.copied()
    try:
        shutil.copytree(tmp_path / "memory", tmp_path / "old")
        with opened(tmp_path / "memory", own_server, prepared) as iris:
            person(iris).forget(entry.logical_id)
        with opened(tmp_path / "old", copied, prepared) as iris:
            assert bodies(person(iris), "heron") == [f"I saw {CANARY}."]
    finally:
        copied.stop()


def test_scrubbing_vacuums_what_was_deleted(own_server: Server, prepared: str) -> None:
    store = PostgresStore(own_server.at(prepared, SERVICE))
    try:
        assert store.scrub()
        assert store.files() == ()
    finally:
        store.close()
    with psycopg.connect(own_server.at(prepared)) as connection:
        vacuumed = connection.execute(
            "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'iris' AND vacuum_count > 0 ORDER BY 1"
        ).fetchall()
    assert vacuumed == [("entry",), ("record",), ("usage",)]
