"""What every store promises about the audit chain."""

from __future__ import annotations

from iris_memory.conformance.reporting import refused, same
from iris_memory.conformance.samples import OTHER_TENANT, TENANT, OpenStore, entry, event, living, opened
from iris_memory.errors import ChainError
from iris_memory.ports.rows import AuditRow, CheckpointRow
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


CHECKS = (
    events_come_back_byte_for_byte,
    a_chain_has_no_gap_and_no_fork,
    a_transaction_sees_its_own_events,
    events_and_changes_stand_or_fall_together,
    checkpoints_are_kept_by_size,
)
