"""What every store promises about transactions, views, durability and its files."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from iris_memory.conformance.reporting import ConformanceError, expect, refused, same
from iris_memory.conformance.samples import (
    PERSON,
    TENANT,
    OpenStore,
    add,
    bury,
    entry,
    event,
    hide,
    keep,
    living,
    mark,
    opened,
    record,
    tombstone,
)
from iris_memory.conformance.surroundings import bytes_of, together
from iris_memory.errors import StorageError
from iris_memory.ports.rows import CheckpointRow, RecordKind
from iris_memory.ports.unit_of_work import Reading, Store, Transaction

THREADS = 8
ROUNDS = 25


class _OwnError(Exception):
    """An error of a work, of a kind that no engine knows."""


def a_failing_work_leaves_nothing(open_store: OpenStore) -> None:
    """If a work raises, nothing of it is kept, in any table, and its own error passes through (LOG-8)."""
    raised = _OwnError()

    def work(tx: Transaction) -> None:
        tx.bump(TENANT, PERSON)
        tx.bump(TENANT, "")
        tx.add_entries(TENANT, PERSON, [entry("b")])
        tx.supersede(TENANT, PERSON, [("a", 1, "a.2")])
        tx.mark_usage(TENANT, PERSON, [("a", 1, b"other use")])
        tx.put_record(TENANT, PERSON, record("k", blob=b"other"))
        tx.drop_records(TENANT, PERSON, RecordKind.HOLD, None)
        tx.hide(TENANT, PERSON, ["h"], seq=9)
        tx.bury(TENANT, PERSON, [tombstone("z")])
        tx.append_audit(TENANT, [event(2)], b"other head")
        tx.add_checkpoint(TENANT, CheckpointRow(1, "note"))
        tx.erase_person(TENANT, PERSON)
        raise raised

    with opened(open_store) as store:
        add(store, entry("a"), entry("h"), entry("z"))
        mark(store, ("a", 1, b"use"))
        keep(store, record("k"), record("h", kind=RecordKind.HOLD))
        store.write(lambda tx: tx.append_audit(TENANT, [event(1)], b"head"))
        before = _everything(store)
        try:
            store.write(work)
        except _OwnError as error:
            expect(error is raised, "the very error of the work passes through")
        else:
            raise ConformanceError("the work's error was swallowed")
        same(_everything(store), before, "nothing of it is kept")
        same(store.problems(), [], "the store is well")


def a_work_sees_its_own_writes(open_store: OpenStore) -> None:
    """A transaction sees what it wrote, and what it returns is returned."""

    def work(tx: Transaction) -> list[str]:
        tx.add_entries(TENANT, PERSON, [entry("a")])
        tx.append_audit(TENANT, [event(1)], b"head")
        expect(tx.bump(TENANT, PERSON) == tx.state(TENANT, PERSON).version == 1, "the version it moved")
        expect(tx.audit_head(TENANT) == b"head", "the head it wrote")
        return [row.logical_id for row in tx.entries_since(TENANT, PERSON, -1)]

    with opened(open_store) as store:
        same(store.write(work), ["a"], "the row it wrote")


def a_view_is_consistent(open_store: OpenStore) -> None:
    """A view keeps showing one moment while others write; one opened afterwards shows the new one."""
    with opened(open_store) as store:
        add(store, entry("a"))
        with store.read() as view:
            same(len(view.entries_since(TENANT, PERSON, -1)), 1, "one row")
            _elsewhere(partial(add, store, entry("b")))
            same(len(view.entries_since(TENANT, PERSON, -1)), 1, "still one row")
            same(len(_elsewhere(partial(living, store))), 2, "both rows in a view opened afterwards")


def a_write_is_unseen_until_it_is_kept(open_store: OpenStore) -> None:
    """What a work did is seen by nobody else before its commit."""
    with opened(open_store) as store:

        def work(tx: Transaction) -> int:
            tx.add_entries(TENANT, PERSON, [entry("a")])
            return len(_elsewhere(partial(living, store)))

        same(store.write(work), 0, "nothing is seen during the work")
        same(len(living(store)), 1, "it is seen afterwards")


def acknowledged_writes_are_seen_by_all(open_store: OpenStore) -> None:
    """A view opened after a write was acknowledged shows it, in any thread, durable or not."""
    with opened(open_store) as store:
        for n in range(20):
            row = entry(f"m{n:02}")
            _write_entry(store, row.logical_id, durable=n % 2 == 0)
            expect(row in _elsewhere(partial(living, store)), "an acknowledged write is seen")


def a_store_opened_again_has_everything(open_store: OpenStore) -> None:
    """What was acknowledged is there when the store is opened again, what was not durable as well."""
    with opened(open_store) as store:
        for n in range(4):
            _write_entry(store, f"m{n}", durable=n < 2)
        keep(store, record("k"))
        hide(store, ["m3"], seq=2)
        before = _everything(store)
    with opened(open_store) as store:
        same(_everything(store), before, "all is as it was")
        same(store.problems(), [], "the store is well")


def two_stores_at_one_place_share_it(open_store: OpenStore) -> None:
    """Two stores at one place see each other's acknowledged writes and never write at the same time."""
    with opened(open_store) as one, opened(open_store) as two:
        stores = (one, two)

        def run(store: Store, thread: int) -> None:
            for n in range(ROUNDS):
                store.write(lambda tx: tx.bump(TENANT, PERSON))
                _write_entry(store, f"m{thread}-{n}", durable=False)

        together([partial(run, stores[n % 2], n) for n in range(4)])
        for store in stores:
            same(len(living(store)), 4 * ROUNDS, "every row, in both")
            with store.read() as view:
                same(view.state(TENANT, PERSON).version, 4 * ROUNDS, "every step of the version")


