"""A store that is prepared while it is in use: no long lock, and processes of two releases side by side (REL-13)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from threading import Event, Thread

import psycopg
import pytest

from iris_memory.conformance.samples import PERSON, TENANT, add, entry, living
from iris_memory.errors import StoreBusyError, StoreVersionError
from iris_memory.storage.postgres import PostgresStore, prepare, preparing
from iris_memory.storage.postgres.schema import APPLICATION, MIGRATIONS
from postgres.server import OWNER, Server

pytestmark = pytest.mark.enable_socket

NEXT = f"""
ALTER TABLE iris.entry ADD COLUMN note text;
CREATE TABLE iris.novelty (tenant text COLLATE "C" NOT NULL REFERENCES iris.tenant, key text NOT NULL,
  PRIMARY KEY (tenant, key));
ALTER TABLE iris.novelty ENABLE ROW LEVEL SECURITY;
ALTER TABLE iris.novelty FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON iris.novelty TO {APPLICATION};
"""
"""What the next release may do: add a column that may be empty, and a table."""

_OLD = """
import sys
from iris_memory.conformance.samples import PERSON, TENANT, entry
from iris_memory.storage.postgres import PostgresStore

store = PostgresStore(sys.argv[1])
print("open", flush=True)
for number, line in enumerate(sys.stdin):
    def work(tx, number=number):
        seq = tx.bump(TENANT, PERSON)
        tx.add_entries(TENANT, PERSON, [entry(f"old-{number}", seq=seq)])
        tx.append_event(TENANT, {"by": "old"}, at=number)
    store.write(work)
    with store.read() as view:
        print(len(view.entries_since(TENANT, PERSON, -1)), flush=True)
store.close()
"""


@pytest.fixture
def old(url: str) -> Iterator[subprocess.Popen[str]]:
    """A process of this release, which is the old one here."""
    process = subprocess.Popen(
        [sys.executable, "-c", _OLD, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert said(process) == "open"
    yield process
    process.communicate(timeout=60)
    assert process.returncode == 0


def said(process: subprocess.Popen[str]) -> str:
    """Return the next line a process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ask(process: subprocess.Popen[str]) -> int:
    """Have a process write once, and return how many entries it sees."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return int(said(process))


def test_old_and_new_processes_work_side_by_side(
    server: Server, database: str, url: str, old: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(old) == 1
    with monkeypatch.context() as next_release:
        next_release.setattr(preparing, "MIGRATIONS", (*MIGRATIONS, NEXT))
        assert prepare(server.at(database, OWNER)) == len(MIGRATIONS) + 1
        assert ask(old) == 2, "a process that was open goes on"
        new = PostgresStore(url)
        try:
            add(new, entry("new"), entry("new too"))
            new.write(lambda tx: tx.append_event(TENANT, {"by": "new"}, at=9))
            assert ask(old) == 5
            assert len(living(new)) == 5
            assert new.problems() == []
            with new.read() as view:
                assert len(view.audit_lines(TENANT, start=1, limit=9)) == 4
                assert view.state(TENANT, PERSON).version == 3
        finally:
            new.close()
    late = PostgresStore(url)  # an old process that starts only now, after a crash say
    late.close()
    assert prepare_refuses(server.at(database, OWNER))


def prepare_refuses(owner: str) -> bool:
    """Say whether the old release refuses to prepare what the new one has prepared."""
    try:
        prepare(owner)
    except StoreVersionError:
        return True
    return False


def test_a_release_that_does_more_than_add_says_so(
    server: Server, database: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as next_release:
        next_release.setattr(preparing, "MIGRATIONS", (*MIGRATIONS, NEXT))
        next_release.setattr(preparing, "SERVES_FROM", len(MIGRATIONS) + 1)
        prepare(server.at(database, OWNER))
        PostgresStore(url).close()
    with pytest.raises(StoreVersionError, match="upgrade Iris"):
        PostgresStore(url)


def test_a_new_process_waits_for_its_database(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "MIGRATIONS", (*MIGRATIONS, NEXT))
    with pytest.raises(StoreVersionError, match="prepare it again"):
        PostgresStore(url)


def test_a_migration_holds_nobody_up(
    server: Server, database: str, store: PostgresStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader holds the table; the migration waits for it in short turns, and writers pass between them."""
    add(store, entry("a"))
    monkeypatch.setattr(preparing, "MIGRATIONS", (*MIGRATIONS, NEXT))
    monkeypatch.setattr(preparing, "LOCK_MILLISECONDS", 100)
    versions: list[int] = []
    owner = server.at(database, OWNER)
    migration = Thread(target=lambda: versions.append(prepare(owner)))
    slowest, stop, written = [0.0], Event(), [0]

    def write() -> None:
        while not stop.is_set():
            start = time.monotonic()
            add(store, entry(f"w{written[0]}"))
            slowest[0] = max(slowest[0], time.monotonic() - start)
            written[0] += 1
            stop.wait(0.05)  # writers that leave no gap at all are the next test's

    writer = Thread(target=write)
    with psycopg.connect(url) as reader:
        reader.execute("SELECT count(*) FROM iris.entry")
        migration.start()
        writer.start()
        before = written[0]
        time.sleep(1.0)
        assert versions == [], "the reader is in its way"
        assert written[0] > before, "and not in the writer's"
    migration.join()
    stop.set()
    writer.join()
    assert versions == [len(MIGRATIONS) + 1]
    assert slowest[0] < 9, "no writer ran into its own limit"
    assert len(living(store)) == written[0] + 1


def test_a_migration_that_finds_no_gap_gives_up(
    server: Server, database: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "MIGRATIONS", (*MIGRATIONS, NEXT))
    monkeypatch.setattr(preparing, "LOCK_MILLISECONDS", 50)
    with psycopg.connect(url) as reader:
        reader.execute("SELECT count(*) FROM iris.entry")
        with pytest.raises(StoreBusyError, match="retry"):
            prepare(server.at(database, OWNER), patience=0.2)
    assert prepare(server.at(database, OWNER)) == len(MIGRATIONS) + 1
