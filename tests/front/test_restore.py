"""DSR-11, LOG-7: data restored from a backup is refused until every erasure since was replayed on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from flows.stores import KEY, SteppingClock, chain, open_store, person
from iris_memory.contracts.category import Consumer
from iris_memory.errors import StoreBusyError, StoreRolledBackError
from iris_memory.flows.restore import Restored
from iris_memory.front.iris import Iris
from iris_memory.storage.heads import FolderHeads
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.wiring.restoring import restore

CANARY = "Zanzibar quokka"


def furnish(folder: Path, copy: Path) -> None:
    """Make a store; back up its data; then write more, forget a memory and erase a person."""
    with open_store(folder) as iris:
        ada, bob = person(iris), person(iris, user="bob")
        kept = ada.remember("Likes tea")
        gone = ada.remember(f"Met a {CANARY} once")
        ada.recall("tea")
        bob.remember(f"Owns a {CANARY}")
        person(iris, user="cleo").remember("Likes gin")
    shutil.copytree(folder / "data", copy)
    with open_store(folder) as iris:
        ada, bob = (iris.for_user(tenant="acme", user=name) for name in ("ada", "bob"))
        ada.forget(gone.entry.logical_id)  # type: ignore[union-attr]
        ada.revise(kept.entry.logical_id, "Likes green tea")  # type: ignore[union-attr]
        bob.erase()
        person(iris, tenant="globex", user="dan").remember("Came later")


def put_back(folder: Path, copy: Path) -> None:
    shutil.rmtree(folder / "data")
    shutil.copytree(copy, folder / "data")


def accept(folder: Path) -> Restored:
    return restore(folder, accept=True, key=KEY, clock=SteppingClock())


@pytest.fixture
def restored(folder: Path, tmp_path: Path) -> Path:
    """A store whose data is older than what was forgotten."""
    furnish(folder, tmp_path / "copy")
    put_back(folder, tmp_path / "copy")
    return folder


def bodies(iris: Iris, user: str) -> set[str]:
    me = iris.for_user(tenant="acme", user=user)
    return {entry.body for entry in me.list().entries} | {hit.entry.body for hit in me.recall(CANARY).hits}


def test_a_restored_copy_is_refused_until_it_is_accepted(restored: Path) -> None:
    for _ in range(2):
        with pytest.raises(StoreRolledBackError, match="iris restore"):
            open_store(restored)


def test_looking_changes_nothing(restored: Path) -> None:
    before = {path: path.read_bytes() for path in restored.rglob("*.db")}
    found = restore(restored, accept=False, key=KEY)
    assert (found.memories, found.people) == (2, 1)
    assert set(found.behind) == {"acme", "globex"}
    assert found.events_lost == sum(found.behind.values()) > 4
    assert {path: path.read_bytes() for path in restored.rglob("*.db")} == before
    with pytest.raises(StoreRolledBackError):
        open_store(restored)


def test_what_was_forgotten_since_is_gone_for_good(restored: Path) -> None:
    done = accept(restored)
    assert (done.memories, done.people) == (2, 1)
    with open_store(restored) as iris:
        assert bodies(iris, "ada") == {"Likes tea"}
        assert bodies(iris, "bob") == set()
        assert bodies(iris, "cleo") == {"Likes gin"}
        told = [event for event in chain(iris, "acme") if event["action"] == "store.restored"]
        assert [(event["memories"], event["people"]) for event in told] == [(2, 1)]
        assert told[0]["events_lost"] == done.behind["acme"]
        assert told[0]["head_given_up"]["size"] > told[0]["sequence"]
        assert [event["action"] for event in chain(iris, "globex")] == ["store.restored"]
        assert all(finding.ok for finding in iris.doctor())
        assert iris.verify_audit(tenant="acme").ok
        stones = iris.instruments.store.read
        with stones() as reading:
            subjects = {owner for _, owner in reading.owners() if owner}
            assert sum(len(reading.tombstones("acme", subject)) for subject in subjects) == 2
    for path in restored.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    assert not restore(restored, accept=False, key=KEY).is_needed


def test_no_sealed_byte_of_what_was_forgotten_is_left(folder: Path, tmp_path: Path) -> None:
    furnish(folder, tmp_path / "copy")
    put_back(folder, tmp_path / "copy")
    sealed = sealed_of(folder)
    accept(folder)
    left = sealed_of(folder)
    gone = sealed - left
    assert len(gone) == 2
    with open_store(folder):
        pass
    data = b"".join(path.read_bytes() for path in (folder / "data").iterdir())
    assert all(blob not in data for blob in gone)


def sealed_of(folder: Path) -> set[bytes]:
    store = SqliteStore(folder / "data" / "iris.db")
    with store.read() as view:
        found = {one.row.blob for tenant, name in view.owners() for one in view.every_entry(tenant, name, limit=1_000)}
    store.close()
    return found


def test_the_store_goes_on(restored: Path) -> None:
    accept(restored)
    for word in ("one", "two"):
        with open_store(restored) as iris:
            ada = iris.for_user(tenant="acme", user="ada", consumer=Consumer.ASSISTANT)
            ada.remember(f"Said {word} since")
            person(iris, user="bob").remember("Is somebody new")
    with open_store(restored) as iris:
        assert bodies(iris, "ada") >= {"Said one since", "Said two since"}
        assert bodies(iris, "bob") == {"Is somebody new"}
        assert iris.verify_audit(tenant="acme").ok


def test_accepting_survives_being_cut_short(restored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything before the heads are put back can be done again."""

    def stop(self: FolderHeads, tenant: str, note: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(FolderHeads, "put_back", stop)
        with pytest.raises(KeyboardInterrupt):
            accept(restored)
    with pytest.raises(StoreRolledBackError):
        open_store(restored)
    again = accept(restored)
    assert (again.memories, again.people) == (0, 0)
    with open_store(restored) as iris:
        assert bodies(iris, "ada") == {"Likes tea"}
        assert iris.verify_audit(tenant="acme").ok


def test_another_story_is_never_accepted(folder: Path, tmp_path: Path) -> None:
    """A copy that somebody opened and wrote to elsewhere is as long as the head and says something else."""
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    shutil.copytree(folder, tmp_path / "fork")
    with open_store(folder) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Likes gin")
    with open_store(tmp_path / "fork") as iris:
        for number in range(3):
            iris.for_user(tenant="acme", user="ada").remember(f"Likes rum {number}")
    put_back(folder, tmp_path / "fork" / "data")
    with pytest.raises(StoreRolledBackError, match="never accepted"):
        accept(folder)


def test_a_copy_that_was_changed_is_never_accepted(restored: Path) -> None:
    connection = apsw.Connection(str(restored / "data" / "iris.db"))
    connection.execute("UPDATE audit SET line = CAST(replace(line, 'info', 'inf0') AS BLOB) WHERE sequence = 2")
    connection.close()
    with pytest.raises(StoreRolledBackError, match="never accepted"):
        accept(restored)


def test_a_vault_that_is_older_than_the_data_is_refused(folder: Path, tmp_path: Path) -> None:
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    shutil.copytree(folder / "vault", tmp_path / "vault")
    with open_store(folder) as iris:
        for number in range(40):
            iris.for_user(tenant="acme", user="ada").remember(f"Likes tea {number}")
    shutil.rmtree(folder / "vault")
    shutil.copytree(tmp_path / "vault", folder / "vault")
    with pytest.raises(StoreRolledBackError, match="vault is older"):
        accept(folder)


def test_nobody_has_the_store_open_meanwhile(folder: Path) -> None:
    with open_store(folder), pytest.raises(StoreBusyError, match="stop it first"):
        accept(folder)


def test_without_heads_the_vault_alone_tells_what_was_forgotten(restored: Path) -> None:
    """Heads that were restored along with the data notice nothing; the keys do."""
    shutil.rmtree(restored / "heads")
    found = restore(restored, accept=False, key=KEY)
    assert (found.memories, found.people, found.behind) == (2, 1, {})
    accept(restored)
    with open_store(restored) as iris:
        assert bodies(iris, "ada") == {"Likes tea"}
        assert bodies(iris, "bob") == set()
