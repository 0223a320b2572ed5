"""Replaying: the same idempotency key with the same body gets the same answer again.

What is kept is ids and codes, never words: a memory that was forgotten meanwhile does not come back through its answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import ConflictRule, RefusalReason
from iris_memory.contracts.shape import Contract, Instant
from iris_memory.contracts.write import AskCategory, AskUser, Refused, Statement, WriteOutcome, Written
from iris_memory.flows.people import Person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading
from iris_memory.recall.packing import unpack
from iris_memory.rules.sensitivity import question


class StoredOutcome(Contract):
    """One outcome without its words."""

    kind: str
    logical_id: str | None = None
    entry_id: str | None = None
    replaced: str | None = None
    conflict_rule: ConflictRule | None = None
    question_id: str | None = None
    conflicting_id: str | None = None
    expires_at: Instant | None = None
    reason: RefusalReason | None = None
    rule: str | None = None
    needs: tuple[str, ...] = ()
    said: Category | None = None
    looks_like: tuple[Category, ...] = ()
    digest: str | None = None


class StoredAnswer(Contract):
    """What a call was answered, bound to the body it came with."""

    body_tag: str
    outcomes: tuple[StoredOutcome, ...]

    @staticmethod
    def of(outcomes: Sequence[WriteOutcome], *, body_tag: str) -> StoredAnswer:
        """Return the stored form of a call's outcomes."""
        return StoredAnswer(body_tag=body_tag, outcomes=tuple(_stored(outcome) for outcome in outcomes))


def body_tag(person: Person, statements: Sequence[Statement]) -> str:
    """Return the keyed tag of a call's body."""
    return person.tag("idempotent-body", *(statement.model_dump_json() for statement in statements))


def stored_answer(person: Person, reading: Reading, key: str) -> StoredAnswer | None:
    """Return what a call under an idempotency key was answered before."""
    row = reading.record(person.tenant, person.person, RecordKind.IDEMPOTENCY, person.tag("idempotency", key))
    plain = person.open_record(row) if row is not None else None
    return StoredAnswer.model_validate_json(plain) if plain is not None else None


def answer_again(person: Person, reading: Reading, answer: StoredAnswer) -> list[WriteOutcome]:
    """Return the outcomes of an earlier call, with entries as they were then."""
    return [_restored(person, reading, outcome) for outcome in answer.outcomes]


def _stored(outcome: WriteOutcome) -> StoredOutcome:
    if isinstance(outcome, Refused):
        return StoredOutcome(kind=outcome.outcome, reason=outcome.reason, rule=outcome.rule, needs=outcome.needs)
    if isinstance(outcome, Written):
        return StoredOutcome(
            kind=outcome.outcome,
            logical_id=outcome.entry.logical_id,
            entry_id=outcome.entry.id,
            replaced=outcome.replaced,
            conflict_rule=outcome.rule,
        )
    if isinstance(outcome, AskCategory):
        return StoredOutcome(
            kind=outcome.outcome,
            question_id=outcome.question_id,
            said=outcome.said,
            looks_like=outcome.looks_like,
            needs=outcome.needs,
            digest=outcome.digest,
            expires_at=outcome.expires_at,
        )
    return StoredOutcome(
        kind=outcome.outcome,
        logical_id=outcome.entry.logical_id,
        entry_id=outcome.entry.id,
        conflict_rule=outcome.rule,
        question_id=outcome.question_id,
        conflicting_id=outcome.conflicting_id,
        expires_at=outcome.expires_at,
    )


def _restored(person: Person, reading: Reading, stored: StoredOutcome) -> WriteOutcome:
    if stored.reason is not None:
        return Refused(reason=stored.reason, rule=stored.rule or "", needs=stored.needs)
    if stored.said is not None and stored.digest and stored.question_id and stored.expires_at:
        return AskCategory(
            question_id=stored.question_id,
            said=stored.said,
            looks_like=stored.looks_like,
            needs=stored.needs,
            question=question(stored.said, stored.looks_like),
            digest=stored.digest,
            expires_at=stored.expires_at,
        )
    rows = [
        row
        for row in reading.revisions(person.tenant, person.person, stored.logical_id or "")
        if row.entry_id == stored.entry_id
    ]
    opened = person.open_entries(rows)
    if not opened:
        return Refused(reason=RefusalReason.UNKNOWN_MEMORY, rule="what this call wrote was forgotten since")
    entry = unpack(opened[0].pack)
    if stored.kind == "written":
        return Written(entry=entry, replaced=stored.replaced, rule=stored.conflict_rule)
    assert stored.question_id is not None
    assert stored.conflicting_id is not None
    assert stored.conflict_rule is not None
    assert stored.expires_at is not None
    return AskUser(
        question_id=stored.question_id,
        entry=entry,
        conflicting_id=stored.conflicting_id,
        rule=stored.conflict_rule,
        question="This was asked before; the question is in the inbox.",
        expires_at=stored.expires_at,
    )
