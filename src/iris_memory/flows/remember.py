"""Remember: consent and scope policy, storage gate, off the record, hygiene, integrity, conflict; then one transaction.

A statement becomes `Written`, `AskUser` (a draft and a question) or `Refused`. Acknowledged writes are on the disk.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import WRITE_POLICY, AuditAction, Severity
from iris_memory.contracts.write import AskCategory, Refused, Statement, WriteOutcome
from iris_memory.errors import ContractError, IdempotencyConflictError
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.asking import waiting_row
from iris_memory.flows.budgeting import Budgets
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.ephemeral import Writing, session_in
from iris_memory.flows.following import follow
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.replaying import StoredAnswer, answer_again, body_tag, stored_answer
from iris_memory.flows.retrying import with_person
from iris_memory.flows.sourcing import refuse_of_gone
from iris_memory.ports.rows import EntryRow, RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.columns import Packed
from iris_memory.tables.limits import BATCH_MOST, IDEMPOTENCY_LIFETIME

_LARGE = 100


class Batch(NamedTuple):
    """What a call writes: statements, and the idempotency key that names the call."""

    statements: tuple[Statement, ...]
    idempotency_key: str | None


@contextmanager
def collector_held(size: int) -> Iterator[None]:
    """Hold the cyclic collector off while a large batch is made: all of it stays, so there is nothing to collect.

    A batch is bounded (1,000 statements), and so is what may gather meanwhile.
    """
    if size < _LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def remember(
    instruments: Instruments, caller: Caller, statement: Statement, *, idempotency_key: str | None = None
) -> WriteOutcome:
    """Remember one statement.

    Raises:
        IdempotencyConflictError: the key was used before with another body.
    """
    return remember_many(instruments, caller, [statement], idempotency_key=idempotency_key)[0]


def remember_many(
    instruments: Instruments,
    caller: Caller,
    statements: Sequence[Statement],
    *,
    idempotency_key: str | None = None,
) -> list[WriteOutcome]:
    """Remember up to 1,000 statements in one transaction with one event; each has an outcome of its own."""
    if len(statements) > BATCH_MOST:
        raise ContractError(f"a batch holds at most {BATCH_MOST} statements; send several batches")
    if not statements:
        return []
    batch = Batch(tuple(statements), idempotency_key)
    now = instruments.clock.now()

    def attempt(person: Person) -> list[WriteOutcome]:
        person.ensure_slots(2 * len(statements) + 1 if len(statements) < 8 else len(statements) + 8)

        unstored: list[Writing] = []

        def work(tx: Transaction) -> tuple[list[WriteOutcome], Snapshot]:
            snapshot = person.read(tx)
            _take_back(unstored)
            unstored[:] = [Writing(instruments, person, snapshot, now)]
            return _write(instruments, caller, person, tx, snapshot, batch, now, unstored=unstored[0])

        try:
            with collector_held(len(statements)):
                outcomes, snapshot = instruments.store.write(work, durable=True)
        except BaseException:
            _take_back(unstored)
            raise
        person.publish(snapshot)
        announce_writes(instruments, caller, person, outcomes)
        return outcomes

    return with_person(instruments, caller, attempt)


def _take_back(unstored: list[Writing]) -> None:
    for writing in unstored:
        writing.take_back()


def _write(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    batch: Batch,
    now: datetime,
    *,
    unstored: Writing,
) -> tuple[list[WriteOutcome], Snapshot]:
    digest = ""
    sessions = {session for each in batch.statements if (session := session_in(each.scope) or each.session_id)}
    if batch.idempotency_key is not None:
        digest = body_tag(person, batch.statements)
        answered = unstored.answered(sessions, batch.idempotency_key, digest)
        if answered is not None:
            return answered, snapshot
        earlier = stored_answer(person, tx, batch.idempotency_key)
        if earlier is not None:
            if earlier.body_tag != digest:
                raise IdempotencyConflictError("this idempotency key was used before with another body")
            return answer_again(person, tx, earlier), snapshot
    composer = Composer(instruments, caller, person, snapshot, now, unstored=unstored)
    budgets = Budgets(person, tx, now)
    drafts = [
        _composed(composer, budgets, statement, refuse_of_gone(person, tx, statement) if statement.provenance else None)
        for statement in batch.statements
    ]
    stored = [draft for draft in drafts if draft.session is None]
    written = [draft for draft in stored if draft.entry is not None and draft.is_new]
    seq = tx.bump(person.tenant, person.person) if written else snapshot.state.version
    store_drafts(person, tx, composer, written, seq=seq)
    changed = [draft.entry for draft in written if draft.entry is not None]
    written += follow(instruments, person, tx, snapshot, composer, changed, seq=seq, now=now)
    if stored:
        tell(person, tx, stored, written, now=now)
    unstored.keep(tx)
    budgets.keep(seq=seq)
    outcomes = [draft.outcome for draft in drafts]
    if batch.idempotency_key is not None and len(stored) < len(drafts):
        unstored.note_answer(sessions, batch.idempotency_key, digest, outcomes)
    elif batch.idempotency_key is not None:
        answer = StoredAnswer.of(outcomes, body_tag=digest)
        key = person.tag("idempotency", batch.idempotency_key)
        row = person.record(
            RecordKind.IDEMPOTENCY, key, answer, seq=seq, now=now, expires_at=now + IDEMPOTENCY_LIFETIME
        )
        tx.put_record(person.tenant, person.person, row)
    return outcomes, snapshot.after_writing(packed_rows(written), version=seq)


def _composed(composer: Composer, budgets: Budgets, statement: Statement, refused: Refused | None) -> Draft:
    refused = refused or budgets.take(statement.label, session_id=statement.session_id, provenance=statement.provenance)
    return composer.compose(statement) if refused is None else Draft(refused)


def handles_in(written: list[Draft]) -> set[str]:
    """Return the handles of other people in drafts."""
    return {draft.entry.multi_actor.actor_handle for draft in written if draft.entry and draft.entry.multi_actor}


def packed_rows(written: list[Draft]) -> list[Packed]:
    """Return the rows of drafts as columns take them."""
    return [
        Packed(draft.entry.logical_id, draft.entry.id, draft.packed) for draft in written if draft.entry is not None
    ]


def store_drafts(person: Person, tx: Transaction, composer: Composer, written: list[Draft], *, seq: int) -> None:
    """Write the revisions and questions of drafts, inside the caller's transaction."""
    rows: list[EntryRow] = []
    superseded: list[tuple[str, int, str]] = []
    for draft in written:
        assert draft.entry is not None
        rows.append(composer.seal(draft, seq=seq))
        if draft.entry.supersedes is not None:
            superseded.append((draft.entry.logical_id, draft.entry.revision - 1, draft.entry.id))
        if draft.pending is not None:
            tx.put_record(person.tenant, person.person, waiting_row(person, draft.pending, seq=seq))
    if rows:
        # in this order: a statement may supersede another of the same batch
        tx.add_entries(person.tenant, person.person, rows)
        tx.supersede(person.tenant, person.person, superseded)
        composer.namespace.keep(tx, handles_in(written), seq=seq)


