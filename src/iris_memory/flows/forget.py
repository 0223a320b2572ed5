"""Forget: one memory, a category, everything, or the person whole. A dry run first; afterwards a signed receipt."""

from __future__ import annotations

from dataclasses import dataclass

from iris_memory.contracts.audit import FORGET_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget, ResidueFinding
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import ContractError, StorageError
from iris_memory.flows.answer import drafts_take_over
from iris_memory.flows.asking import waiting
from iris_memory.flows.forgetting import (
    Going,
    Gone,
    Intent,
    bar_return,
    destroy,
    finish_pending,
    intend,
    keep_intent,
    scrub,
)
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import head_of, write_event
from iris_memory.flows.people import ERASING, TENANT, Person, Snapshot
from iris_memory.flows.reading import unknown
from iris_memory.flows.recall import current
from iris_memory.flows.receipts import signed
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.seal import signer_of
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location
from iris_memory.flows.sealing import seal as seal_blob
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.columns import MATTERS, Columns
from iris_memory.recall.packing import unpack, wording

STAYS = (
    "the audit chain: that something was forgotten and when, under ids that lead nowhere",
    "tombstones: the id and times of each memory, no words",
)
STAYS_AFTER_FORGET = (
    *STAYS,
    "the consent ledger",
    "keyed tags that keep the same words from coming back by an old transcript, until the person is erased",
)


@dataclass(frozen=True, slots=True)
class _Reached:
    """What a target names, as rows of a person's columns."""

    columns: Columns
    rows: list[int]
    reason: TombstoneReason

    @property
    def logical_ids(self) -> list[str]:
        return [self.columns.keys[row] for row in self.rows]


def preview(instruments: Instruments, caller: Caller, target: ForgetTarget) -> ForgetPreview:
    """Count what a forget would reach; change nothing.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    _require_one(target)

    def attempt(person: Person) -> ForgetPreview:
        instruments.people.usage.flush(instruments.store)  # what waits would be reached too
        with instruments.store.read() as reading:
            reached = _select(person, reading, person.read(reading), target)
            return _count(person, reading, reached)

    return with_known_person(instruments, caller, attempt, nobody=lambda: _nothing(target))


def forget(instruments: Instruments, caller: Caller, target: ForgetTarget, *, scan: bool = True) -> ForgetReceipt:
    """Forget for good and return the receipt. With `scan`, every file is searched for what should be gone.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    _require_one(target)

    def attempt(person: Person) -> ForgetReceipt:
        now = instruments.clock.now()
        instruments.people.usage.flush(instruments.store)
        person.ensure_slots(1)

        def work(tx: Transaction) -> tuple[Going, dict[str, int], Snapshot]:
            snapshot = person.read(tx)
            reached = _select(person, tx, snapshot, target)
            counted = _count(person, tx, reached).reached
            texts = _texts(person, tx, reached)
            going = intend(
                instruments,
                tx,
                person.tenant,
                person.person,
                reached.logical_ids,
                reason=reached.reason,
                now=now,
                texts=texts,
            )
            bar_return(person, tx, going)
            drafts_take_over(instruments, caller, person, tx, snapshot, gone=set(going.logical_ids), now=now)
            if target.everything:
                for kind in (RecordKind.HOLD, RecordKind.IDEMPOTENCY, RecordKind.RECALL):
                    tx.drop_records(person.tenant, person.person, kind, None)
            return going, counted, snapshot

        going, counted, snapshot = instruments.store.write(work, durable=True)
        person.publish(snapshot)
        wrapped = _wrapped(instruments, going.intent)
        gone = destroy(instruments, person, going)
        current(instruments, person)
        return _close(instruments, going, gone, counted, wrapped, scan=scan, stays=STAYS_AFTER_FORGET)

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def erase(instruments: Instruments, caller: Caller, *, scan: bool = True) -> ForgetReceipt | None:
    """Erase a person whole: every row, every key, and the link to the user; None where nothing is known of them.

    What stays is the audit chain under a pseudonym that leads nowhere, and tombstones.
    """

    def attempt(person: Person) -> ForgetReceipt:
        now = instruments.clock.now()
        instruments.people.usage.drop(person)

        def work(tx: Transaction) -> tuple[Going, dict[str, int]]:
            snapshot = person.read(tx)
            reached = _Reached(snapshot.columns, snapshot.columns.rows(), TombstoneReason.EVERYTHING_FORGOTTEN)
            counted = _count(person, tx, reached).reached
            names = sorted(reached.logical_ids)
            intent = Intent(
                receipt_id=instruments.ids.entry_id(now),
                tenant=person.tenant,
                person=person.person,
                reason=reached.reason,
                asked_at=now,
                logical_ids=tuple(names),
                slots=(),
                whole_person=True,
            )
            seq = tx.bump(person.tenant, person.person)
            blobs = tuple(tx.blobs_of(person.tenant, person.person, names))
            tx.hide(person.tenant, person.person, names, seq=seq)
            mark = person.record(RecordKind.INTENT, ERASING, None, seq=seq, now=now)
            tx.put_record(person.tenant, person.person, mark)
            keep_intent(instruments, tx, intent)
            write_event(
                tx,
                person.tenant,
                action=AuditAction.FORGET_INTENDED,
                policy=FORGET_POLICY,
                person=person.person,
                now=now,
                facts={"object_ids": list(names), "receipt": intent.receipt_id, "reason": intent.reason.value},
            )
            blobs += _record_blobs(person, tx)
            texts = tuple(_texts(person, tx, reached)) if scan else ()
            return Going(intent, seq=seq, texts=texts, blobs=blobs), counted

        going, counted = instruments.store.write(work, durable=True)
        wrapped = _wrapped(instruments, going.intent)
        gone = destroy(instruments, person, going)
        instruments.people.drop(caller.tenant, caller.user)
        return _close(instruments, going, gone, counted, wrapped, scan=scan, stays=STAYS)

    return with_known_person(instruments, caller, attempt, nobody=lambda: None)


