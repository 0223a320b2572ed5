"""A server that is restarted, slow, or replaced by its standby: clear retryable errors, nothing lost (REL-1)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Thread

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from iris_memory.chain.verify import verify_lines
from iris_memory.conformance.samples import PERSON, TENANT, add, entry, living
from iris_memory.errors import StorageError, StoreBusyError
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.postgres import PostgresStore, prepare, statements
from postgres.server import OWNER, SERVICE, Server, kill_hard

pytestmark = pytest.mark.enable_socket

OpenPostgres = Callable[..., PostgresStore]
PATIENCE = 60.0


def prepared(server: Server) -> str:
    """Make a prepared database on a server and return its name."""
    name = server.new_database()
    prepare(server.at(name, OWNER), service=SERVICE)
    return name


class Writer:
    """Writes without a pause, retries what is to be retried, and notes what was acknowledged."""

    def __init__(self, store: PostgresStore) -> None:
        self.acknowledged: list[str] = []
        self.retried = 0
        self.failures: list[str] = []
        self._store = store
        self._stop = Event()
        self._thread = Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        """Let it end."""
        self._stop.set()
        self._thread.join()

    def wait_for(self, count: int) -> None:
        """Wait until so many more writes were acknowledged."""
        until, wanted = time.monotonic() + PATIENCE, len(self.acknowledged) + count
        while len(self.acknowledged) < wanted:
            assert not self.failures, self.failures
            assert time.monotonic() < until
            time.sleep(0.01)

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            name = f"m{number:06}"

            def work(tx: Transaction, name: str = name) -> None:
                seq = tx.bump(TENANT, PERSON)
                tx.add_entries(TENANT, PERSON, [entry(name, seq=seq)])
                tx.append_event(TENANT, {"wrote": name}, at=seq)

            try:
                self._store.write(work)
            except StoreBusyError:
                self.retried += 1
                time.sleep(0.02)
            except Exception as error:
                self.failures.append(repr(error))
                return
            else:
                self.acknowledged.append(name)


def require_all_kept(store: PostgresStore, writer: Writer) -> None:
    """Require every acknowledged write, each with its event, in a chain without gap or fork."""
    assert writer.failures == []
    kept = {row.logical_id for row in living(store)}
    assert set(writer.acknowledged) <= kept
    with store.read() as view:
        lines = view.audit_lines(TENANT, start=1, limit=1_000_000)
    head, problems = verify_lines([row.line for row in lines], tenant_id=TENANT)
    assert problems == ()
    assert head.size == len(kept), "a write and its event stand or fall together"
    assert store.problems() == []


def test_a_server_that_is_restarted_is_found_again(own_server: Server) -> None:
    store = PostgresStore(own_server.at(prepared(own_server), SERVICE), busy_seconds=3)
    try:
        writer = Writer(store)
        for stop in (lambda: kill_hard(own_server.pid), lambda: own_server.stop_politely()):
            writer.wait_for(20)
            stop()
            own_server.start_again()
        writer.wait_for(20)
        writer.stop()
        assert writer.retried
        require_all_kept(store, writer)
    finally:
        store.close()


def require_told(standby: str) -> None:
    """Require that a standby can be read, and says that it takes no writes."""
    store = PostgresStore(standby, busy_seconds=2)
    try:
        with pytest.raises(StoreBusyError, match="standby"):
            add(store, entry("a"))
        assert living(store) == []
    finally:
        store.close()


def test_a_standby_that_is_promoted_has_all_that_was_acknowledged(own_server: Server) -> None:
    """Both are named in one address; which of them takes writes is asked of the server, not of the name."""
    name = prepared(own_server)
    standby = own_server.standby()
    try:
        address = make_conninfo(
            "",
            host=f"{own_server.folder},{standby.folder}",
            dbname=name,
            user=SERVICE,
            target_session_attrs="read-write",
        )
        require_told(standby.at(name, SERVICE))
        store = PostgresStore(address, busy_seconds=3)
        heard: list[str] = []
        gaps: list[int] = []
        store.on_erasure(lambda _tenant, person: heard.append(person), missed=lambda: gaps.append(1))
        try:
            writer = Writer(store)
            writer.wait_for(30)
            kill_hard(own_server.pid)
            standby.promote()
            writer.wait_for(30)
            writer.stop()
            assert writer.retried
            require_all_kept(store, writer)
            until = time.monotonic() + PATIENCE
            while not gaps:
                assert time.monotonic() < until
                time.sleep(0.02)
            store.write(lambda tx: tx.hide(TENANT, PERSON, [writer.acknowledged[0]], seq=10**6))
            while not heard:
                assert time.monotonic() < until
                time.sleep(0.02)
        finally:
            store.close()
    finally:
        standby.stop()


@pytest.fixture
def slow(url: str, open_postgres: OpenPostgres) -> Iterator[tuple[PostgresStore, psycopg.Connection[object]]]:
    """A store of little patience, and a connection that holds what it waits for."""
    with psycopg.connect(url) as connection:
        connection.execute(
            "SELECT set_config('iris.tenant', %s, true), set_config('iris.person', %s, true)", [TENANT, f"={PERSON}"]
        )
        yield open_postgres(busy_seconds=0.3), connection


def test_a_lock_on_a_row_is_waited_for_and_no_longer(
    slow: tuple[PostgresStore, psycopg.Connection[object]], store: PostgresStore
) -> None:
    waiting, holder = slow
    store.write(lambda tx: (tx.bump(TENANT, PERSON), tx.append_event(TENANT, {}, at=1)))
    holder.execute("SELECT audit_size FROM iris.tenant FOR UPDATE")
    state = store_state(store)
    with pytest.raises(StoreBusyError, match="too long"):
        waiting.append_if(TENANT, PERSON, state, {"n": 2}, at=2)
    with pytest.raises(StoreBusyError, match="too long"):
        waiting.write(lambda tx: tx.append_event(TENANT, {"n": 2}, at=2))
    assert store_state(waiting) == state, "views wait for nobody"
    holder.rollback()
    assert waiting.append_if(TENANT, PERSON, state, {"n": 2}, at=2)


def store_state(store: PostgresStore) -> object:
    """Return the counters of the person."""
    with store.read() as view:
        return view.state(TENANT, PERSON)


def test_a_statement_that_takes_too_long_is_stopped(
    open_postgres: OpenPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_postgres(busy_seconds=0.2)
    add(store, entry("a"))
    with monkeypatch.context() as slowly:
        slowly.setattr(statements, "TOMBSTONES", "SELECT 'a', 1, 1, 1, '', '' FROM pg_sleep(30)")
        with pytest.raises(StoreBusyError, match="too long"), store.read() as view:
            view.tombstones(TENANT, PERSON)
        with pytest.raises(StoreBusyError, match="too long"):
            store.write(lambda tx: tx.tombstones(TENANT, PERSON))
    assert len(living(store)) == 1


_STOPPED = """
import os, signal, sys
from iris_memory.conformance.samples import PERSON, TENANT
from iris_memory.storage.postgres import PostgresStore

