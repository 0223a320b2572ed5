"""What every store promises about records, usage and counters."""

from __future__ import annotations

from functools import partial

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
    tombstone,
)
from iris_memory.errors import KeyDestroyedError, StorageError
from iris_memory.ports.rows import ERASED, NOTHING_WRITTEN, RecordKind, SubjectState
from iris_memory.ports.unit_of_work import Store

MANY = 2_000


def counters_start_at_zero_and_move_by_one(open_store: OpenStore) -> None:
    """bump moves the person's version, with an empty person the tenant's, each by one and apart from the other."""
    with opened(open_store) as store:
        with store.read() as view:
            same(view.state(TENANT, PERSON), NOTHING_WRITTEN, "nothing was written")
        same(store.write(lambda tx: tx.bump(TENANT, PERSON)), 1, "the first version")
        same(store.write(lambda tx: tx.bump(TENANT, PERSON)), 2, "the second version")
        same(store.write(lambda tx: tx.bump(TENANT, "")), 1, "the tenant's first version")
        with store.read() as view:
            same(view.state(TENANT, PERSON), SubjectState(2, 0, 1), "a person's state carries the tenant's version")
            same(view.state(TENANT, OTHER_PERSON), SubjectState(0, 0, 1), "another person's version did not move")
            same(view.state(OTHER_TENANT, PERSON), NOTHING_WRITTEN, "another tenant's did not move")


def a_record_comes_back_and_is_replaced(open_store: OpenStore) -> None:
    """put_record adds a record and replaces one of the same kind and key; kinds do not mix."""
    with opened(open_store) as store:
        keep(store, record("k"), record("k", kind=RecordKind.PAUSE, blob=b"a pause"))
        keep(store, record("k", seq=4, expires_at=77, blob=b"x" * 9_000))
        with store.read() as view:
            wanted = record("k", seq=4, expires_at=77, blob=b"x" * 9_000)
            same(view.record(TENANT, PERSON, RecordKind.CONSENT, "k"), wanted, "the newest of a key")
            same(
                view.record(TENANT, PERSON, RecordKind.PAUSE, "k"),
                record("k", kind=RecordKind.PAUSE, blob=b"a pause"),
                "another kind of the same key",
            )
            same(view.record(TENANT, PERSON, RecordKind.CONSENT, "other"), None, "an unknown key")


def records_are_ordered_filtered_and_limited(open_store: OpenStore) -> None:
    """records returns those above `since`, by (seq, key), at most `limit`."""
    with opened(open_store) as store:
        keep(store, record("b", seq=2), record("a", seq=2), record("c", seq=1), record("d", seq=3))
        with store.read() as view:
            keys = [row.key for row in view.records(TENANT, PERSON, RecordKind.CONSENT)]
            same(keys, ["c", "a", "b", "d"], "by (seq, key)")
            rows = view.records(TENANT, PERSON, RecordKind.CONSENT, since=1, limit=2)
            same([row.key for row in rows], ["a", "b"], "above since, at most limit")
            same(view.records(TENANT, PERSON, RecordKind.CONSENT, limit=0), [], "a limit of nothing")


def records_are_dropped_by_key_kind_and_expiry(open_store: OpenStore) -> None:
    """drop_records and drop_expired delete exactly what they name and say how many."""
    with opened(open_store) as store:
        keep(store, record("a"), record("b"), record("c", kind=RecordKind.HOLD), record("d", expires_at=50))
        keep(store, record("e", expires_at=51), person=OTHER_PERSON)
        dropped = store.write(lambda tx: tx.drop_records(TENANT, PERSON, RecordKind.CONSENT, ["a", "unknown"]))
        same(dropped, 1, "only what was there")
        same(store.write(lambda tx: tx.drop_expired(50, [RecordKind.CONSENT])), 1, "expiry at or before now")
        same(store.write(lambda tx: tx.drop_records(TENANT, PERSON, RecordKind.CONSENT, None)), 1, "all of a kind")
        with store.read() as view:
            same(len(view.records(TENANT, PERSON, RecordKind.HOLD)), 1, "another kind stays")
            same(len(view.records(TENANT, OTHER_PERSON, RecordKind.CONSENT)), 1, "what has not expired stays")