def _select(person: Person, reading: Reading, snapshot: Snapshot, target: ForgetTarget) -> _Reached:
    columns = snapshot.columns
    if target.logical_id is not None:
        row = columns.row_of.get(target.logical_id)
        if row is None:
            raise unknown()
        return _Reached(columns, [row], TombstoneReason.FORGOTTEN_BY_PERSON)
    rows = columns.rows()
    if target.category is not None:
        rows = [row for row in rows if _was_ever(person, reading, columns, row, target.category)]
        return _Reached(columns, rows, TombstoneReason.CATEGORY_CLEARED)
    return _Reached(columns, rows, TombstoneReason.EVERYTHING_FORGOTTEN)


def _was_ever(person: Person, reading: Reading, columns: Columns, row: int, category: Category) -> bool:
    """Say whether a memory is or was of a category: its earlier revisions keep what was said under it."""
    if MATTERS[columns.traits.matter[row]].category is category:
        return True
    if wording(columns.packs[row])[1] == 1:
        return False
    rows = reading.revisions(person.tenant, person.person, columns.keys[row])
    return any(unpack(packed.pack).category is category for packed in person.open_entries(rows))


def _count(person: Person, reading: Reading, reached: _Reached) -> ForgetPreview:
    names = reached.logical_ids
    revisions = len(reading.blobs_of(person.tenant, person.person, names))
    usage = len(reading.usage_of(person.tenant, person.person, names))
    gone = set(names)
    asked = sum(bool({pending.existing_id, pending.draft_id} & gone) for pending in waiting(person, reading))
    counts = {"memories": len(names), "revisions": revisions - usage, "usage records": usage, "questions": asked}
    return ForgetPreview(memories=len(names), revisions=revisions - usage, reached=counts, stays=STAYS_AFTER_FORGET)


def _texts(person: Person, reading: Reading, reached: _Reached) -> list[str]:
    """Return every wording of memories, earlier revisions included, once each."""
    texts = set()
    for row in reached.rows:
        body, revision = wording(reached.columns.packs[row])
        texts.add(body)
        if revision > 1:
            rows = reading.revisions(person.tenant, person.person, reached.columns.keys[row])
            texts.update(wording(packed.pack)[0] for packed in person.open_entries(rows))
    return sorted(texts)


def _record_blobs(person: Person, reading: Reading) -> tuple[bytes, ...]:
    """Return the sealed bytes of a person's records of every kind."""
    tenant, subject = person.tenant, person.person
    return tuple(row.blob for kind in RecordKind for row in reading.records(tenant, subject, kind) if row.blob)


def _wrapped(instruments: Instruments, intent: Intent) -> list[bytes]:
    numbers = None if intent.whole_person else intent.slots
    return instruments.vault.wrapped_slots(intent.tenant, intent.person, numbers)


