"""What a store does when the place, the disk or the file is not as it should be (REL-4, REL-5)."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from iris_memory.errors import (
    StorageError,
    StoreBusyError,
    StoreCorruptError,
    StoreFullError,
    StoreMissingError,
    StoreReadOnlyError,
    StoreVersionError,
)
from iris_memory.ports.rows import AuditRow, EntryRow, RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.keys import FixedKey
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.sqlite.schema import STORE
from iris_memory.storage.vault import SqliteVault

TENANT, PERSON = "acme", "5f" * 16


def entry(name: str, *, size: int = 300) -> EntryRow:
    return EntryRow(name, 1, name, 1, 1, 5, 6, 7, None, name.encode() * (size // len(name)))


def add(store: SqliteStore, *rows: EntryRow) -> None:
    store.write(lambda tx: tx.add_entries(TENANT, PERSON, rows))


def names(store: SqliteStore) -> list[str]:
    with store.read() as view:
        return [row.logical_id for row in view.entries_since(TENANT, PERSON, -1)]


def run(script: str, *arguments: object) -> str:
    """Run a script in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


PREAMBLE = f"""
import sys
from pathlib import Path
from iris_memory import errors
from iris_memory.ports.rows import EntryRow
from iris_memory.storage.sqlite import SqliteStore

def entry(name, size=300):
    return EntryRow(name, 1, name, 1, 1, 5, 6, 7, None, b"x" * size)

def add(store, name, size=300):
    store.write(lambda tx: tx.add_entries({TENANT!r}, {PERSON!r}, [entry(name, size)]))

def names(store):
    with store.read() as view:
        return [row.logical_id for row in view.entries_since({TENANT!r}, {PERSON!r}, -1)]

path = Path(sys.argv[1])
"""


def test_a_missing_store_is_not_made_by_accident(tmp_path: Path) -> None:
    for path in (tmp_path / "store.db", tmp_path / "no" / "folder" / "store.db"):
        with pytest.raises(StoreMissingError, match="iris init"):
            SqliteStore(path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "store.db").touch()
    with pytest.raises(StoreMissingError):
        SqliteStore(tmp_path / "store.db")


def test_only_the_owner_may_read_a_new_store(tmp_path: Path) -> None:
    path = tmp_path / "own" / "store.db"
    store = SqliteStore(path, create=True)
    add(store, entry("a"))
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    held = [file for file in store.files() if file.exists()]
    assert {file.name for file in held} == {"store.db", "store.db-wal", "store.db-shm"}
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in held)
    store.close()


def test_what_is_not_a_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "garbage").write_bytes(os.urandom(9_000))
    (tmp_path / "text").write_bytes(b"hello, this is no database at all " * 100)
    foreign = apsw.Connection(str(tmp_path / "foreign"))
    foreign.execute("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
    foreign.close()
    SqliteVault(tmp_path / "vault", FixedKey(b"k" * 32), create=True).close()
    for path in (tmp_path / name for name in ("garbage", "text", "foreign", "vault")):
        before = path.read_bytes()
        for create in (False, True):
            with pytest.raises(StoreCorruptError):
                SqliteStore(path, create=create)
        assert path.read_bytes() == before
    SqliteStore(tmp_path / "store", create=True).close()
    with pytest.raises(StoreCorruptError):
        SqliteVault(tmp_path / "store", FixedKey(b"k" * 32), create=True)
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError):
        SqliteStore(tmp_path / "folder", create=True)


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path, create=True)
    add(store, entry("a"))
    store.close()
    newer = apsw.Connection(str(path))
    newer.execute("PRAGMA wal_autocheckpoint = 0")
    newer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    held = [path, tmp_path / "store.db-wal"]
    before = [file.read_bytes() for file in held]
    assert all(before)
    for create in (False, True):
        with pytest.raises(StoreVersionError, match="99"):
            SqliteStore(path, create=create)
    assert [file.read_bytes() for file in held] == before


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path, create=True)
    add(store, entry("a"))
    store.close()
    script = "CREATE TABLE added (x INTEGER) STRICT; INSERT INTO added VALUES (1);"
    newer = replace(STORE, migrations=(*STORE.migrations, script))
    for _ in range(2):
        store = SqliteStore(path, kind=newer)
        assert names(store) == ["a"]
        store.close()
    raw = apsw.Connection(str(path))
    assert raw.execute("SELECT count(*) FROM added").get == 1
    raw.close()
    with pytest.raises(StoreVersionError):
        SqliteStore(path)
    broken = replace(STORE, migrations=(*newer.migrations, "CREATE TABLE half (x); CREATE TABLE added (x);"))
    with pytest.raises(StorageError):
        SqliteStore(path, kind=broken)
    store = SqliteStore(path, kind=newer)  # nothing of the failing step was kept
    assert names(store) == ["a"]
    store.close()


