"""Receipting: the receipt of an erasure, from its completion on. It is written with it, and renewed after.

So there is no moment at which something is gone and nothing says so: whoever finishes what was interrupted writes the
same receipt, and a scrub that comes late renews it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from iris_memory.contracts.erasure import ErasureStep, ErasureStepName, ForgetReceipt, ResidueFinding
from iris_memory.contracts.shape import to_micros
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.intents import Gone, Intent, ranges_of
from iris_memory.flows.journal import head_of
from iris_memory.flows.people import TENANT
from iris_memory.flows.receipts import signed
from iris_memory.flows.seal import signer_of
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction

STAYS: Final = (
    "the audit chain: that something was forgotten and when, under ids that lead nowhere",
    "tombstones: the id and times of each memory, no words",
    "the desk's row of each data-rights request, without the name: kind, state, dates",
    "this receipt",
)
STAYS_AFTER_FORGET: Final = (
    *STAYS,
    "the consent ledger, opt-outs, and data-rights requests with what was said about them",
    "keyed tags that keep the same words from coming back by an old transcript, until the person is erased",
    "keyed tags of imported rows, so that none comes in twice, until the person is erased",
)
STAYS_HELD: Final = "what a legal hold keeps: it is not recalled, and goes when the hold ends"


def stays_of(intent: Intent) -> tuple[str, ...]:
    """Return what stays after a forget."""
    if intent.whole_person:
        return STAYS
    return (*STAYS_AFTER_FORGET, STAYS_HELD) if intent.reached.get("held") else STAYS_AFTER_FORGET


def receipt_of(
    instruments: Instruments,
    reading: Reading,
    intent: Intent,
    gone: Gone,
    *,
    now: datetime,
    scrubbed: bool = False,
    residue: ResidueFinding | None = None,
) -> ForgetReceipt:
    """Return the receipt of an erasure as it stands, signed."""
    head = head_of(reading, intent.tenant)
    slots = range(1, intent.keys_made + 1) if intent.whole_person else intent.slots
    receipt = ForgetReceipt(
        receipt_id=intent.receipt_id,
        tenant_id=intent.tenant,
        person=intent.person,
        reason=intent.reason,
        asked_at=intent.asked_at,
        completed_at=max(now, intent.asked_at),
        memories=len(intent.logical_ids),
        keys_destroyed=gone.keys_destroyed,
        reached=dict(intent.reached) or {"memories": len(intent.logical_ids)},
        residue=residue,
        files_scrubbed=scrubbed,
        vault_backup_days=instruments.vault_backup_days,
        audit_size=head.size,
        audit_root=head.frontier.root().hex(),
        stays=stays_of(intent),
        is_complete=_is_complete(scrubbed, residue),
        keys=ranges_of(slots),
        read_back=gone.read_back,
        steps=_steps(intent, gone, now, scrubbed=scrubbed, residue=residue),
        note="",
    )
    return signed(receipt, signer=signer_of(instruments, intent.tenant))


def scrubbed_late(
    instruments: Instruments, reading: Reading, receipt: ForgetReceipt, *, now: datetime
) -> ForgetReceipt:
    """Return a receipt renewed after a scrub that came late."""
    head = head_of(reading, receipt.tenant_id)
    step = ErasureStep(step=ErasureStepName.FILES_SCRUBBED, at=max(now, receipt.asked_at), count=1)
    renewed = receipt.model_copy(
        update={
            "version": 2,
            "files_scrubbed": True,
            "is_complete": _is_complete(True, receipt.residue),
            "completed_at": max(now, receipt.completed_at),
            "audit_size": head.size,
            "audit_root": head.frontier.root().hex(),
            "steps": (*receipt.steps, step),
        }
    )
    return signed(renewed, signer=signer_of(instruments, receipt.tenant_id))


def put_receipt(instruments: Instruments, tx: Transaction, receipt: ForgetReceipt) -> None:
    """Keep a signed receipt among the tenant's, in a transaction."""
    tenant = receipt.tenant_id
    location = record_location(tenant, TENANT, RecordKind.RECEIPT.value, receipt.receipt_id, 0)
    blob = seal(
        derived(instruments.vault.tenant_key(tenant), "records"),
        receipt.model_dump_json().encode(),
        location=location,
        nonce=instruments.ids.secret(NONCE_LENGTH),
    )
    at = to_micros(receipt.completed_at)
    row = RecordRow(RecordKind.RECEIPT, receipt.receipt_id, receipt.audit_size, at, None, 0, blob)
    tx.put_record(tenant, TENANT, row)


def keep_receipt(instruments: Instruments, receipt: ForgetReceipt) -> ForgetReceipt:
    """Sign a receipt and keep it among the tenant's, so that it can be asked for again; return it."""
    done = signed(receipt, signer=signer_of(instruments, receipt.tenant_id))
    instruments.store.write(lambda tx: put_receipt(instruments, tx, done), durable=True)
    return done


def find_receipt(instruments: Instruments, reading: Reading, tenant: str, receipt_id: str) -> ForgetReceipt | None:
    """Return one of a tenant's receipts."""
    row = reading.record(tenant, TENANT, RecordKind.RECEIPT, receipt_id)
    return _opened(instruments, tenant, row) if row is not None else None


def receipts(instruments: Instruments, tenant: str) -> list[ForgetReceipt]:
    """Return a tenant's receipts, oldest first."""
    with instruments.store.read() as reading:
        rows = reading.records(tenant, TENANT, RecordKind.RECEIPT)
    return [_opened(instruments, tenant, row) for row in rows]


def _opened(instruments: Instruments, tenant: str, row: RecordRow) -> ForgetReceipt:
    key = derived(instruments.vault.tenant_key(tenant), "records")
    location = record_location(tenant, TENANT, row.kind.value, row.key, 0)
    return ForgetReceipt.model_validate_json(open_sealed(key, row.blob, location=location))


def _is_complete(scrubbed: bool, residue: ResidueFinding | None) -> bool:
    return scrubbed and not (residue is not None and residue.found)


def _steps(
    intent: Intent, gone: Gone, now: datetime, *, scrubbed: bool, residue: ResidueFinding | None
) -> tuple[ErasureStep, ...]:
    done_at = max(gone.completed_at or now, intent.asked_at)
    taken = [
        (ErasureStepName.HIDDEN, intent.asked_at, len(intent.logical_ids)),
        (ErasureStepName.KEYS_DESTROYED, max(gone.destroyed_at or done_at, intent.asked_at), gone.keys_destroyed),
        (ErasureStepName.ROWS_DELETED, done_at, sum(gone.rows.values())),
        (ErasureStepName.READ_BACK, done_at, sum(gone.read_back.values())),
    ]
    if scrubbed:
        taken.append((ErasureStepName.FILES_SCRUBBED, max(now, done_at), 1))
    if residue is not None:
        taken.append((ErasureStepName.RESIDUE_SEARCHED, max(now, done_at), sum(residue.found.values())))
    return tuple(ErasureStep(step=step, at=at, count=count) for step, at, count in taken)
