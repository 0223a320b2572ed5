"""Asking: the question a conflict puts to the person. What is kept of it is ids; the words are those that stand now.

A question is named by the draft that waits for its answer. It is shown with the texts as they are stored
then, and its digest is over exactly these: an answer to other texts is none (POI-8).
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from iris_memory.contracts.decision import ConflictRule
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.shape import Contract, Identifier, Instant
from iris_memory.contracts.write import AskUser, Question
from iris_memory.flows.people import Person
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading
from iris_memory.tables.limits import QUESTION_LIFETIME


class Pending(Contract):
    """A question that waits: which memory a draft is about, and until when. No words."""

    draft_id: Identifier
    existing_id: Identifier
    rule: ConflictRule
    asked_at: Instant
    expires_at: Instant
    revision: int = 1
    """Grows with each answer that decides nothing, so that no digest is used twice."""


def ask(existing: MemoryEntry, draft: MemoryEntry, *, rule: ConflictRule, now: datetime) -> Pending:
    """Return the question about two of the person's own statements that differ."""
    return Pending(
        draft_id=draft.logical_id,
        existing_id=existing.logical_id,
        rule=rule,
        asked_at=now,
        expires_at=now + QUESTION_LIFETIME,
    )


def waiting_row(person: Person, pending: Pending, *, seq: int) -> RecordRow:
    """Return the record of a question that waits."""
    return person.own_record(
        RecordKind.QUESTION,
        pending.draft_id,
        pending,
        seq=seq,
        now=pending.asked_at,
        expires_at=pending.expires_at,
    )


def waiting(person: Person, reading: Reading) -> list[Pending]:
    """Return every question that waits or was never cleared away, oldest first."""
    rows = reading.records(person.tenant, person.person, RecordKind.QUESTION)
    opened = [Pending.model_validate_json(plain) for row in rows if (plain := person.open_record(row)) is not None]
    return sorted(opened, key=lambda pending: (pending.asked_at, pending.draft_id))


def as_question(pending: Pending, *, existing: MemoryEntry, draft: MemoryEntry) -> Question:
    """Return a question as it is shown, with the texts that stand now."""
    return Question(
        question_id=pending.draft_id,
        asked_at=pending.asked_at,
        expires_at=pending.expires_at,
        rule=pending.rule,
        existing_id=pending.existing_id,
        draft_id=pending.draft_id,
        existing_body=existing.body,
        draft_body=draft.body,
        prompt=prompt_of(existing.body, draft.body),
        digest=question_digest(pending, existing=existing, draft=draft),
    )


def as_outcome(pending: Pending, *, existing: MemoryEntry, draft: MemoryEntry) -> AskUser:
    """Return a question as the outcome of the statement that raised it."""
    return AskUser(
        question_id=pending.draft_id,
        entry=draft,
        conflicting_id=pending.existing_id,
        rule=pending.rule,
        question=prompt_of(existing.body, draft.body),
        expires_at=pending.expires_at,
    )


def question_digest(pending: Pending, *, existing: MemoryEntry, draft: MemoryEntry) -> str:
    """Return the digest of a conflict question as it is shown now."""
    return shown_digest(pending.draft_id, pending.revision, existing.body, draft.body)


def shown_digest(question_id: str, revision: int, *texts: str) -> str:
    """Return the digest of a question as it is shown: which one, how often it was shown anew, and its exact texts.

    Each part stands after its length in bytes (4, big-endian): SHA-256 in hex. Two questions never share one, whatever
    their texts.
    """
    parts = [part.encode() for part in (question_id, str(revision), *texts)]
    return sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).hexdigest()


def prompt_of(existing: str, draft: str) -> str:
    """Return what a conflict question says."""
    return f"You mentioned earlier: {existing}\nNow you said: {draft}\nShould the new one replace it?"
