"""Forgetting, step by step, so that a kill between any two steps loses nothing and leaves nothing.

1. Intent, in the data store: memories are hidden at once and the intent is kept.
2. Keys, in the vault: every slot of these memories is destroyed. From here on no copy of the data can give them back.
3. Completion, in the data store: rows are deleted, tombstones left, the intent emptied to a mark.
4. Scrub: no deleted byte stays in a file of the store or the vault. Then the mark is dropped.

Opening a store finishes what is pending from step 2 on; each step may run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.audit import FORGET_POLICY, AuditAction
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.shape import Contract, Instant, to_micros
from iris_memory.flows.copies import with_copies
from iris_memory.flows.held import Wish, held_among, keep_wish, wishes_of
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of, write_event
from iris_memory.flows.people import TENANT, Person
from iris_memory.flows.rights_records import note_erasure
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import ERASED, RecordKind, RecordRow, TombstoneRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.hygiene import normalise_for_match


class Intent(Contract):
    """What is being forgotten, kept until it is done. It holds no words."""

    receipt_id: str
    tenant: str
    person: str
    reason: TombstoneReason
    asked_at: Instant
    logical_ids: Annotated[tuple[str, ...], Field(strict=False)]
    slots: Annotated[tuple[int, ...], Field(strict=False)]
    whole_person: bool = False


@dataclass(frozen=True, slots=True)
class Going:
    """An intent in progress, with what a residue scan must not find afterwards (never written anywhere)."""

    intent: Intent
    seq: int = 0
    texts: tuple[str, ...] = ()
    blobs: tuple[bytes, ...] = ()

    @property
    def logical_ids(self) -> tuple[str, ...]:
        """Return what is going."""
        return self.intent.logical_ids


@dataclass(frozen=True, slots=True)
class Gone:
    """What a forget reached."""

    keys_destroyed: int
    rows: dict[str, int]
    audit_size: int
    audit_root: str


def intend(
    instruments: Instruments,
    tx: Transaction,
    tenant: str,
    subject: str,
    logical_ids: Sequence[str],
    *,
    reason: TombstoneReason,
    now: datetime,
    texts: Sequence[str] = (),
    whole_for: str | None = None,
    record_slots: Sequence[int] = (),
) -> Going:
    """Step 1: hide memories and keep the intent, inside the caller's transaction.

    What a legal hold keeps is left out, whoever asks: the wish is kept, and comes true when the hold ends (DSR-7).

    Args:
        instruments: the engines.
        tx: the caller's transaction.
        tenant: whose chain it is told in.
        subject: the pseudonym of the person.
        logical_ids: what is going. A draft takes its question along.
        reason: why.
        now: when.
        texts: the words that are going, for the residue scan.
        record_slots: slots of records that go with the memories; the caller drops the records.
        whole_for: the user, where the person was to be erased whole and a hold is in the way.
    """
    logical_ids = with_copies(tx, tenant, subject, logical_ids)
    held = held_among(instruments, tx, tenant, subject, logical_ids, now=now)
    names = sorted(set(logical_ids) - held)
    waiting = (
        {name for wish in wishes_of(instruments, tx, tenant, subject) for name in wish.logical_ids} if held else ()
    )
    if held.difference(waiting) or whole_for is not None:
        wish = Wish(
            wish_id=instruments.ids.entry_id(now),
            tenant=tenant,
            person=subject,
            reason=reason,
            asked_at=now,
            logical_ids=tuple(sorted(held.difference(waiting))),
            whole_person=whole_for is not None,
            user_id=whole_for,
        )
        keep_wish(instruments, tx, wish)
    seq = tx.bump(tenant, subject)
    slots = tx.slots_of(tenant, subject, names)
    blobs = tuple(tx.blobs_of(tenant, subject, names))
    tx.drop_records(tenant, subject, RecordKind.QUESTION, sorted(logical_ids))
    intent = Intent(
        receipt_id=instruments.ids.entry_id(now),
        tenant=tenant,
        person=subject,
        reason=reason,
        asked_at=now,
        logical_ids=tuple(names),
        slots=tuple(sorted({*slots, *record_slots})),
    )
    tx.hide(tenant, subject, names, seq=seq)
    keep_intent(instruments, tx, intent)
    write_event(
        tx,
        tenant,
        action=AuditAction.FORGET_INTENDED,
        policy=FORGET_POLICY,
        person=subject,
        now=now,
        facts={"object_ids": list(names), "receipt": intent.receipt_id, "reason": reason.value},
    )
    return Going(intent, seq, tuple(texts), blobs)


def bar_return(person: Person, tx: Transaction, going: Going) -> None:
    """Keep a keyed tag of each wording that is going, so that an old transcript does not bring it back (DSR-13)."""
    for text in going.texts:
        key = person.tag("forgotten", normalise_for_match(text))
        row = person.record(RecordKind.FORGOTTEN, key, None, seq=going.seq, now=going.intent.asked_at)
        tx.put_record(person.tenant, person.person, row)


def keep_intent(instruments: Instruments, tx: Transaction, intent: Intent) -> None:
    """Keep an intent under the tenant's key."""
    location = record_location(intent.tenant, TENANT, RecordKind.INTENT.value, intent.receipt_id, 0)
    key = derived(instruments.vault.tenant_key(intent.tenant), "records")
    nonce = instruments.ids.secret(NONCE_LENGTH)
    blob = seal(key, intent.model_dump_json().encode(), location=location, nonce=nonce)
    row = RecordRow(RecordKind.INTENT, intent.receipt_id, 0, to_micros(intent.asked_at), None, 0, blob)
    tx.put_record(intent.tenant, TENANT, row)


