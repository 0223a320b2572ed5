"""Group commit: one fsync for all who wait, and nobody pays for another's failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw
import pytest
from faulty_files import FaultyFiles

from iris_memory.errors import StorageError, StoreFullError
from iris_memory.ports.rows import EntryRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.memory import MemoryStore
from iris_memory.storage.sqlite import SqliteStore

TENANT, PERSON = "acme", "5f" * 16


@pytest.fixture
def files() -> Iterator[FaultyFiles]:
    with FaultyFiles() as files:
        yield files


@pytest.fixture
def store(files: FaultyFiles, tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "store.db", create=True)
    store.write(lambda tx: tx.bump(TENANT, PERSON))
    yield store
    store.close()


def add(name: str) -> Callable[[Transaction], str]:
    def work(tx: Transaction) -> str:
        tx.add_entries(TENANT, PERSON, [EntryRow(name, 1, name, 1, 1, 1, 1, None, None, b"sealed")])
        return name

    return work


def names(store: SqliteStore) -> list[str]:
    with store.read() as view:
        return [row.logical_id for row in view.entries_since(TENANT, PERSON, -1)]


class Gathering:
    """Holds a first writer in its work until others have queued up behind it."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._open = threading.Event()
        self._inside = threading.Event()
        self.results: dict[str, object] = {}
        self._threads: list[threading.Thread] = []
        self._start("first", self._wait, durable=False)
        assert self._inside.wait(10)

    def _wait(self, tx: Transaction) -> str:
        self._inside.set()
        assert self._open.wait(10)
        return "first"

    def _start(self, name: str, work: Callable[[Transaction], object], *, durable: bool) -> None:
        def run() -> None:
            try:
                self.results[name] = self._store.write(work, durable=durable)
            except BaseException as error:
                self.results[name] = error

        thread = threading.Thread(target=run)
        thread.start()
        self._threads.append(thread)

    def join(self, name: str, work: Callable[[Transaction], object], *, durable: bool = True) -> None:
        """Queue a writer and wait until it stands in the queue."""
        queue = self._store._commits._waiting
        before = len(queue)
        self._start(name, work, durable=durable)
        while len(self._store._commits._waiting) == before:
            pass

    def go(self) -> None:
        """Let the first writer end, and wait for all."""
        self._open.set()
        for thread in self._threads:
            thread.join(10)


def test_a_durable_write_costs_one_fsync_and_another_none(store: SqliteStore, files: FaultyFiles) -> None:
    for n, durable in enumerate((True, True, False, False, True)):
        files.fail_at(None)
        store.write(add(f"m{n}"), durable=durable)
        assert files.syncs() == (["store.db-wal"] if durable else [])
        assert store.is_unsynced() is not durable


def test_a_durable_write_that_changes_nothing_syncs_what_was_not(store: SqliteStore, files: FaultyFiles) -> None:
    store.write(add("m"), durable=False)
    files.fail_at(None)
    assert store.write(lambda tx: "said", durable=True) == "said"
    assert files.syncs() == ["store.db-wal"]
    assert not store.is_unsynced()


def test_sync_is_one_fsync_even_when_only_another_process_has_written(store: SqliteStore, files: FaultyFiles) -> None:
    """The heads published outside must cover fsynced events only, whoever wrote them."""
    assert not store.is_unsynced()
    files.fail_at(None)
    store.sync()
    assert files.syncs() == ["store.db-wal"]


def test_those_who_wait_share_one_fsync(store: SqliteStore, files: FaultyFiles) -> None:
    gathering = Gathering(store)
    for n in range(7):
        gathering.join(f"m{n}", add(f"m{n}"), durable=n == 3)
    files.fail_at(None)
    gathering.go()
    assert files.syncs() == ["store.db-wal"]
    assert gathering.results == {"first": "first"} | {f"m{n}": f"m{n}" for n in range(7)}
    assert names(store) == [f"m{n}" for n in range(7)]


def test_one_that_fails_in_a_group_costs_the_others_nothing(store: SqliteStore) -> None:
    mishap = RuntimeError("own")

    def fail(tx: Transaction) -> None:
        add("lost")(tx)
        raise mishap

    gathering = Gathering(store)
    gathering.join("a", add("a"))
    gathering.join("fails", fail)
    gathering.join("twin", add("a"))
    gathering.join("b", add("b"))
    gathering.go()
    assert gathering.results["fails"] is mishap
    assert isinstance(gathering.results["twin"], StorageError)
    assert (gathering.results["a"], gathering.results["b"]) == ("a", "b")
    assert names(store) == ["a", "b"]


