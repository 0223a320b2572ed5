"""Two tenants with the same names in them, and everything a view says of one of their persons."""

from __future__ import annotations

from typing import Any

from iris_memory.conformance.samples import entry, record, tombstone
from iris_memory.ports.rows import CheckpointRow, RecordKind
from iris_memory.ports.unit_of_work import Reading, Store, Transaction

TENANTS = ("acme", "globex")
PERSONS = ("p1", "p2")
IDS = ["a", "b", "h", "t"]


def furnish(store: Store) -> None:
    """Write the same memories, records, usage, tombstones and chains for both persons of both tenants."""

    def work(tx: Transaction) -> None:
        for tenant in TENANTS:
            for person in (*PERSONS, ""):
                mine = f"{tenant} {person}".encode()
                rows = [
                    entry(name, slot=n, blob=mine + name.encode())._replace(entry_id=f"{person} {name}")
                    for n, name in enumerate(IDS, 1)
                ]
                tx.bump(tenant, person)
                tx.add_entries(tenant, person, rows)
                tx.mark_usage(tenant, person, [("a", 1, mine), ("h", 1, mine)])
                tx.hide(tenant, person, ["h"], seq=3)
                tx.bury(tenant, person, [tombstone("t")._replace(receipt_id=f"{tenant} {person}")])
                tx.put_record(tenant, person, record("k", blob=mine, expires_at=50))
                tx.put_record(tenant, person, record("h", kind=RecordKind.HOLD, blob=mine))
            tx.append_event(tenant, {"of": tenant}, at=1)
            tx.add_checkpoint(tenant, CheckpointRow(1, f"note {tenant}"))

    store.write(work)


def seen(view: Reading, tenant: str, person: str) -> list[Any]:
    """Return everything a view says of a person and of the tenant."""
    return [
        view.state(tenant, person),
        view.entries_since(tenant, person, -1),
        view.count_entries(tenant, person),
        view.gone_since(tenant, person, -1),
        [view.revisions(tenant, person, name) for name in IDS],
        view.slots_of(tenant, person, IDS),
        sorted(view.blobs_of(tenant, person, IDS)),
        view.created_of(tenant, person, IDS),
        view.usage_since(tenant, person, -1),
        view.usage_of(tenant, person, IDS),
        view.tombstones(tenant, person),
        [view.records(tenant, person, kind) for kind in RecordKind],
        view.record(tenant, person, RecordKind.CONSENT, "k"),
        view.audit_head(tenant),
        view.audit_lines(tenant, start=1, limit=10),
        view.checkpoints(tenant),
    ]


def all_seen(view: Reading) -> dict[tuple[str, str], list[Any]]:
    """Return everything a view says of everybody."""
    return {(tenant, person): seen(view, tenant, person) for tenant in TENANTS for person in (*PERSONS, "")}
