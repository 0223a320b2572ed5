"""What every store promises about memories: revisions, hiding, burying."""

from __future__ import annotations

import os
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
    living,
    mark,
    opened,
    supersede,
    tombstone,
)
from iris_memory.errors import StorageError
from iris_memory.ports.rows import EntryRow
from iris_memory.ports.unit_of_work import Transaction

BIG = 2**62


def entries_come_back_as_they_were_written(open_store: OpenStore) -> None:
    """A row is read back to the byte, whatever its size, ids and numbers."""
    sizes = (0, 1, 400, 401, 3_800, 3_801, 4_096, 70_000, 300_000)
    rows = [entry(f"m{n:02}", seq=n, blob=os.urandom(size)) for n, size in enumerate(sizes)]
    rows.append(EntryRow("päivä-日", 1, "ид:1%3A", BIG, BIG, -1, BIG, BIG, None, b"\x00\xff"))
    with opened(open_store) as store:
        add(store, *rows)
        same(living(store), rows, "rows come back as they were written")


def entries_since_is_ordered_and_starts_after(open_store: OpenStore) -> None:
    """entries_since returns what was written after `seq`, ordered by (seq, logical_id)."""
    rows = [entry("c", seq=1), entry("b", seq=2), entry("a", seq=2), entry("d", seq=3)]
    with opened(open_store) as store:
        add(store, *rows)
        same([row.logical_id for row in living(store, seq=0)], ["c", "a", "b", "d"], "order by (seq, logical_id)")
        same([row.logical_id for row in living(store, seq=2)], ["d"], "only what was written after seq")
        same(living(store, seq=3), [], "nothing after the last")


def what_is_due_comes_in_pages(open_store: OpenStore) -> None:
    """due returns the living rows whose expiry is at or before now, in order, a page at a time."""
    rows = [entry(name, seq=seq)._replace(expires_at=at) for name, seq, at in DUE_SAMPLES]
    with opened(open_store) as store:
        add(store, *rows)
        add(store, entry("e", revision=2, seq=5)._replace(expires_at=90))
        supersede(store, ("e", 1, entry("e", revision=2).entry_id))
        hide(store, ["f"], seq=6)
        add(store, entry("z")._replace(expires_at=1), person=OTHER_PERSON)
        with store.read() as reading:
            found = [row.logical_id for row in reading.due(TENANT, PERSON, 10, limit=9)]
            same(found, ["b", "a", "d"], "expiry at or before now, order by (seq, logical_id)")
            first = reading.due(TENANT, PERSON, 10, limit=1)
            rest = reading.due(TENANT, PERSON, 10, after=(first[0].seq, first[0].logical_id), limit=9)
            same([row.logical_id for row in (*first, *rest)], found, "pages join without a gap or an overlap")
            same(reading.due(TENANT, PERSON, 10, after=(4, "d"), limit=9), [], "nothing after the last")
            same(reading.due(OTHER_TENANT, PERSON, 10, limit=9), [], "nothing of another tenant")


DUE_SAMPLES = (("b", 1, 10), ("a", 2, 9), ("c", 2, 11), ("d", 4, -5), ("e", 4, 1), ("f", 4, 1), ("g", 4, None))
"""Logical id, seq and expiry: `e` gets a later revision, `f` is hidden."""


def a_second_row_of_a_revision_is_refused(open_store: OpenStore) -> None:
    """add_entries refuses a second row of the same (logical_id, revision), and keeps nothing of the call."""
    with opened(open_store) as store:
        add(store, entry("a"))
        twin = entry("a")._replace(entry_id="another")
        refused(partial(add, store, entry("b"), twin), "a second (logical_id, revision)", by=StorageError)
        refused(
            partial(add, store, entry("c"), entry("c")._replace(entry_id="c2")), "a twin in one call", by=StorageError
        )
        same(living(store), [entry("a")], "nothing of a refused call is kept")


def a_second_row_of_an_entry_id_is_refused(open_store: OpenStore) -> None:
    """add_entries refuses a second row of the same entry_id, of another person's too."""
    with opened(open_store) as store:
        add(store, entry("a"))
        again = entry("b")._replace(entry_id=entry("a").entry_id)
        refused(partial(add, store, again), "a second entry_id", by=StorageError)
        refused(partial(add, store, again, person=OTHER_PERSON), "a second entry_id elsewhere", by=StorageError)
        same(living(store), [entry("a")], "nothing of a refused call is kept")