def test_a_group_that_cannot_be_kept_is_tried_one_by_one(store: SqliteStore, files: FaultyFiles) -> None:
    files.error = apsw.SQLITE_FULL
    gathering = Gathering(store)
    for n in range(4):
        gathering.join(f"m{n}", add(f"m{n}"))
    files.fail_at(1)
    gathering.go()
    assert gathering.results == {"first": "first"} | {f"m{n}": f"m{n}" for n in range(4)}
    assert len(files.syncs()) == 4
    assert names(store) == [f"m{n}" for n in range(4)]
    assert store.problems() == []


def test_a_full_disk_is_told_to_each_and_heals(store: SqliteStore, files: FaultyFiles) -> None:
    files.error = apsw.SQLITE_FULL
    gathering = Gathering(store)
    for n in range(3):
        gathering.join(f"m{n}", add(f"m{n}"))
    files.fail_at(1, stays=True)
    gathering.go()
    assert all(isinstance(gathering.results[f"m{n}"], StoreFullError) for n in range(3))
    files.fail_at(None)
    store.write(add("later"))
    assert names(store) == ["later"]


@pytest.mark.parametrize("durable", [True, False])
def test_a_fault_at_every_call_keeps_all_or_nothing(tmp_path: Path, *, durable: bool) -> None:
    """REL-2: whichever write, sync or truncation fails, what was acknowledged is there and nothing is half there."""
    with FaultyFiles() as files:
        acknowledged = []
        refused = 0
        for n in range(1, 40):
            store = SqliteStore(tmp_path / "store.db", create=True)
            files.fail_at(n)
            for k in range(3):
                name = f"m{n}-{k}"
                try:
                    store.write(partial(_two, name=name), durable=durable)
                except StorageError:
                    refused += 1
                else:
                    acknowledged.append(name)
            files.fail_at(None)
            store.close()
            with_store = SqliteStore(tmp_path / "store.db")
            found = names(with_store)
            assert with_store.problems() == []
            with_store.close()
            firsts = {name for name in found if not name.endswith("+")}
            assert {name + "+" for name in firsts} == set(found) - firsts
            assert set(acknowledged) <= firsts
        assert refused


def _two(tx: Transaction, *, name: str) -> None:
    add(name)(tx)
    add(name + "+")(tx)


@pytest.mark.parametrize("engine", ["sqlite", "memory"])
def test_a_write_inside_a_write_is_refused(engine: str, store: SqliteStore) -> None:
    either = store if engine == "sqlite" else MemoryStore()

    def outer(tx: Transaction) -> None:
        add("outer")(tx)
        either.write(add("inner"))

    with pytest.raises(StorageError, match="inside a write"):
        either.write(outer)
    either.write(add("later"))
    with either.read() as view:
        assert [row.logical_id for row in view.entries_since(TENANT, PERSON, -1)] == ["later"]


def test_an_interrupted_leader_leaves_the_queue_alive(store: SqliteStore) -> None:
    """An interrupt goes to the thread it came to; who shared its commit is served by the next leader."""

    def interrupted(tx: Transaction) -> None:
        add("lost")(tx)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(interrupted)
    gathering = Gathering(store)
    gathering.join("heir", interrupted)
    gathering.join("a", add("a"))
    gathering.join("b", add("b"))
    gathering.go()
    assert isinstance(gathering.results["heir"], KeyboardInterrupt)
    assert (gathering.results["a"], gathering.results["b"]) == ("a", "b")
    assert names(store) == ["a", "b"]


def test_an_interrupted_follower_leaves_the_queue_alive(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    gathering = Gathering(store)

    class _Gate:
        def acquire(self) -> None:
            if locked:
                raise KeyboardInterrupt
            locked.append(True)

        def release(self) -> None:
            raise AssertionError("nobody waits here any more")

    locked: list[bool] = []
    monkeypatch.setattr("iris_memory.storage.sqlite.group_commit.Lock", _Gate)
    with pytest.raises(KeyboardInterrupt):
        store.write(add("interrupted"))
    monkeypatch.undo()
    gathering.join("a", add("a"))
    gathering.go()
    assert gathering.results["a"] == "a"
    assert names(store) == ["a"]


def test_closing_serves_who_came_before_and_refuses_who_comes_after(store: SqliteStore) -> None:
    gathering = Gathering(store)
    gathering.join("before", add("before"))
    closing = threading.Thread(target=store.close)
    closing.start()
    while len(store._commits._waiting) < 2:
        pass
    with pytest.raises(StorageError):
        store.write(add("late"))
    gathering.go()
    closing.join(10)
    assert gathering.results["before"] == "before"
