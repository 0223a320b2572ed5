"""What every store promises about moving it whole: every row out, and back exactly as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from iris_memory.conformance.reporting import expect, refused, same
from iris_memory.conformance.samples import (
    OTHER_PERSON,
    OTHER_TENANT,
    PERSON,
    TENANT,
    OpenStore,
    add,
    bury,
    entry,
    hide,
    keep,
    living,
    mark,
    opened,
    record,
    supersede,
    tombstone,
)
from iris_memory.errors import KeyDestroyedError, StorageError
from iris_memory.ports.restoring import StoredEntry, StoredUse
from iris_memory.ports.rows import ERASED, RecordKind, RecordRow, SubjectState, TombstoneRow, UsageRow
from iris_memory.ports.unit_of_work import Reading, Store, Transaction

ALL = 1_000


def everybody_is_named_once(open_store: OpenStore) -> None:
    """owners names the tenant's own rows, living and erased people, of every tenant, sorted."""
    with opened(open_store) as store:
        with store.read() as view:
            same(view.owners(), [], "nobody yet")
        keep(store, record("r"), person="")
        keep(store, record("r"), tenant=OTHER_TENANT)
        add(store, entry("a"))
        store.write(lambda tx: tx.erase_person(TENANT, OTHER_PERSON))
        wanted = [(TENANT, ""), (TENANT, PERSON), (TENANT, OTHER_PERSON), (OTHER_TENANT, PERSON)]
        with store.read() as view:
            same(view.owners(), sorted(wanted), "everybody")


def every_row_comes_out_page_by_page(open_store: OpenStore) -> None:
    """every_entry, every_use and every_record return all rows, hidden and superseded ones too, in order, by pages."""
    with opened(open_store) as store:
        _furnish(store)
        with store.read() as view:
            found = [(one.row.logical_id, one.row.revision, one.hidden_seq) for one in _entries(view)]
            same(found, [("a", 1, None), ("a", 2, None), ("b", 1, 7)], "revisions")
            same(view.every_entry(TENANT, PERSON, after=("a", 1), limit=1), [_entries(view)[1]], "one page")
            uses = view.every_use(TENANT, PERSON, limit=ALL)
            same([(one.row.logical_id, one.is_hidden) for one in uses], [("a", False), ("b", True)], "uses")
            same(view.every_use(TENANT, PERSON, after="a", limit=ALL), uses[1:], "uses beyond a name")
            records = view.every_record(TENANT, PERSON, limit=ALL)
            same([(row.kind, row.key) for row in records], _KEYS, "records of all kinds by (kind, key)")
            same(view.every_record(TENANT, PERSON, after=_KEYS[0], limit=1), records[1:2], "records beyond a key")
            same(view.every_record(TENANT, PERSON, limit=0), [], "a page of nothing")
            same(view.every_entry(OTHER_TENANT, PERSON, limit=ALL), [], "another tenant has none of them")


def rows_go_back_exactly(open_store: OpenStore) -> None:
    """What is cleared and put back is what it was: rows, hidden ones, counters; and goes on from there."""
    with opened(open_store) as store:
        _furnish(store)
        before = _whole(store)

        def back(tx: Transaction) -> None:
            state, entries, uses, records, stones = before
            tx.clear_person(TENANT, PERSON)
            same(tx.every_entry(TENANT, PERSON, limit=ALL), [], "cleared")
            same(tx.tombstones(TENANT, PERSON), [], "tombstones as well")
            tx.restore_entries(TENANT, PERSON, entries)
            tx.restore_uses(TENANT, PERSON, uses)
            tx.restore_records(TENANT, PERSON, records)
            tx.bury(TENANT, PERSON, stones)
            tx.restore_counters(TENANT, PERSON, version=state.version, usage_seq=state.usage_seq)

        store.write(back)
    with opened(open_store) as store:
        same(_whole(store), before, "the same rows and counters")
        same([row.logical_id for row in living(store)], ["a"], "what is hidden stays hidden")
        same(store.problems(), [], "the store is well")
        same(store.write(lambda tx: tx.bump(TENANT, PERSON)), before[0].version + 1, "the counter goes on")


def an_erased_person_goes_back_erased(open_store: OpenStore) -> None:
    """A counter that says erased is put back as such, and holds; clearing takes it away again."""
    with opened(open_store) as store:
        store.write(lambda tx: tx.restore_counters(TENANT, PERSON, version=ERASED, usage_seq=0))
        with store.read() as view:
            same(view.state(TENANT, PERSON).version, ERASED, "erased")
        refused(partial(store.write, lambda tx: tx.bump(TENANT, PERSON)), "a bump", by=KeyDestroyedError)
        store.write(lambda tx: tx.clear_person(TENANT, PERSON))
        same(store.write(lambda tx: tx.bump(TENANT, PERSON)), 1, "anew")


def a_row_is_not_put_back_twice(open_store: OpenStore) -> None:
    """A row that is there already is refused, and nothing of its transaction is kept."""
    with opened(open_store) as store:
        _furnish(store)
        before = _whole(store)
        entries = [StoredEntry(entry("z", slot=9), None), before[1][0]]
        uses = [StoredUse(UsageRow("z", 1, 2, b"use"), False), before[2][0]]
        deeds: list[Callable[[Transaction], None]] = [
            lambda tx: tx.restore_entries(TENANT, PERSON, entries),
            lambda tx: tx.restore_uses(TENANT, PERSON, uses),
            lambda tx: tx.restore_records(TENANT, PERSON, [record("new"), before[3][0]]),
        ]
        for deed in deeds:
            refused(partial(store.write, deed), "a second row", by=StorageError)
        same(_whole(store), before, "nothing was kept")
        expect(bool(before[1]), "there were rows to be kept apart")


_KEYS = [(RecordKind.CONSENT, "one"), (RecordKind.CONSENT, "two"), (RecordKind.PAUSE, "one")]

_Whole: TypeAlias = tuple[SubjectState, list[StoredEntry], list[StoredUse], list[RecordRow], list[TombstoneRow]]


def _furnish(store: Store) -> None:
    add(store, entry("a"), entry("b", slot=2), entry("gone", slot=3))
    supersede(store, ("a", 1, "a.2"))
    add(store, entry("a", revision=2, seq=2, slot=4, expires_at=99))
    mark(store, ("a", 1, b"used"), ("b", 2, b"used too"))
    hide(store, ["b"], seq=7)
    bury(store, tombstone("gone"))
    keep(store, record("two", expires_at=5), record("one"), record("one", kind=RecordKind.PAUSE, blob=b""))
    store.write(lambda tx: tx.bump(TENANT, PERSON))


def _entries(view: Reading) -> list[StoredEntry]:
    return view.every_entry(TENANT, PERSON, limit=ALL)


def _whole(store: Store) -> _Whole:
    with store.read() as view:
        return (
            view.state(TENANT, PERSON),
            _entries(view),
            view.every_use(TENANT, PERSON, limit=ALL),
            view.every_record(TENANT, PERSON, limit=ALL),
            view.tombstones(TENANT, PERSON),
        )


CHECKS = (
    everybody_is_named_once,
    every_row_comes_out_page_by_page,
    rows_go_back_exactly,
    an_erased_person_goes_back_erased,
    a_row_is_not_put_back_twice,
)