def a_refusal_does_not_spoil_the_rest(open_store: OpenStore) -> None:
    """A work that catches a refusal can go on; what was refused is not kept, all else is."""
    with opened(open_store) as store:
        add(store, entry("a"))

        def work(tx: Transaction) -> None:
            refused(partial(tx.add_entries, TENANT, PERSON, [entry("b"), entry("a")]), "a twin", by=StorageError)
            tx.add_entries(TENANT, PERSON, [entry("c")])

        store.write(work)
        same([row.logical_id for row in living(store)], ["a", "c"], "only the refused call is undone")


def a_revision_supersedes_the_one_before(open_store: OpenStore) -> None:
    """After supersede only the latest revision is living, and revisions returns all of them, oldest first."""
    with opened(open_store) as store:
        add(store, entry("a", seq=1))
        second = entry("a", revision=2, seq=2)
        add(store, second)
        supersede(store, ("a", 1, "a.2"))
        same(living(store), [second], "the latest revision is the living one")
        same(living(store, seq=1), [second], "it counts from when it was written")
        with store.read() as view:
            revisions = view.revisions(TENANT, PERSON, "a")
        same(revisions, [entry("a", seq=1, superseded_by="a.2"), second], "every revision, oldest first")


def supersede_refuses_what_is_not_current(open_store: OpenStore) -> None:
    """supersede refuses a row that is superseded, hidden or not there, and then keeps none of the call."""
    with opened(open_store) as store:
        add(store, entry("a"), entry("b"), entry("h"))
        supersede(store, ("a", 1, "a.2"))
        hide(store, ["h"], seq=2)
        for pair in (("a", 1, "a.3"), ("b", 2, "b.3"), ("nobody", 1, "x"), ("h", 1, "h.2")):
            attempt = partial(supersede, store, ("b", 1, "b.2"), pair)
            refused(attempt, "superseding what is not current", by=StorageError)
        same([row.logical_id for row in living(store)], ["b"], "nothing of a refused call is kept")


def hidden_memories_are_out_of_reach_at_once(open_store: OpenStore) -> None:
    """hide makes memories vanish for every view opened afterwards; what must be destroyed can still be listed."""
    with opened(open_store) as store:
        add(store, entry("a", slot=4), entry("b", slot=5), entry("z", slot=6))
        mark(store, ("a", 7, b"use"), ("b", 5, b"use b"))
        hide(store, ["a", "unknown"], seq=2)
        with store.read() as view:
            same([row.logical_id for row in view.entries_since(TENANT, PERSON, -1)], ["b", "z"], "entries_since")
            same(view.count_entries(TENANT, PERSON), 2, "count_entries")
            same(view.revisions(TENANT, PERSON, "a"), [], "revisions")
            same([row.logical_id for row in view.usage_since(TENANT, PERSON, -1)], ["b"], "usage_since")
            same(view.usage_of(TENANT, PERSON, ["a"]), [], "usage_of")
            same(view.gone_since(TENANT, PERSON, 1), ["a"], "gone_since names what was hidden after seq")
            same(view.gone_since(TENANT, PERSON, 2), [], "gone_since starts after seq")
            same(view.slots_of(TENANT, PERSON, ["a"]), [4, 7], "slots_of, of entries and usage, hidden or not")
            same(sorted(view.blobs_of(TENANT, PERSON, ["a"])), [b"sealed a 1", b"use"], "blobs_of, hidden or not")
            same(view.created_of(TENANT, PERSON, ["a", "none"]), {"a": 1_000_001}, "created_of, hidden or not")


def hidden_memories_stay_hidden(open_store: OpenStore) -> None:
    """A hidden memory takes no further revision or usage mark, and hiding it again changes nothing."""
    with opened(open_store) as store:
        add(store, entry("a"))
        hide(store, ["a"], seq=2)
        refused(partial(add, store, entry("a", revision=2)), "a revision of a hidden memory", by=StorageError)
        mark(store, ("a", 1, b"use"))
        hide(store, ["a"], seq=5)
        with store.read() as view:
            same(view.blobs_of(TENANT, PERSON, ["a"]), [b"sealed a 1"], "nothing was added to it")
            same(view.gone_since(TENANT, PERSON, 2), [], "it was hidden when it was hidden first")