def test_a_busy_store_is_waited_for_and_then_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    holder = SqliteStore(path, create=True)
    waiter = SqliteStore(path, busy_seconds=0.05)

    def hold(tx: Transaction) -> None:
        tx.bump(TENANT, PERSON)
        with pytest.raises(StoreBusyError):
            add(waiter, entry("a"))
        assert names(waiter) == []

    holder.write(hold)
    add(waiter, entry("a"))
    assert names(holder) == ["a"]
    holder.close()
    waiter.close()


def test_scrub_says_no_while_somebody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iris_memory.storage.sqlite.store.SCRUB_PAUSE", 0.001)
    store = SqliteStore(tmp_path / "store.db", create=True)
    add(store, entry("a"))
    with store.read() as view:
        assert view.entries_since(TENANT, PERSON, -1)
        assert store.scrub() is False
        add(store, entry("b"))
        assert len(view.entries_since(TENANT, PERSON, -1)) == 1
    assert store.scrub() is True
    assert (tmp_path / "store.db-wal").stat().st_size == 0
    assert names(store) == ["a", "b"]
    store.close()


def test_a_full_disk_loses_nothing_and_heals(tmp_path: Path) -> None:
    """A file size limit stands for the full disk: the kernel refuses the write in the same place."""
    script = (
        PREAMBLE
        + """
import resource
store = SqliteStore(path, create=True)
for n in range(50):
    add(store, f"before {n}")
store.scrub()
limit = path.stat().st_size + 40_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
acknowledged, refused = [f"before {n}" for n in range(50)], 0
for n in range(60):
    try:
        add(store, f"during {n}", size=3_000)
        acknowledged.append(f"during {n}")
    except errors.StoreFullError:
        refused += 1
assert refused, "the limit was never reached"
assert sorted(names(store)) == sorted(acknowledged)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
add(store, "after")
assert sorted(names(store)) == sorted([*acknowledged, "after"])
assert store.problems() == []
store.close()
store = SqliteStore(path)
assert sorted(names(store)) == sorted([*acknowledged, "after"])
print(len(acknowledged), refused)
"""
    )
    acknowledged, refused = map(int, run(script, tmp_path / "store.db").split())
    assert acknowledged >= 50
    assert refused > 0


