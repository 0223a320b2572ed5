"""Rows to check engines with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from iris_memory.ports.rows import AuditRow, EntryRow, RecordKind, RecordRow, TombstoneRow
from iris_memory.ports.unit_of_work import Store, Transaction

OpenStore: TypeAlias = Callable[[], Store]
"""Opens the store at one place; again finds what the one before has left there."""

TENANT = "acme"
PERSON = "5f" * 16
OTHER_TENANT = "globex"
OTHER_PERSON = "a7" * 16


def entry(
    name: str,
    *,
    revision: int = 1,
    seq: int = 1,
    slot: int = 1,
    blob: bytes | None = None,
    expires_at: int | None = None,
    superseded_by: str | None = None,
) -> EntryRow:
    """Return a revision of the memory `name`."""
    return EntryRow(
        logical_id=name,
        revision=revision,
        entry_id=f"{name}.{revision}",
        seq=seq,
        slot=slot,
        created_at=1_000_000 + revision,
        updated_at=2_000_000 + seq,
        expires_at=expires_at,
        superseded_by=superseded_by,
        blob=blob if blob is not None else f"sealed {name} {revision}".encode(),
    )


def record(
    key: str,
    *,
    kind: RecordKind = RecordKind.CONSENT,
    seq: int = 1,
    expires_at: int | None = None,
    blob: bytes = b"sealed record",
) -> RecordRow:
    """Return a record."""
    return RecordRow(kind, key, seq, 1_000_000, expires_at, 3, blob)


def tombstone(name: str, *, seq: int = 9, reason: str = "forgotten-by-person") -> TombstoneRow:
    """Return a tombstone of the memory `name`."""
    return TombstoneRow(name, seq, 1_000_001, 3_000_000, reason, f"receipt-{name}")


def event(sequence: int, *, line: bytes = b"") -> AuditRow:
    """Return an event."""
    return AuditRow(sequence, line or f'{{"sequence":{sequence}}}'.encode())


def add(store: Store, *rows: EntryRow, tenant: str = TENANT, person: str = PERSON) -> None:
    """Write revisions of a person."""
    store.write(lambda tx: tx.add_entries(tenant, person, rows))


def living(store: Store, *, tenant: str = TENANT, person: str = PERSON, seq: int = -1) -> list[EntryRow]:
    """Return the living memories of a person."""
    with store.read() as view:
        return view.entries_since(tenant, person, seq)


def hide(store: Store, names: Sequence[str], *, seq: int, tenant: str = TENANT, person: str = PERSON) -> None:
    """Hide memories of a person."""
    store.write(lambda tx: tx.hide(tenant, person, names, seq=seq))


def supersede(store: Store, *pairs: tuple[str, int, str], tenant: str = TENANT, person: str = PERSON) -> None:
    """Mark revisions of a person as superseded."""
    store.write(lambda tx: tx.supersede(tenant, person, pairs))


def bury(store: Store, *stones: TombstoneRow, tenant: str = TENANT, person: str = PERSON) -> int:
    """Bury memories of a person."""
    return store.write(lambda tx: tx.bury(tenant, person, stones))


def mark(store: Store, *rows: tuple[str, int, bytes], tenant: str = TENANT, person: str = PERSON) -> int:
    """Mark use of memories of a person."""
    return store.write(lambda tx: tx.mark_usage(tenant, person, rows))


def keep(store: Store, *rows: RecordRow, tenant: str = TENANT, person: str = PERSON) -> None:
    """Write records of a person."""

    def work(tx: Transaction) -> None:
        for row in rows:
            tx.put_record(tenant, person, row)

    store.write(work)


@contextmanager
def opened(open_store: OpenStore) -> Iterator[Store]:
    """Open a store and close it at the end."""
    store = open_store()
    try:
        yield store
    finally:
        store.close()