def burying_leaves_only_a_tombstone(open_store: OpenStore) -> None:
    """bury deletes every row of the memories, says how many, and leaves the tombstones in order."""
    with opened(open_store) as store:
        add(store, entry("a"), entry("a", revision=2), entry("b"), entry("z"))
        mark(store, ("a", 1, b"use"))
        hide(store, ["a", "b"], seq=3)
        same(bury(store, tombstone("b", seq=4), tombstone("a", seq=4)), 4, "the number of rows deleted")
        with store.read() as view:
            same(view.tombstones(TENANT, PERSON), [tombstone("a", seq=4), tombstone("b", seq=4)], "tombstones")
            same(view.gone_since(TENANT, PERSON, 3), ["a", "b"], "gone_since names tombstones")
            same(view.gone_since(TENANT, PERSON, 4), [], "gone_since starts after seq")
            for ask in (view.slots_of, view.blobs_of):
                same(ask(TENANT, PERSON, ["a", "b"]), [], "no row is left")
            same(view.created_of(TENANT, PERSON, ["a"]), {}, "no row is left")
        same([row.logical_id for row in living(store)], ["z"], "others are untouched")
        same(store.problems(), [], "the store is well")


def a_tombstone_is_final(open_store: OpenStore) -> None:
    """Burying again keeps the first tombstone, and the memory cannot be written again."""
    with opened(open_store) as store:
        add(store, entry("a"))
        bury(store, tombstone("a", seq=4))
        same(bury(store, tombstone("a", seq=6, reason="category-cleared")), 0, "nothing is left to delete")
        with store.read() as view:
            same(view.tombstones(TENANT, PERSON), [tombstone("a", seq=4)], "the first tombstone stands")
        refused(partial(add, store, entry("a")), "a revision of a forgotten memory", by=StorageError)


def gone_since_is_ordered_by_when(open_store: OpenStore) -> None:
    """gone_since mixes what was hidden and what was buried, ordered by when it went."""
    with opened(open_store) as store:
        add(store, entry("a"), entry("b"), entry("c"))
        bury(store, tombstone("b", seq=7))
        hide(store, ["c"], seq=6)
        hide(store, ["a"], seq=8)
        with store.read() as view:
            same(view.gone_since(TENANT, PERSON, 0), ["c", "b", "a"], "order of going")


def nobody_sees_a_neighbour(open_store: OpenStore) -> None:
    """Every question and every change is fenced by tenant and by person."""
    with opened(open_store) as store:
        add(store, entry("a"))
        mark(store, ("a", 1, b"use"))
        for tenant, person in ((OTHER_TENANT, PERSON), (TENANT, OTHER_PERSON), (TENANT, "")):
            with store.read() as view:
                for found in (
                    view.entries_since(tenant, person, -1),
                    view.revisions(tenant, person, "a"),
                    view.slots_of(tenant, person, ["a"]),
                    view.blobs_of(tenant, person, ["a"]),
                    view.usage_since(tenant, person, -1),
                    view.usage_of(tenant, person, ["a"]),
                    view.gone_since(tenant, person, -1),
                ):
                    same(found, [], "a neighbour's rows stay out of sight")
                same(view.created_of(tenant, person, ["a"]), {}, "a neighbour's rows stay out of sight")
                same(view.count_entries(tenant, person), 0, "a neighbour's rows are not counted")
            hide(store, ["a"], seq=2, tenant=tenant, person=person)
            same(bury(store, tombstone("a"), tenant=tenant, person=person), 0, "a neighbour's rows cannot be buried")
            attempt = partial(supersede, store, ("a", 1, "x"), tenant=tenant, person=person)
            refused(attempt, "superseding a neighbour's revision", by=StorageError)
        expect(living(store) == [entry("a")], "a neighbour's rows are untouched")


def the_same_name_may_be_used_by_two_persons(open_store: OpenStore) -> None:
    """A logical id belongs to its person: another person's of the same name is another memory."""
    with opened(open_store) as store:
        add(store, entry("a"))
        theirs = entry("a", blob=b"theirs")._replace(entry_id="theirs")
        add(store, theirs, person=OTHER_PERSON)
        bury(store, tombstone("a"))
        same(living(store, person=OTHER_PERSON), [theirs], "a forget reaches one person")


CHECKS = (
    entries_come_back_as_they_were_written,
    entries_since_is_ordered_and_starts_after,
    what_is_due_comes_in_pages,
    a_second_row_of_a_revision_is_refused,
    a_second_row_of_an_entry_id_is_refused,
    a_refusal_does_not_spoil_the_rest,
    a_revision_supersedes_the_one_before,
    supersede_refuses_what_is_not_current,
    hidden_memories_are_out_of_reach_at_once,
    hidden_memories_stay_hidden,
    burying_leaves_only_a_tombstone,
    a_tombstone_is_final,
    gone_since_is_ordered_by_when,
    nobody_sees_a_neighbour,
    the_same_name_may_be_used_by_two_persons,
)