def test_a_full_disk_for_a_new_store_is_told(tmp_path: Path) -> None:
    script = (
        PREAMBLE
        + """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
try:
    SqliteStore(path, create=True)
except errors.StoreFullError:
    print("full")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store = SqliteStore(path, create=True)
add(store, "a")
assert store.problems() == []
"""
    )
    assert run(script, tmp_path / "store.db").split() == ["full"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a user without rights may enter (pytest's own belongs to its owner alone)."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


UNPRIVILEGED = """
import os
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
"""


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o444), (0o755, 0o444), (0o555, 0o644), (0o755, 0o000)])
def test_a_place_that_cannot_be_written_is_told(open_folder: Path, folder_mode: int, file_mode: int) -> None:
    """Modes do not bind root, so the process that tries gives up its rights first."""
    folder = open_folder / "place"
    path = folder / "store.db"
    store = SqliteStore(path, create=True)
    add(store, entry("a"))
    store.close()
    path.chmod(file_mode)
    folder.chmod(folder_mode)
    script = (
        PREAMBLE
        + UNPRIVILEGED
        + """
for create in (False, True):
    try:
        store = SqliteStore(path, create=create)
        add(store, "b")
    except errors.StoreReadOnlyError as error:
        print("refused")
"""
    )
    try:
        if os.geteuid() != 0 and (folder_mode, file_mode) == (0o755, 0o444):
            pytest.skip("the owner of a folder may make the file's neighbours, and SQLite then tells at the write")
        assert run(script, path).split() == ["refused", "refused"]
    finally:
        folder.chmod(0o755)
        path.chmod(0o600)
    store = SqliteStore(path)
    assert names(store) == ["a"]
    store.close()


def test_a_new_store_in_a_place_that_cannot_be_written_is_told(open_folder: Path) -> None:
    (open_folder / "place").mkdir(mode=0o555)
    script = (
        PREAMBLE
        + UNPRIVILEGED
        + """
for place in (path, path.parent / "deeper" / "store.db"):
    try:
        SqliteStore(place, create=True)
    except errors.StoreReadOnlyError:
        print("refused")
"""
    )
    assert run(script, open_folder / "place" / "store.db").split() == ["refused", "refused"]


BOUND_ABOVE = {"slot", "created_at", "updated_at", "expires_at", "blob"}
"""Columns that no index repeats: what is sealed or hashed binds them, and the layers above check it."""


def test_flipped_bytes_are_never_served_as_something_else(tmp_path: Path) -> None:
    """REL-5. What the engine filters and orders by is told when it was altered; sealed bytes check themselves."""
    source = tmp_path / "whole.db"
    store = SqliteStore(source, create=True)
    add(store, *(entry(f"memory {n:03}") for n in range(120)))
    store.write(lambda tx: tx.append_audit(TENANT, [AuditRow(n, b"line" * 40) for n in range(1, 60)], b"head" * 20))
    store.write(lambda tx: tx.put_record(TENANT, PERSON, RecordRow(RecordKind.CONSENT, "k", 1, 1, None, 0, b"r")))
    with store.read() as view:
        whole = view.entries_since(TENANT, PERSON, -1)
    store.close()
    content = source.read_bytes()
    chance = random.Random(7)
    told = 0
    for n in range(200):
        damaged = bytearray(content)
        at = chance.randrange(len(damaged))
        length = chance.choice([1, 1, 16, 512, 4096])
        damaged[at : at + length] = chance.randbytes(min(length, len(damaged) - at))
        path = tmp_path / f"damaged {n}.db"
        path.write_bytes(damaged)
        try:
            store = SqliteStore(path)
        except StorageError:
            told += 1
            continue
        try:
            with store.read() as view:
                found = view.entries_since(TENANT, PERSON, -1)
            problems = store.problems()
        except StorageError:
            told += 1
        else:
            told += bool(problems)
            if not problems:
                _same_but_for(found, whole, BOUND_ABOVE)
        finally:
            store.close()
    assert told > 60


def _same_but_for(found: list[EntryRow], whole: list[EntryRow], columns: set[str]) -> None:
    blank = dict.fromkeys(columns)
    assert [row._replace(**blank) for row in found] == [row._replace(**blank) for row in whole]


@pytest.mark.parametrize("cut", [1, 2_000, 5_000, 60_000])
def test_a_store_that_was_cut_short_is_told(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path, create=True)
    add(store, *(entry(f"memory {n:03}") for n in range(300)))
    store.close()
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(StorageError):  # noqa: PT012 - opening, checking or reading: one of them tells
        store = SqliteStore(path)
        if store.problems():
            raise StoreCorruptError("told by its check")
        names(store)