def sync_makes_all_durable(open_store: OpenStore) -> None:
    """After sync, and after a durable write, no commit of this process is unsynced."""
    with opened(open_store) as store:
        expect(not store.is_unsynced(), "a fresh store is synced")
        _write_entry(store, "a", durable=False)
        store.sync()
        expect(not store.is_unsynced(), "sync left something unsynced")
        _write_entry(store, "b", durable=False)
        store.write(lambda tx: tx.state(TENANT, PERSON), durable=True)
        expect(not store.is_unsynced(), "a durable write left something unsynced, though it changed nothing itself")


def deleted_bytes_are_in_no_file(open_store: OpenStore) -> None:
    """After scrub no file holds a sealed byte of what was replaced, dropped, buried or erased (DSR-10)."""
    kept = os.urandom(64)
    gone = [os.urandom(64) for _ in range(40)]
    with opened(open_store) as store:
        add(store, *(entry(f"m{n:02}", blob=blob * (1 + n * 7)) for n, blob in enumerate(gone[:30])))
        add(store, entry("kept", blob=kept))
        mark(store, ("m00", 1, gone[30]), ("kept", 1, gone[31]))
        keep(store, record("replaced", blob=gone[32] * 3), record("dropped", blob=gone[33]))
        keep(store, *(record(f"erased {blob[:4].hex()}", blob=blob) for blob in gone[34:]), person="b0" * 16)
        mark(store, ("kept", 1, b"use"))
        keep(store, record("replaced", blob=b"short"))
        store.write(lambda tx: tx.drop_records(TENANT, PERSON, RecordKind.CONSENT, ["dropped"]))
        bury(store, *(tombstone(f"m{n:02}") for n in range(30)))
        store.write(lambda tx: tx.erase_person(TENANT, "b0" * 16))
        expect(store.scrub(), "scrub is done when nobody reads")
        files = list(store.files())
        same([row.logical_id for row in living(store)], ["kept"], "the rest is there")
    for path in files:  # only now: to open a file that SQLite of this process uses would drop its locks
        held = bytes_of(path)
        expect(not any(blob in held for blob in gone), "a deleted byte is left in a file")


def a_closed_store_refuses(open_store: OpenStore) -> None:
    """After close everything is refused, closing again is allowed, and views and transactions end with their block."""
    store = open_store()
    kept: list[Reading] = []
    with store.read() as view:
        kept.append(view)
        view.state(TENANT, PERSON)
    store.write(kept.append)
    for ended in kept:
        refused(partial(ended.state, TENANT, PERSON), "a view after its end", by=StorageError)
    store.close()
    store.close()
    refused(partial(living, store), "a view of a closed store", by=StorageError)
    refused(partial(add, store, entry("a")), "a write to a closed store", by=StorageError)
    for action in (store.sync, store.scrub, store.problems):
        refused(action, "a closed store", by=StorageError)


def problems_are_found(open_store: OpenStore) -> None:
    """problems is empty for what is well and tells a gap in revisions and a lost current revision, without content."""
    with opened(open_store) as store:
        add(store, entry("fine"))
        same(store.problems(), [], "a store that is well")
        add(store, entry("gap-name", revision=2))
        found = store.problems()
        expect(bool(found), "a gap in revisions is told")
        expect(not any("gap-name" in sentence for sentence in found), "problems name no content")
    with opened(open_store) as store:
        bury(store, tombstone("gap-name"))
        add(store, entry("twice"), entry("twice", revision=2))
        expect(bool(store.problems()), "two current revisions are told")


def _write_entry(store: Store, name: str, *, durable: bool) -> None:
    store.write(lambda tx: tx.add_entries(TENANT, PERSON, [entry(name)]), durable=durable)


def _everything(store: Store) -> list[object]:
    with store.read() as view:
        return [
            view.state(TENANT, PERSON),
            view.entries_since(TENANT, PERSON, -1),
            view.gone_since(TENANT, PERSON, -1),
            view.usage_since(TENANT, PERSON, -1),
            view.tombstones(TENANT, PERSON),
            [view.records(TENANT, PERSON, kind) for kind in RecordKind],
            view.audit_head(TENANT),
            view.audit_lines(TENANT, start=1, limit=1_000),
            view.checkpoints(TENANT),
            view.slots_of(TENANT, PERSON, ["a", "h", "z"]),
        ]


def _elsewhere(action: Callable[[], object]) -> list[object]:
    """Run something in another thread and return what it returned."""
    results: list[object] = []
    together([lambda: results.append(action())])
    found = results[0]
    return found if isinstance(found, list) else [found]


CHECKS = (
    a_failing_work_leaves_nothing,
    a_work_sees_its_own_writes,
    a_view_is_consistent,
    a_write_is_unseen_until_it_is_kept,
    acknowledged_writes_are_seen_by_all,
    a_store_opened_again_has_everything,
    two_stores_at_one_place_share_it,
    sync_makes_all_durable,
    deleted_bytes_are_in_no_file,
    a_closed_store_refuses,
    problems_are_found,
)