def records_everywhere_names_their_owners(open_store: OpenStore) -> None:
    """records_everywhere returns (tenant, person, record) across tenants, the tenant's own included."""
    with opened(open_store) as store:
        keep(store, record("a"))
        keep(store, record("b"), person="")
        keep(store, record("c"), tenant=OTHER_TENANT)
        with store.read() as view:
            found = [(tenant, person, row.key) for tenant, person, row in view.records_everywhere(RecordKind.CONSENT)]
        same(
            sorted(found),
            sorted([(TENANT, PERSON, "a"), (TENANT, "", "b"), (OTHER_TENANT, PERSON, "c")]),
            "records of everybody",
        )


def use_is_marked_in_batches_of_its_own(open_store: OpenStore) -> None:
    """mark_usage moves the usage counter, not the version; usage_since returns what changed after a batch."""
    with opened(open_store) as store:
        add(store, entry("a"), entry("b"))
        same(mark(store, ("a", 0, b"1"), ("b", 0, b"1")), 1, "the first batch")
        same(mark(store, ("b", 0, b"2")), 2, "the second batch")
        with store.read() as view:
            same(view.state(TENANT, PERSON).usage_seq, 2, "the counter of usage")
            same(view.state(TENANT, PERSON).version, 0, "the version stands still")
            same([(row.logical_id, row.blob) for row in view.usage_since(TENANT, PERSON, 1)], [("b", b"2")], "since 1")
            same([row.logical_id for row in view.usage_since(TENANT, PERSON, -1)], ["a", "b"], "ordered by id")
            same([row.blob for row in view.usage_of(TENANT, PERSON, ["b", "nobody"])], [b"2"], "of those named")


def use_of_what_is_gone_is_passed_over(open_store: OpenStore) -> None:
    """mark_usage passes over a memory that is hidden, buried or was never there."""
    with opened(open_store) as store:
        add(store, entry("a"), entry("h"), entry("t"))
        hide(store, ["h"], seq=2)
        bury(store, tombstone("t"))
        mark(store, ("a", 0, b"1"), ("h", 0, b"1"), ("t", 0, b"1"), ("n", 0, b"1"))
        with store.read() as view:
            same([row.logical_id for row in view.usage_since(TENANT, PERSON, -1)], ["a"], "only what is within reach")


def many_ids_cost_one_answer(open_store: OpenStore) -> None:
    """slots_of, blobs_of, created_of and usage_of take thousands of ids, repeats and strangers among them."""
    names = [f"m{number:05d}" for number in range(MANY)]
    rows = [entry(name, slot=number + 1, seq=1) for number, name in enumerate(names)]
    with opened(open_store) as store:
        add(store, *rows)
        mark(store, *((name, 0, b"u") for name in names[:10]))
        asked = [*names, *names[:5], "stranger"]
        with store.read() as view:
            same(sorted(view.slots_of(TENANT, PERSON, asked)), list(range(1, MANY + 1)), "every slot once")
            same(len(view.blobs_of(TENANT, PERSON, asked)), MANY + 10, "every blob, usage included")
            same(len(view.created_of(TENANT, PERSON, asked)), MANY, "when each was first written")
            same(len(view.usage_of(TENANT, PERSON, asked)), 10, "the usage there is")
            same(view.slots_of(TENANT, OTHER_PERSON, asked), [], "nothing of another person's")
            same(view.created_of(TENANT, PERSON, []), {}, "nothing for nothing")


def created_is_the_first_revision(open_store: OpenStore) -> None:
    """created_of names when the first revision was written, hidden memories included."""
    with opened(open_store) as store:
        add(store, entry("a"))
        add(store, entry("a", revision=2, seq=2))
        hide(store, ["a"], seq=3)
        with store.read() as view:
            same(view.created_of(TENANT, PERSON, ["a"]), {"a": entry("a").created_at}, "the first created_at")


