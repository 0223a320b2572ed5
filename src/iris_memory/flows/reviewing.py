"""Reviewing: what waits for a decision at the end of its envelope, and the decision.

A memory in review needs no record of its own: it is one whose envelope has ended, in a scope that asks for review. It
is recalled no more; without a decision it is tombstoned after 30 days (see `flows.sweep`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.erasure import ForgetReceipt, ForgetTarget
from iris_memory.contracts.retaining import Fate, Review, ReviewDecision
from iris_memory.contracts.write import Refused, Written
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.following import follow
from iris_memory.flows.forget import forget
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import unknown
from iris_memory.flows.recall import current
from iris_memory.flows.remember import packed_rows, store_drafts
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.lifecycle import extension
from iris_memory.rules.retention import extended, fate
from iris_memory.rules.scope_change import is_read_only_copy
from iris_memory.rules.scope_policy import is_shown_to
from iris_memory.tables.adapter_scopes import REVIEW_GRACE


def reviews(instruments: Instruments, caller: Caller) -> list[Review]:
    """Return the memories that wait for a decision, those that end first coming first.

    As everywhere, a consumer is shown what its scopes hold and no other. A read-only copy is decided at its source.
    """

    def attempt(person: Person) -> list[Review]:
        now = instruments.clock.now()
        snapshot = current(instruments, person)
        columns = snapshot.columns
        due = [
            entry for entry in map(columns.entry, columns.rows()) if _waits(entry, now) and not is_read_only_copy(entry)
        ]
        waiting = [_review(snapshot, entry, now) for entry in due if _is_shown(caller, snapshot, entry, now)]
        if waiting:
            instruments.store.write(
                lambda tx: write_event(
                    tx,
                    person.tenant,
                    action=AuditAction.MEMORY_READ,
                    policy=WRITE_POLICY,
                    person=person.person,
                    now=now,
                    facts={"object_ids": [review.entry.id for review in waiting], "by": "review"},
                ),
                durable=False,
            )
        return sorted(waiting, key=lambda review: (review.ends_at, review.entry.logical_id))

    return with_known_person(instruments, caller, attempt, nobody=list)


def decide_review(
    instruments: Instruments,
    caller: Caller,
    logical_id: str,
    decision: ReviewDecision,
    *,
    expected: str | None = None,
    scan: bool = True,
) -> Written | ForgetReceipt | Refused:
    """Decide a memory in review: `extend` keeps it one more window, `end` forgets it with a receipt.

    An extension is admitted like any statement: without the consents of its scope, and without a governance approval
    where the scope needs one, it is refused, and the memory waits on. One that does not wait is refused.

    Args:
        instruments: the engines.
        caller: whose memory it is.
        logical_id: which memory.
        decision: what becomes of it.
        expected: the id of the revision that was seen; refused as stale when another one is in force.
        scan: search every file after `end`.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> Written | Refused | None:
        person.ensure_slots(1)

        def work(tx: Transaction) -> tuple[Written | Refused | None, Snapshot]:
            snapshot = person.read(tx)
            row = snapshot.columns.row_of.get(logical_id)
            entry = snapshot.columns.entry(row) if row is not None else None
            if entry is None or not _is_shown(caller, snapshot, entry, now):
                raise unknown()
            if not _waits(entry, now):
                waits_not = "only a memory whose envelope ended in review, and is not over, is decided"
                return Refused(reason=RefusalReason.NOT_WAITING, rule=waits_not), snapshot
            if expected is not None and expected != entry.id:
                stale = Refused(reason=RefusalReason.STALE_REVISION, rule="a decision names the revision that was seen")
                return stale, snapshot
            if decision is ReviewDecision.END:
                _tell(tx, person, entry, decision, now)
                return None, snapshot
            outcome, snapshot = _extend(instruments, caller, person, tx, snapshot, entry, now)
            return outcome, snapshot

        outcome, snapshot = instruments.store.write(work, durable=True)
        person.publish(snapshot)
        return outcome

    decided = with_known_person(instruments, caller, attempt, nobody=_nobody)
    if decided is not None:
        return decided
    return forget(instruments, caller, ForgetTarget(logical_id=logical_id), scan=scan)


def _extend(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    entry: MemoryEntry,
    now: datetime,
) -> tuple[Written | Refused, Snapshot]:
    until = extended(entry, now=now, contract_ends_at=snapshot.settings.contract_ends_at)
    if is_read_only_copy(entry):
        return Refused(reason=RefusalReason.READ_ONLY_COPY, rule="a read-only copy is kept on at its source"), snapshot
    if until is None:
        return Refused(reason=RefusalReason.ALREADY_EXPIRED, rule="the scope keeps nothing for longer"), snapshot
    made = extension(entry, entry_id=instruments.ids.entry_id(now), now=now, until=until)
    composer = Composer(instruments, caller, person, snapshot, now)
    refused = composer.admit_entry(made, session_id=None)
    if refused is not None:
        return refused, snapshot
    draft = Draft(Written(entry=made, replaced=entry.id), entry=made, is_new=True)
    seq = tx.bump(person.tenant, person.person)
    store_drafts(person, tx, composer, [draft], seq=seq)
    followed = follow(instruments, person, tx, snapshot, composer, [made], seq=seq, now=now)
    _tell(tx, person, entry, ReviewDecision.EXTEND, now, written=[draft, *followed])
    return Written(entry=made, replaced=entry.id), snapshot.after_writing(packed_rows([draft, *followed]), version=seq)


def _is_shown(caller: Caller, snapshot: Snapshot, entry: MemoryEntry, now: datetime) -> bool:
    return is_shown_to(entry.adapter_scope, caller.consumer, approvals=snapshot.approved(now))


def _waits(entry: MemoryEntry, now: datetime) -> bool:
    return fate(entry, now=now) is Fate.REVIEW


def _review(snapshot: Snapshot, entry: MemoryEntry, now: datetime) -> Review:
    assert entry.expires_at is not None
    return Review(
        entry=entry,
        waiting_since=entry.expires_at,
        ends_at=entry.expires_at + REVIEW_GRACE,
        extends_to=extended(entry, now=now, contract_ends_at=snapshot.settings.contract_ends_at),
    )


def _tell(
    tx: Transaction,
    person: Person,
    entry: MemoryEntry,
    decision: ReviewDecision,
    now: datetime,
    *,
    written: Sequence[Draft] = (),
) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.REVIEW_DECIDED,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        facts={
            "object_ids": [draft.entry.id for draft in written if draft.entry is not None] or [entry.id],
            "replaced": [entry.id] if written else [],
            "commitments": [draft.commitment for draft in written],
            "decision": decision.value,
        },
    )


def _nobody() -> Written | Refused | None:
    raise unknown()