store = PostgresStore(sys.argv[1], busy_seconds=0.3)
def work(tx):
    tx.bump(TENANT, PERSON)
    tx.state(TENANT, "another")
    print("inside", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    tx.bump(TENANT, "another")
try:
    store.write(work)
except Exception as error:
    print(type(error).__name__, flush=True)
"""


def test_a_process_that_stands_still_within_a_work_holds_nothing_for_long(
    server: Server, database: str, url: str, open_postgres: OpenPostgres
) -> None:
    process = subprocess.Popen([sys.executable, "-c", _STOPPED, url], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "inside\n"
        store = open_postgres(busy_seconds=10)
        assert store.write(lambda tx: tx.bump(TENANT, PERSON)) == 1, "the server ended the other's transaction"
        os.kill(process.pid, signal.SIGCONT)
        assert process.stdout.readline() == "StoreBusyError\n"
    finally:
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=30)


def test_no_transaction_is_left_open(server: Server, database: str, store: PostgresStore) -> None:
    """Whatever a work or a view does, its connection is idle afterwards, not idle in a transaction."""
    acts: list[Callable[[], object]] = [
        lambda: add(store, entry("a")),
        lambda: living(store),
        lambda: store.write(lambda tx: tx.state(TENANT, PERSON)),
        lambda: store.write(lambda tx: 1 / 0),
        lambda: store.write(lambda tx: (tx.bump(TENANT, PERSON), 1 / 0)),
        lambda: add(store, entry("a")),
        lambda: store.write(lambda tx: tx.entries_since(TENANT, PERSON, 2**70)),
        lambda: store.append_if(TENANT, PERSON, store_state(store), {}, at=1),  # type: ignore[arg-type]
        store.sync,
        store.scrub,
        store.problems,
    ]
    for act in acts:
        with suppress(StorageError, ZeroDivisionError):
            act()
        with psycopg.connect(server.url) as connection:
            rows = connection.execute(
                "SELECT state FROM pg_stat_activity WHERE datname = %s AND usename = %s", [database, SERVICE]
            ).fetchall()
        assert {state for (state,) in rows} <= {"idle"}