def an_erased_person_is_gone_for_good(open_store: OpenStore) -> None:
    """erase_person deletes every row but tombstones, counts them, and ends the pseudonym: bump and add are refused."""
    with opened(open_store) as store:
        add(store, entry("a"), entry("b"))
        mark(store, ("a", 0, b"u"))
        keep(store, record("r"), record("s", kind=RecordKind.HOLD))
        bury(store, tombstone("b"))
        add(store, entry("c")._replace(entry_id="other.c"), person=OTHER_PERSON)
        counts = store.write(lambda tx: tx.erase_person(TENANT, PERSON))
        same(sum(counts.values()), 4, "one entry, one usage row, two records")
        with store.read() as view:
            same(view.state(TENANT, PERSON).version, ERASED, "the version of an erased person")
            same(view.entries_since(TENANT, PERSON, -1), [], "no entry")
            same(view.count_entries(TENANT, PERSON), 0, "no entry to count")
            same(view.usage_since(TENANT, PERSON, -1), [], "no usage")
            same(view.records(TENANT, PERSON, RecordKind.CONSENT), [], "no record")
            same([stone.logical_id for stone in view.tombstones(TENANT, PERSON)], ["b"], "tombstones stay")
        refused(lambda: store.write(lambda tx: tx.bump(TENANT, PERSON)), "bump", by=KeyDestroyedError)
        refused(partial(add, store, entry("x")), "add_entries", by=KeyDestroyedError)
        same(len(living(store, person=OTHER_PERSON)), 1, "a neighbour is untouched")


def erasing_may_take_tombstones_too(open_store: OpenStore) -> None:
    """erase_person without tombstones leaves none; erasing again changes nothing."""
    with opened(open_store) as store:
        add(store, entry("a"))
        bury(store, tombstone("a"))
        store.write(lambda tx: tx.erase_person(TENANT, PERSON, keep_tombstones=False))
        again = store.write(lambda tx: tx.erase_person(TENANT, PERSON, keep_tombstones=False))
        expect(not any(again.values()), "a second erasure finds nothing")
        with store.read() as view:
            same(view.tombstones(TENANT, PERSON), [], "no tombstone")


def every_kind_of_record_is_kept(open_store: OpenStore) -> None:
    """Every kind can be kept, of a person and of the tenant itself, and neither mixes with another."""
    with opened(open_store) as store:
        for person in (PERSON, ""):
            keep(
                store, *(record("k", kind=kind, blob=f"{kind}{person}".encode()) for kind in RecordKind), person=person
            )
        with store.read() as view:
            for person in (PERSON, ""):
                for kind in RecordKind:
                    wanted = [record("k", kind=kind, blob=f"{kind}{person}".encode())]
                    same(view.records(TENANT, person, kind), wanted, "one record of each kind")


def an_erased_pseudonym_never_lives_again(open_store: OpenStore) -> None:
    """ERASED is for good, whether the person was known before or not: after reopening and after another erasure too."""
    persons = (PERSON, OTHER_PERSON)
    with opened(open_store) as store:
        add(store, entry("a"))
        for person in persons:
            _erase(store, person)
    with opened(open_store) as store:
        for person in persons:
            refused(partial(add, store, entry("b"), person=person), "add_entries", by=KeyDestroyedError)
            same(mark(store, ("a", 1, b"u"), person=person), 0, "no use is marked")
            _erase(store, person)
            with store.read() as view:
                same(view.state(TENANT, person), SubjectState(ERASED, 0, 0), "the state of an erased person")


def the_tenant_itself_is_not_erased_as_a_person(open_store: OpenStore) -> None:
    """erase_person refuses an empty person, which would mean the tenant's own records."""
    with opened(open_store) as store:
        keep(store, record("k"), person="")
        refused(partial(_erase, store, ""), "erasing nobody", by=StorageError)
        with store.read() as view:
            same(view.record(TENANT, "", RecordKind.CONSENT, "k"), record("k"), "the tenant's records stay")


def _erase(store: Store, person: str) -> dict[str, int]:
    return store.write(lambda tx: tx.erase_person(TENANT, person))


CHECKS = (
    counters_start_at_zero_and_move_by_one,
    a_record_comes_back_and_is_replaced,
    records_are_ordered_filtered_and_limited,
    records_are_dropped_by_key_kind_and_expiry,
    records_everywhere_names_their_owners,
    use_is_marked_in_batches_of_its_own,
    use_of_what_is_gone_is_passed_over,
    many_ids_cost_one_answer,
    created_is_the_first_revision,
    an_erased_person_is_gone_for_good,
    erasing_may_take_tombstones_too,
    every_kind_of_record_is_kept,
    an_erased_pseudonym_never_lives_again,
    the_tenant_itself_is_not_erased_as_a_person,
)