def tell(person: Person, tx: Transaction, drafts: list[Draft], written: list[Draft], *, now: datetime) -> None:
    """Write the one event of a call: ids, commitments, conflicts and refusals by reason."""
    refused = Counter(draft.outcome.reason.value for draft in drafts if isinstance(draft.outcome, Refused))
    facts: dict[str, JsonValue] = {
        "object_ids": [draft.entry.id for draft in written if draft.entry],
        "commitments": [draft.commitment for draft in written],
        "conflicts": [
            [draft.rule.value, draft.decided.value, draft.prior_id, draft.entry.id if draft.entry else ""]
            for draft in drafts
            if draft.rule is not None and draft.decided is not None and draft.prior_id is not None
        ],
        "questions": [draft.pending.draft_id for draft in written if draft.pending],
        "refused": dict(sorted(refused.items())),
    }
    doubted = sum(isinstance(draft.outcome, AskCategory) for draft in drafts)
    if doubted:
        facts["category_questions"] = doubted
    if not written:
        action = AuditAction.QUESTION_ASKED if doubted else AuditAction.MEMORY_WRITTEN
        action = AuditAction.MEMORY_REFUSED if refused else action
    else:
        action = AuditAction.MEMORY_WRITTEN if len(drafts) == 1 else AuditAction.MEMORY_BATCH_WRITTEN
    write_event(
        tx,
        person.tenant,
        action=action,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        severity=Severity.WARNING if refused else Severity.INFO,
        facts=facts,
    )
