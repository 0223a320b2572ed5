"""Forgetting, step by step, so that a kill between any two steps loses nothing and leaves nothing.

1. Intent, in the data store: memories are hidden at once and the intent is kept.
2. Keys, in the vault: every slot of these memories is destroyed. From here on no copy of the data can give them back.
3. Completion, in the data store: rows are deleted, tombstones left, the intent emptied to a mark.
4. Scrub: no deleted byte stays in a file of the store or the vault. Then the mark is dropped.

Opening a store finishes what is pending from step 2 on; each step may run again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from iris_memory.contracts.audit import FORGET_POLICY, AuditAction
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import StorageError
from iris_memory.flows.copies import with_copies
from iris_memory.flows.exports_kept import drop_exports
from iris_memory.flows.held import Wish, held_among, keep_wish, opened, wishes_of
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.intents import Going, Gone, Intent, keep_intent, read_intent
from iris_memory.flows.journal import head_of, write_event
from iris_memory.flows.people import TENANT, Person
from iris_memory.flows.read_back import KEYS, drop_caches, read_back_of, require_keys_gone
from iris_memory.flows.receipting import find_receipt, put_receipt, receipt_of, scrubbed_late
from iris_memory.flows.rights_records import note_erasure
from iris_memory.flows.usage import forget_recalls
from iris_memory.ports.rows import ERASED, RecordKind, TombstoneRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.hygiene import normalise_for_match

_log = logging.getLogger(__name__)

__all__ = [
    "Going",
    "Gone",
    "Intent",
    "bar_return",
    "destroy",
    "drop_mark",
    "finish_pending",
    "intend",
    "keep_intent",
    "read_intent",
    "scrub",
    "scrub_files",
]


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
    everything_waits: bool = False,
    record_slots: Sequence[int] = (),
    reached: Mapping[str, int] | None = None,
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
        everything_waits: a hold keeps the records beside the memories too; they go when it ends.
        reached: what a receipt is to say was reached; without it there is none, unless it is finished by another.
    """
    logical_ids = with_copies(tx, tenant, subject, logical_ids)
    held = held_among(instruments, tx, tenant, subject, logical_ids, now=now)
    names = sorted(set(logical_ids) - held)
    waiting = (
        {name for wish in wishes_of(instruments, tx, tenant, subject) for name in wish.logical_ids} if held else ()
    )
    if held.difference(waiting) or whole_for is not None or everything_waits:
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
    with_exports = drop_exports(tx, tenant, subject)  # what is going is in them
    _leave_no_recall(instruments, tx, tenant, subject, names)
    intent = Intent(
        receipt_id=instruments.ids.entry_id(now),
        tenant=tenant,
        person=subject,
        reason=reason,
        asked_at=now,
        logical_ids=tuple(names),
        slots=tuple(sorted({*slots, *record_slots, *with_exports})),
        has_receipt=reached is not None,
        reached=dict(reached or {}),
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


def destroy(instruments: Instruments, person: Person | None, going: Going) -> Gone:
    """Steps 2 and 3: destroy the keys, look that they are gone, then delete the rows and leave tombstones.

    Raises:
        StorageError: something is still there. Nothing is completed; it is tried again when the store is opened.
    """
    intent = going.intent
    if intent.whole_person:
        destroyed = instruments.vault.destroy_subject(intent.tenant, intent.person)
        drop_caches(instruments, intent.tenant, intent.person)
    else:
        destroyed = instruments.vault.destroy_slots(intent.tenant, intent.person, intent.slots)
    destroyed_at = instruments.clock.now()
    if person is not None:
        person.drop_keys(intent.slots)
    require_keys_gone(instruments, intent)
    gone = instruments.store.write(lambda tx: _complete(instruments, tx, intent, destroyed), durable=True)
    return replace(gone, destroyed_at=destroyed_at)


def finish_pending(instruments: Instruments) -> int:
    """Finish every forget that was interrupted, each with a receipt; renew those whose scrub comes late.

    What an interrupted forget was looking for is gone with its process, so its receipt carries no residue scan. Return
    how many were finished.
    """
    with instruments.store.read() as reading:
        pending = [
            (tenant, row)
            for tenant, person, row in reading.records_everywhere(RecordKind.INTENT)
            if person == TENANT  # a person's is a mark without more
        ]
    finished, marks = 0, []
    for tenant, row in pending:
        if row.blob:
            intent = read_intent(instruments, tenant, row).model_copy(update={"has_receipt": True})
            try:
                destroy(instruments, None, Going(intent))
            except StorageError:
                _log.warning("an erasure left something behind; it stays pending")
                continue
            finished += 1
        marks.append((tenant, row.key))
    scrub(instruments, marks)
    return finished


def scrub(instruments: Instruments, marks: Sequence[tuple[str, str]]) -> bool:
    """Step 4: leave no deleted byte in any file, then renew receipts and drop the marks; say whether it is done.

    Where a reader is in the way the marks stay, and `finish_pending` tries again.

    Args:
        instruments: the engines.
        marks: tenant and receipt id of each forget.
    """
    if not marks:
        return True
    done = scrub_files(instruments)
    if done:
        instruments.store.write(partial(_end, instruments, marks=marks), durable=False)
    return done


def scrub_files(instruments: Instruments) -> bool:
    """Leave no deleted byte in any file of the store or the vault; say whether it is done."""
    return all([instruments.store.scrub(), instruments.vault.scrub()])


def drop_mark(tx: Transaction, tenant: str, receipt_id: str) -> None:
    """Drop the mark of a forget that is done."""
    tx.drop_records(tenant, TENANT, RecordKind.INTENT, [receipt_id])


def _end(instruments: Instruments, tx: Transaction, *, marks: Sequence[tuple[str, str]]) -> None:
    now = instruments.clock.now()
    for tenant, receipt_id in marks:
        receipt = find_receipt(instruments, tx, tenant, receipt_id)
        if receipt is not None and not receipt.files_scrubbed:
            put_receipt(instruments, tx, scrubbed_late(instruments, tx, receipt, now=now))
        drop_mark(tx, tenant, receipt_id)


def _leave_no_recall(
    instruments: Instruments, tx: Transaction, tenant: str, subject: str, names: Sequence[str]
) -> None:
    """Take memories that go out of the log of recent recalls."""
    if not names or not tx.records(tenant, subject, RecordKind.RECALL, limit=1):
        return
    person = opened(instruments, tenant, subject)
    if person is not None:
        forget_recalls(person, tx, frozenset(names))


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
    read_back = read_back_of(instruments, tx, intent)
    if any(read_back.values()):
        raise StorageError("an erasure left something behind; it is tried again when the store is opened")
    destroyed = max(destroyed, intent.keys if intent.whole_person else 0)
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
    gone = Gone(
        destroyed, rows, head.size, head.frontier.root().hex(), completed_at=now, read_back={**read_back, KEYS: 0}
    )
    if intent.has_receipt:
        put_receipt(instruments, tx, receipt_of(instruments, tx, intent, gone, now=now))
    return gone


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