def _close(
    instruments: Instruments,
    going: Going,
    gone: Gone,
    counted: dict[str, int],
    wrapped: list[bytes],
    *,
    scan: bool,
    stays: tuple[str, ...],
) -> ForgetReceipt:
    intent = going.intent
    # what is done is said at once; the look through the files comes on top of it, and may fail or be cut short
    keep_receipt(instruments, _receipt(instruments, intent, gone, counted, None, scrubbed=False, stays=stays))
    scrubbed = scrub(instruments, [(intent.tenant, intent.receipt_id)])
    residue = _look(instruments, going, wrapped) if scan else None
    receipt = _receipt(instruments, intent, gone, counted, residue, scrubbed=scrubbed, stays=stays)
    return keep_receipt(instruments, receipt)


def _receipt(
    instruments: Instruments,
    intent: Intent,
    gone: Gone,
    counted: dict[str, int],
    residue: ResidueFinding | None,
    *,
    scrubbed: bool,
    stays: tuple[str, ...],
) -> ForgetReceipt:
    with instruments.store.read() as reading:
        head = head_of(reading, intent.tenant)
    return ForgetReceipt(
        receipt_id=intent.receipt_id,
        tenant_id=intent.tenant,
        person=intent.person,
        reason=intent.reason,
        asked_at=intent.asked_at,
        completed_at=max(instruments.clock.now(), intent.asked_at),
        memories=len(intent.logical_ids),
        keys_destroyed=gone.keys_destroyed,
        reached=counted,
        residue=residue,
        files_scrubbed=scrubbed,
        vault_backup_days=instruments.vault_backup_days,
        audit_size=head.size,
        audit_root=head.frontier.root().hex(),
        stays=stays,
        note="",
    )


def finish_forgets(instruments: Instruments) -> int:
    """Finish every forget that was interrupted, each with a receipt; return how many there were.

    What an interrupted forget was looking for is gone with its process, so these receipts carry no residue scan.
    """
    finished = finish_pending(instruments)
    for going, gone, scrubbed in finished:
        counted = {"memories": len(going.logical_ids)}
        stays = STAYS if going.intent.whole_person else STAYS_AFTER_FORGET
        keep_receipt(
            instruments, _receipt(instruments, going.intent, gone, counted, None, scrubbed=scrubbed, stays=stays)
        )
    return len(finished)


def keep_receipt(instruments: Instruments, receipt: ForgetReceipt) -> ForgetReceipt:
    """Sign a receipt and keep it among the tenant's, so that it can be asked for again; return it."""
    done = signed(receipt, signer=signer_of(instruments, receipt.tenant_id))
    tenant = receipt.tenant_id
    location = record_location(tenant, TENANT, RecordKind.RECEIPT.value, receipt.receipt_id, 0)
    key = derived(instruments.vault.tenant_key(tenant), "records")
    plain = done.model_dump_json().encode()
    blob = seal_blob(key, plain, location=location, nonce=instruments.ids.secret(NONCE_LENGTH))
    at = to_micros(done.completed_at)
    row = RecordRow(RecordKind.RECEIPT, receipt.receipt_id, done.audit_size, at, None, 0, blob)
    instruments.store.write(lambda tx: tx.put_record(tenant, TENANT, row), durable=True)
    return done


def receipts(instruments: Instruments, tenant: str) -> list[ForgetReceipt]:
    """Return a tenant's receipts, oldest first."""
    key = derived(instruments.vault.tenant_key(tenant), "records")
    with instruments.store.read() as reading:
        rows = reading.records(tenant, TENANT, RecordKind.RECEIPT)
    return [
        ForgetReceipt.model_validate_json(
            open_sealed(key, row.blob, location=record_location(tenant, TENANT, row.kind.value, row.key, 0))
        )
        for row in rows
    ]


def _look(instruments: Instruments, going: Going, wrapped: list[bytes]) -> ResidueFinding | None:
    """Search every file for what should be gone; None where the search did not come to its end."""
    patterns = [("text", text.encode()) for text in going.texts]
    patterns += [("ciphertext", blob) for blob in going.blobs]
    patterns += [("wrapped key", key) for key in wrapped]
    try:
        report = instruments.scanner.scan([*instruments.store.files(), *instruments.vault.files()], patterns)
    except StorageError:
        return None
    return ResidueFinding(
        files=report.files,
        size=report.size,
        patterns=report.patterns,
        too_short=report.too_short,
        found=dict(sorted(report.found.items())),
    )


def _require_one(target: ForgetTarget) -> None:
    named = [target.logical_id is not None, target.category is not None, target.everything]
    if sum(named) != 1:
        raise ContractError("forget names exactly one of: a memory, a category, everything")


def _nothing(target: ForgetTarget) -> ForgetPreview:
    if target.logical_id is not None:
        raise unknown()
    return ForgetPreview(memories=0, revisions=0, reached={}, stays=STAYS)


def _nobody() -> ForgetReceipt:
    raise unknown()
