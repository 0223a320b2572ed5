"""What every store promises about the audit chain."""

from __future__ import annotations

from dataclasses import replace

from iris_memory.chain.canonical import JsonValue
from iris_memory.chain.link import genesis, head_to_bytes, link
from iris_memory.conformance.reporting import expect, refused, same
from iris_memory.conformance.samples import OTHER_TENANT, TENANT, OpenStore, entry, event, living, opened
from iris_memory.errors import ChainError
from iris_memory.ports.linking import head_of
from iris_memory.ports.rows import NOTHING_WRITTEN, AuditRow, CheckpointRow, SubjectState
from iris_memory.ports.unit_of_work import Store, Transaction


def _append(store: Store, *sequences: int, tenant: str = TENANT, durable: bool = True) -> None:
    rows = [event(sequence) for sequence in sequences]
    store.write(lambda tx: tx.append_audit(tenant, rows, f"head {sequences[-1]}".encode()), durable=durable)


def events_come_back_byte_for_byte(open_store: OpenStore) -> None:
    """audit_lines returns exactly the bytes that were appended, in order, a page at a time."""
    odd = AuditRow(4, bytes(range(256)) * 40)
    with opened(open_store) as store:
        _append(store, 1, 2, 3)
        store.write(lambda tx: tx.append_audit(TENANT, [odd], b"head 4"))
        with store.read() as view:
            same(view.audit_lines(TENANT, start=1, limit=10), [event(1), event(2), event(3), odd], "every line")
            same(view.audit_lines(TENANT, start=2, limit=2), [event(2), event(3)], "a page")
            same(view.audit_lines(TENANT, start=5, limit=2), [], "past the end")
            same(view.audit_head(TENANT), b"head 4", "the newest head")
            same(view.audit_head(OTHER_TENANT), None, "no chain, no head")
            same(view.tenants(), [TENANT], "who has a chain")


def a_chain_has_no_gap_and_no_fork(open_store: OpenStore) -> None:
    """append_audit refuses any sequence but the next, and keeps nothing of a refused call."""
    with opened(open_store) as store:
        _append(store, 1, 2)
        for wrong in ((2,), (4,), (1,), (3, 5), (0,)):
            refused(lambda wrong=wrong: _append(store, *wrong), f"the sequences {wrong}", by=ChainError)  # type: ignore[misc]
        _append(store, 3)
        with store.read() as view:
            same([row.sequence for row in view.audit_lines(TENANT, start=1, limit=10)], [1, 2, 3], "gapless")
            same(view.audit_head(TENANT), b"head 3", "the head of the last good append")


def a_transaction_sees_its_own_events(open_store: OpenStore) -> None:
    """Within a transaction, head, lines and tenants show what it appended; appends follow each other."""
    with opened(open_store) as store:

        def work(tx: Transaction) -> None:
            tx.append_audit(TENANT, [event(1)], b"one")
            same(tx.audit_head(TENANT), b"one", "the head inside the transaction")
            tx.append_audit(TENANT, [event(2)], b"two")
            same(tx.tenants(), [TENANT], "the tenants inside the transaction")
            same(len(tx.audit_lines(TENANT, start=1, limit=9)), 2, "the lines inside the transaction")
            tx.append_audit(TENANT, [event(3)], b"three")
            tx.append_audit(OTHER_TENANT, [event(1)], b"else")

        store.write(work)
        with store.read() as view:
            same([row.sequence for row in view.audit_lines(TENANT, start=1, limit=9)], [1, 2, 3], "all three")
            same(view.audit_head(TENANT), b"three", "the last head")
            same(view.audit_head(OTHER_TENANT), b"else", "another tenant's head")


def events_and_changes_stand_or_fall_together(open_store: OpenStore) -> None:
    """A work that fails after appending keeps neither its events nor its changes, also when it has looked at them."""
    with opened(open_store) as store:
        _append(store, 1)

        def fail(tx: Transaction) -> None:
            tx.append_audit(TENANT, [event(2)], b"two")
            tx.add_entries(TENANT, "p", [entry("a")])
            same(len(tx.audit_lines(TENANT, start=1, limit=9)), 2, "seen inside")
            raise ZeroDivisionError

        refused(lambda: store.write(fail), "its own error", by=ZeroDivisionError)
        with store.read() as view:
            same(view.audit_head(TENANT), b"head 1", "the head before")
            same(len(view.audit_lines(TENANT, start=1, limit=9)), 1, "the lines before")
        same(living(store, person="p"), [], "no row of the failed work")
        _append(store, 2)


