"""Answer: the person decides a question. An answer counts only for the exact texts that were shown (POI-8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from datetime import datetime
from functools import partial
from typing import NoReturn

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, TombstoneReason
from iris_memory.contracts.shape import to_micros
from iris_memory.contracts.write import Answer, Refused, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.asking import Pending, question_digest, waiting, waiting_row
from iris_memory.flows.composing import Composer, Draft, replacement
from iris_memory.flows.following import follow
from iris_memory.flows.forgetting import Going, destroy, intend, scrub
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.lifecycle import successor


def answer(
    instruments: Instruments,
    caller: Caller,
    question_id: str,
    decision: Answer,
    *,
    digest: str,
    session_id: str | None = None,
    after_untrusted: bool = False,
) -> MemoryEntry | Refused:
    """Decide a conflict question and return the memory that now stands.

    `keep` keeps what was there and lets the draft go; `replace` gives what was there the new words; `both` keeps both:
    the draft takes a slot beside the other's, `seat (2)` beside `seat`, so that recall does not fold the two into one.
    With `after_untrusted` the turn of the answer, or the one before, read untrusted content: it is no answer, and the
    question is to be shown anew.
    What would be written anew is admitted like any statement: without its consents, or off the record, it is refused
    and the question waits on.

    Raises:
        UnknownMemoryError: there is no such question, or what it asks about is gone.
        ContractError: the digest is not that of the texts in question.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> MemoryEntry | Refused:
        person.ensure_slots(1)

        def work(tx: Transaction) -> tuple[MemoryEntry | Refused, Going | None, Written | None]:
            snapshot = person.read(tx)
            pending, existing, draft = _question(person, tx, snapshot, question_id, now)
            if question_digest(pending, existing=existing, draft=draft) != digest:
                raise ContractError("an answer names the digest of the texts that were shown; show them again")
            if after_untrusted:
                _show_anew(tx, person, pending, "not-free", now)
                return not_free(), None, None
            composer = Composer(instruments, caller, person, snapshot, now)
            standing = _standing(instruments, decision, existing, draft, now)
            standing = composer.with_free_slot(standing) if decision is Answer.BOTH else standing
            written, made = None, None
            if standing is not existing:
                refused = composer.admit_entry(standing, session_id=session_id)
                if refused is not None:
                    return refused, None, None
                seq = tx.bump(person.tenant, person.person)
                written = _write(composer, person, tx, standing, seq=seq)
                made = Written(entry=standing)
                follow(instruments, person, tx, snapshot, composer, [standing], seq=seq, now=now)
            _tell(tx, person, pending, decision.value, now, written=written)
            if decision is Answer.BOTH:
                tx.drop_records(person.tenant, person.person, RecordKind.QUESTION, [question_id])
                return standing, None, made
            going = _let_go(instruments, tx, person.tenant, person.person, [draft.logical_id], now)
            return standing, going, made

        standing, going, made = instruments.store.write(work, durable=True)
        if going is not None:
            destroy(instruments, person, going)
            scrub(instruments, [(person.tenant, going.intent.receipt_id)])
        told = standing if isinstance(standing, Refused) else made
        announce_writes(instruments, caller, person, [told] if told is not None else [])
        return standing

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def skip(instruments: Instruments, caller: Caller, question_id: str, *, digest: str) -> None:
    """Answer a conflict question with no decision: it waits on, and its digest is used up.

    Raises:
        UnknownMemoryError: there is no such question, or what it asks about is gone.
        ContractError: the digest is not that of the texts in question.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> None:
        def work(tx: Transaction) -> None:
            pending, existing, draft = _question(person, tx, person.read(tx), question_id, now)
            if question_digest(pending, existing=existing, draft=draft) != digest:
                raise ContractError("an answer names the digest of the texts that were shown; show them again")
            _show_anew(tx, person, pending, "skip", now)

        instruments.store.write(work, durable=True)

    with_known_person(instruments, caller, attempt, nobody=_nobody)


def not_free() -> Refused:
    """Return the refusal of an answer that untrusted content may have had a hand in (POI-8)."""
    return Refused(
        reason=RefusalReason.ANSWER_NOT_FREE,
        rule="an answer in the turn that read untrusted content, or in the next one, is none; show the question again",
    )


def _show_anew(tx: Transaction, person: Person, pending: Pending, decision: str, now: datetime) -> None:
    seq = tx.bump(person.tenant, person.person)
    again = pending.model_copy(update={"revision": pending.revision + 1})
    tx.put_record(person.tenant, person.person, waiting_row(person, again, seq=seq))
    _tell(tx, person, pending, decision, now, written=None)


def let_drafts_go(instruments: Instruments) -> int:
    """End questions nobody answered: what was there stays, the draft goes; return how many drafts went.

    It needs no word of the person's, so it reaches everybody in the store.
    """
    now = instruments.clock.now()
    due: dict[tuple[str, str], list[str]] = defaultdict(list)
    with instruments.store.read() as reading:
        for tenant, subject, row in reading.records_everywhere(RecordKind.QUESTION):
            if row.expires_at is not None and row.expires_at <= to_micros(now):
                due[tenant, subject].append(row.key)
    gone, marks = 0, list[tuple[str, str]]()
    for (tenant, subject), names in due.items():
        end = partial(_end, instruments, tenant=tenant, subject=subject, names=names, now=now)
        going = instruments.store.write(end, durable=True)
        if going is not None:
            destroy(instruments, None, going)
            marks.append((tenant, going.intent.receipt_id))
            gone += len(going.logical_ids)
    scrub(instruments, marks)
    return gone


def drafts_take_over(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    *,
    gone: Set[str],
    now: datetime,
) -> None:
    """Settle the questions about memories that are going: with nothing there, the oldest draft stands.

    It is what would have become of it had the memory been forgotten before it was said. Later drafts wait on, now about
    the one that stands. A draft that may not be stored any more waits until its question's time is over.
    """
    columns = snapshot.columns
    composer = Composer(instruments, caller, person, snapshot, now)
    heirs: dict[str, str] = {}
    for pending in waiting(person, tx):
        if pending.existing_id not in gone or pending.draft_id in gone or pending.draft_id not in columns.row_of:
            continue
        draft = columns.entry(columns.row_of[pending.draft_id])
        heir = heirs.get(pending.existing_id)
        if heir is not None:
            seq = tx.bump(person.tenant, person.person)
            moved = pending.model_copy(update={"existing_id": heir})
            tx.put_record(person.tenant, person.person, waiting_row(person, moved, seq=seq))
        elif composer.admit_entry(draft, session_id=None) is None:
            heirs[pending.existing_id] = draft.logical_id
            seq = tx.bump(person.tenant, person.person)
            written = _write(composer, person, tx, _activated(instruments, draft, now), seq=seq)
            tx.drop_records(person.tenant, person.person, RecordKind.QUESTION, [pending.draft_id])
            _tell(tx, person, pending, "existing-forgotten", now, written=written)


def _question(
    person: Person, tx: Transaction, snapshot: Snapshot, question_id: str, now: datetime
) -> tuple[Pending, MemoryEntry, MemoryEntry]:
    row = tx.record(person.tenant, person.person, RecordKind.QUESTION, question_id)
    plain = person.open_record(row) if row is not None else None
    pending = Pending.model_validate_json(plain) if plain is not None else None
    if pending is None or pending.expires_at <= now:
        raise UnknownMemoryError("there is no such question, or its time is over")
    columns = snapshot.columns
    if pending.existing_id not in columns.row_of or pending.draft_id not in columns.row_of:
        raise UnknownMemoryError("what the question asks about is gone")
    existing = columns.entry(columns.row_of[pending.existing_id])
    return pending, existing, columns.entry(columns.row_of[pending.draft_id])


def _standing(
    instruments: Instruments, decision: Answer, existing: MemoryEntry, draft: MemoryEntry, now: datetime
) -> MemoryEntry:
    if decision is Answer.KEEP:
        return existing
    if decision is Answer.BOTH:
        return _activated(instruments, draft, now)
    renamed = draft.model_copy(update={"id": instruments.ids.entry_id(now)})
    return replacement(existing, renamed, now=now)


def _activated(instruments: Instruments, draft: MemoryEntry, now: datetime) -> MemoryEntry:
    return successor(draft, entry_id=instruments.ids.entry_id(now), now=now, lifecycle=Lifecycle.ACTIVE)


def _write(composer: Composer, person: Person, tx: Transaction, entry: MemoryEntry, *, seq: int) -> Draft:
    written = Draft(Written(entry=entry), entry=entry, is_new=True)
    row = composer.seal(written, seq=seq)
    assert entry.supersedes is not None
    tx.supersede(person.tenant, person.person, [(entry.logical_id, entry.revision - 1, entry.id)])
    tx.add_entries(person.tenant, person.person, [row])
    return written


def _end(
    instruments: Instruments, tx: Transaction, *, tenant: str, subject: str, names: list[str], now: datetime
) -> Going | None:
    living = [name for name in names if tx.record(tenant, subject, RecordKind.QUESTION, name) is not None]
    if not living:
        return None
    write_event(
        tx,
        tenant,
        action=AuditAction.QUESTION_ANSWERED,
        policy=WRITE_POLICY,
        person=subject,
        now=now,
        facts={"object_ids": list(living), "answer": "unanswered"},
    )
    return _let_go(instruments, tx, tenant, subject, living, now)


def _let_go(
    instruments: Instruments, tx: Transaction, tenant: str, subject: str, drafts: list[str], now: datetime
) -> Going:
    return intend(instruments, tx, tenant, subject, drafts, reason=TombstoneReason.DRAFT_LET_GO, now=now)


def _tell(
    tx: Transaction, person: Person, pending: Pending, decision: str, now: datetime, *, written: Draft | None
) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.QUESTION_ANSWERED,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        facts={
            "object_ids": [written.entry.id] if written and written.entry else [],
            "commitments": [written.commitment] if written else [],
            "question": pending.draft_id,
            "rule": pending.rule.value,
            "existing": pending.existing_id,
            "answer": decision,
        },
    )


def _nobody() -> NoReturn:
    raise UnknownMemoryError("there is no such question, or its time is over")