def read_intent(instruments: Instruments, tenant: str, row: RecordRow) -> Intent:
    """Return a kept intent."""
    location = record_location(tenant, TENANT, RecordKind.INTENT.value, row.key, 0)
    key = derived(instruments.vault.tenant_key(tenant), "records")
    return Intent.model_validate_json(open_sealed(key, row.blob, location=location))


def destroy(instruments: Instruments, person: Person | None, going: Going) -> Gone:
    """Steps 2 and 3: destroy the keys, then delete the rows and leave tombstones."""
    intent = going.intent
    if intent.whole_person:
        destroyed = instruments.vault.destroy_subject(intent.tenant, intent.person)
    else:
        destroyed = instruments.vault.destroy_slots(intent.tenant, intent.person, intent.slots)
    if person is not None:
        person.drop_keys(intent.slots)
    return instruments.store.write(lambda tx: _complete(instruments, tx, intent, destroyed), durable=True)


def finish_pending(instruments: Instruments) -> list[tuple[Going, Gone, bool]]:
    """Finish every forget that was interrupted; return each, what it reached, and whether the files are scrubbed."""
    with instruments.store.read() as reading:
        pending = [
            (tenant, row)
            for tenant, person, row in reading.records_everywhere(RecordKind.INTENT)
            if person == TENANT  # a person's is a mark without more
        ]
    finished = []
    for tenant, row in pending:
        if row.blob:
            going = Going(read_intent(instruments, tenant, row))
            finished.append((going, destroy(instruments, None, going)))
    scrubbed = scrub(instruments, [(tenant, row.key) for tenant, row in pending])
    return [(going, gone, scrubbed) for going, gone in finished]


def scrub(instruments: Instruments, marks: Sequence[tuple[str, str]]) -> bool:
    """Step 4: leave no deleted byte in any file, then drop the marks of what went; say whether it is done.

    Where a reader is in the way the marks stay, and `finish_pending` tries again.

    Args:
        instruments: the engines.
        marks: tenant and receipt id of each forget.
    """
    if not marks:
        return True
    done = all([instruments.store.scrub(), instruments.vault.scrub()])
    if done:
        instruments.store.write(partial(_drop_marks, marks=marks), durable=False)
    return done


def _drop_marks(tx: Transaction, *, marks: Sequence[tuple[str, str]]) -> None:
    for tenant, receipt_id in marks:
        tx.drop_records(tenant, TENANT, RecordKind.INTENT, [receipt_id])


def _complete(instruments: Instruments, tx: Transaction, intent: Intent, destroyed: int) -> Gone:
    now = instruments.clock.now()
    tenant, subject = intent.tenant, intent.person
    kept = tx.record(tenant, TENANT, RecordKind.INTENT, intent.receipt_id)
    if kept is None or not kept.blob:
        head = head_of(tx, tenant)  # somebody else has finished it meanwhile
        return Gone(destroyed, {}, head.size, head.frontier.root().hex())
    rows = _bury_person(tx, intent, now) if intent.whole_person else _bury(tx, intent, now)
    if intent.whole_person:
        note_erasure(instruments, tx, tenant, subject, receipt_id=intent.receipt_id, now=now)
    tx.put_record(tenant, TENANT, kept._replace(blob=b""))
    write_event(
        tx,
        tenant,
        action=AuditAction.FORGET_COMPLETED,
        policy=FORGET_POLICY,
        person=subject,
        now=now,
        facts={
            "receipt": intent.receipt_id,
            "reason": intent.reason.value,
            "memories": len(intent.logical_ids),
            "keys_destroyed": destroyed,
            "rows": dict(sorted(rows.items())),
        },
    )
    head = head_of(tx, tenant)
    return Gone(destroyed, rows, head.size, head.frontier.root().hex())


def _bury(tx: Transaction, intent: Intent, now: datetime) -> dict[str, int]:
    tenant, subject = intent.tenant, intent.person
    erased = tx.state(tenant, subject).version == ERASED
    seq = 0 if erased else tx.bump(tenant, subject)
    buried = tx.bury(tenant, subject, _tombstones(tx, intent, seq, now))
    return {"memory": buried}


def _bury_person(tx: Transaction, intent: Intent, now: datetime) -> dict[str, int]:
    tenant, subject = intent.tenant, intent.person
    state = tx.state(tenant, subject)
    buried = tx.bury(tenant, subject, _tombstones(tx, intent, max(state.version, 0), now))
    return {"memory": buried, **tx.erase_person(tenant, subject, keep_tombstones=True)}


def _tombstones(tx: Reading, intent: Intent, seq: int, now: datetime) -> list[TombstoneRow]:
    created = tx.created_of(intent.tenant, intent.person, intent.logical_ids)
    return [
        TombstoneRow(
            logical_id=name,
            seq=seq,
            created_at=created.get(name, to_micros(intent.asked_at)),
            forgotten_at=to_micros(now),
            reason=intent.reason.value,
            receipt_id=intent.receipt_id,
        )
        for name in intent.logical_ids
    ]