def checkpoints_are_kept_by_size(open_store: OpenStore) -> None:
    """checkpoints returns one note a size, smallest first."""
    with opened(open_store) as store:
        _append(store, 1, 2)
        for row in (CheckpointRow(2, "note 2"), CheckpointRow(1, "note 1"), CheckpointRow(2, "note 2 again")):
            store.write(lambda tx, row=row: tx.add_checkpoint(TENANT, row))  # type: ignore[misc]
        with store.read() as view:
            same(
                view.checkpoints(TENANT),
                [CheckpointRow(1, "note 1"), CheckpointRow(2, "note 2 again")],
                "by size, the newest of a size",
            )
            same(view.checkpoints(OTHER_TENANT), [], "none of another tenant's")


def events_are_linked_as_the_chain_says(open_store: OpenStore) -> None:
    """append_event links as `chain.link` does, byte for byte, and is seen by whoever asks afterwards."""
    bodies: list[dict[str, JsonValue]] = [
        {},
        {"action": "a", "zeta": [1, None, True, {"b": "ä\u2028", "a": -1}]},
        {"at_": 1, "a": 2, "au": 3, "previous_": "x", "q": "\U0001f642", "sequences": [], "s": {}, "\ue000": 1},
        {"tenant_ie": "x" * 5_000},
    ]
    times = [7, 3, 2**50, 9]
    wanted, head = [], genesis(TENANT)
    for body, at in zip(bodies, times, strict=True):
        line, head = link(head, body, at=at)
        wanted.append(line)
    with opened(open_store) as store:

        def work(tx: Transaction) -> None:
            tx.append_event(TENANT, bodies[0], at=times[0])
            same([row.line for row in tx.audit_lines(TENANT, start=1, limit=9)], wanted[:1], "seen inside")
            tx.append_event(TENANT, bodies[1], at=times[1])
            tx.append_event(TENANT, bodies[2], at=times[2])
            line, after = link(head_of(tx, TENANT), bodies[3], at=times[3])
            tx.append_audit(TENANT, [AuditRow(4, line)], head_to_bytes(after))
            tx.append_event(OTHER_TENANT, {}, at=1)
            refused(lambda: tx.append_event(TENANT, {"at": 1}, at=1), "a reserved field", by=ChainError)
            refused(lambda: tx.append_event(TENANT, {}, at=-1), "no time", by=ChainError)

        store.write(work)
        with store.read() as view:
            same([row.line for row in view.audit_lines(TENANT, start=1, limit=9)], wanted, "the lines")
            same(view.audit_head(TENANT), head_to_bytes(head), "the head")
            same(len(view.audit_lines(OTHER_TENANT, start=1, limit=9)), 1, "another tenant's chain")
        for number in range(70):
            line, head = link(head, {"n": number}, at=times[2] + number)
            store.write(lambda tx, n=number: tx.append_event(TENANT, {"n": n}, at=times[2] + n), durable=False)  # type: ignore[misc]
        with store.read() as view:
            same(view.audit_head(TENANT), head_to_bytes(head), "the head of a longer chain")


def an_event_is_appended_only_if_nothing_changed(open_store: OpenStore) -> None:
    """append_if appends when all three counters are as given, and nothing otherwise."""
    with opened(open_store) as store:
        expect(store.append_if(TENANT, "p", NOTHING_WRITTEN, {"n": 1}, at=5), "nobody has changed yet")
        store.write(lambda tx: (tx.bump(TENANT, "p"), tx.bump(TENANT, ""), tx.mark_usage(TENANT, "p", [])))
        now = SubjectState(1, 1, 1)
        for field in ("version", "usage_seq", "tenant_version"):
            for other in (0, 2):
                stale = replace(now, **{field: other})
                expect(not store.append_if(TENANT, "p", stale, {"n": 2}, at=6), f"{field} {other} is not what is")
        expect(store.append_if(TENANT, "p", now, {"n": 3}, at=4, durable=False), "the counters that are")
        expect(not store.append_if(TENANT, "q", now, {"n": 4}, at=7), "another person's counters")
        refused(lambda: store.append_if(TENANT, "p", now, {"sequence": 1}, at=1), "a reserved field", by=ChainError)
        first, head = link(genesis(TENANT), {"n": 1}, at=5)
        second, head = link(head, {"n": 3}, at=4)
        with store.read() as view:
            same([row.line for row in view.audit_lines(TENANT, start=1, limit=9)], [first, second], "both, linked")
            same(view.audit_head(TENANT), head_to_bytes(head), "the head")


CHECKS = (
    events_are_linked_as_the_chain_says,
    an_event_is_appended_only_if_nothing_changed,
    events_come_back_byte_for_byte,
    a_chain_has_no_gap_and_no_fork,
    a_transaction_sees_its_own_events,
    events_and_changes_stand_or_fall_together,
    checkpoints_are_kept_by_size,
)