def test_a_torn_log_ends_at_the_last_whole_commit(tmp_path: Path) -> None:
    """REL-5: frames carry checksums, so a commit that reached the disk in part is not served in part."""
    path = tmp_path / "store.db"
    store = SqliteStore(path, create=True)
    add(store, entry("first"))
    store.scrub()
    add(store, *(entry(f"second {n}") for n in range(20)))
    add(store, *(entry(f"third {n}") for n in range(20)))
    held = {file.name: file.read_bytes() for file in (path, tmp_path / "store.db-wal")}
    del store  # never closed: as if the process had died; its files were copied before
    for cut in (1, 100, 4_000, 30_000):
        copy = tmp_path / f"cut {cut}"
        copy.mkdir()
        (copy / "store.db").write_bytes(held["store.db"])
        (copy / "store.db-wal").write_bytes(held["store.db-wal"][:-cut])
        after = SqliteStore(copy / "store.db")
        kept = {name.split()[0] for name in names(after)}
        assert kept in ({"first"}, {"first", "second"})
        assert len(names(after)) in (1, 21)
        assert after.problems() == []
        after.close()


def test_a_forked_child_is_refused(tmp_path: Path) -> None:
    script = (
        PREAMBLE
        + """
import os
store = SqliteStore(path, create=True)
add(store, "a")
child = os.fork()
if child == 0:
    for action in (lambda: add(store, "child"), lambda: names(store), store.sync, store.scrub, store.problems):
        try:
            action()
        except errors.StorageError as error:
            if "fork" in str(error):
                continue
        os._exit(1)
    store.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
add(store, "b")
assert names(store) == ["a", "b"]
"""
    )
    run(script, tmp_path / "store.db")


def test_errors_carry_no_content(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db", create=True)
    add(store, entry("canary-name"))
    with pytest.raises(StorageError) as caught:
        add(store, entry("canary-name"))
    error: BaseException | None = caught.value
    while error is not None:
        assert "canary" not in repr(error)
        assert str(tmp_path) not in repr(error)
        error = error.__cause__ or error.__context__
    store.close()


def test_a_disk_error_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(StoreFullError):
        raise _translated(apsw.SQLITE_FULL)
    with pytest.raises(StorageError, match="disk refused"):
        raise _translated(apsw.SQLITE_IOERR_FSYNC)
    with pytest.raises(StoreReadOnlyError):
        raise _translated(apsw.SQLITE_READONLY)
    with pytest.raises(StoreCorruptError):
        raise _translated(apsw.SQLITE_IOERR_SHORT_READ)
    with pytest.raises(StorageError, match="failed"):
        raise _translated(apsw.SQLITE_MISMATCH)


def _translated(result: int) -> StorageError:
    from iris_memory.storage.sqlite.faults import translate

    return translate(apsw.exception_for(result))


def test_every_connection_is_set_up_alike(tmp_path: Path) -> None:
    """Each of these would be lost silently if a script of pragmas stopped at the first row it returns."""
    wanted = {
        "foreign_keys": 1,
        "secure_delete": 1,
        "temp_store": 2,
        "cell_size_check": 1,
        "cache_size": -16_000,
        "page_size": 4096,
        "auto_vacuum": 0,
        "synchronous": 2,
    }
    store = SqliteStore(tmp_path / "store.db", create=True)
    vault = SqliteVault(tmp_path / "vault.db", FixedKey(b"k" * 32), create=True)
    reader = store.borrow()
    for connection in (store._commits._connection, reader):
        assert {name: connection.pragma(name) for name in wanted} == wanted
        assert connection.pragma("journal_mode") == "wal"
    assert (reader.pragma("query_only"), vault._connection.pragma("journal_mode")) == (1, "truncate")
    held = {name: vault._connection.pragma(name) for name in wanted}
    assert held == wanted | {"synchronous": 3}
    store.give_back(reader)
    store.close()
    vault.close()
