"""Revise: the person corrects a memory. A new revision supersedes the one before; nothing is edited in place."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, NoReturn

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction, Severity
from iris_memory.contracts.consent import ConsentType, category_consent
from iris_memory.contracts.decision import ConflictOutcome, RefusalReason
from iris_memory.contracts.entry import Label, Lifecycle, MemoryEntry, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.write import AskUser, Refused, Revision, Written
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.cleaning import already_expired, cleaned_words
from iris_memory.flows.composing import PROVENANCE_MOST, Composer, Draft
from iris_memory.flows.doubting import doubts_revision
from iris_memory.flows.following import follow
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import note_read, unknown
from iris_memory.flows.remember import packed_rows, store_drafts, tell
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules import integrity, retention
from iris_memory.rules.lifecycle import successor
from iris_memory.rules.scope_change import is_read_only_copy
from iris_memory.rules.screening import screen


class _Wish(NamedTuple):
    """A correction: of which memory, to what, seen in which revision, said in which session."""

    logical_id: str
    revision: Revision
    expected: str | None
    session_id: str | None
    again: bool


def revise(
    instruments: Instruments,
    caller: Caller,
    logical_id: str,
    revision: Revision,
    *,
    expected: str | None = None,
    session_id: str | None = None,
    again: bool = False,
) -> Written | AskUser | Refused:
    """Write the next revision of a memory, in the person's own typed words.

    Where another memory has the slot, the ladder decides as for any statement: what stands keeps it (`Refused`), or the
    person is asked (`AskUser`: the new words wait as a draft beside it, and this memory stays as it was).

    Args:
        instruments: the engines.
        caller: whose memory it is.
        logical_id: which memory.
        revision: what changes; what is left out stays.
        expected: the id of the revision the person saw; another one in force is refused as `stale-revision`.
        session_id: the session the person is in; a paused one is refused.
        again: take words that were forgotten before.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    now = instruments.clock.now()
    wish = _Wish(logical_id, revision, expected, session_id, again)

    def attempt(person: Person) -> Written | AskUser | Refused:
        person.ensure_slots(1)

        def work(tx: Transaction) -> tuple[Written | AskUser | Refused, Snapshot]:
            snapshot = person.read(tx)
            composer = Composer(instruments, caller, person, snapshot, now)
            prior = _prior(instruments, person, snapshot, logical_id)
            if prior is None:
                return _of_the_session(), snapshot
            made = _judged(composer, prior, wish, instruments.ids.entry_id(now), now)
            if isinstance(made, Refused):
                _tell(tx, person, now, refused=made)
                return made, snapshot
            if _takes_a_slot(composer, prior, made):
                return _beside(person, tx, composer, snapshot, made, now)
            draft = Draft(Written(entry=made, replaced=prior.id), entry=made, is_new=True)
            seq = tx.bump(person.tenant, person.person)
            sealed = composer.seal(draft, seq=seq)
            tx.supersede(person.tenant, person.person, [(logical_id, prior.revision, made.id)])
            tx.add_entries(person.tenant, person.person, [sealed])
            followed = follow(instruments, person, tx, snapshot, composer, [made], seq=seq, now=now)
            _tell(tx, person, now, entry=made, commitment=draft.commitment)
            return Written(entry=made, replaced=prior.id), snapshot.after_writing(
                packed_rows([draft, *followed]), version=seq
            )

        outcome, snapshot = instruments.store.write(work, durable=True)
        person.publish(snapshot)
        announce_writes(instruments, caller, person, [outcome])
        return outcome

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def preview(
    instruments: Instruments,
    caller: Caller,
    logical_id: str,
    revision: Revision,
    *,
    expected: str | None = None,
    session_id: str | None = None,
    again: bool = False,
) -> Written | AskUser | Refused:
    """Return what `revise` would say now, under ids that are not kept; change nothing.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    now = instruments.clock.now()
    wish = _Wish(logical_id, revision, expected, session_id, again)

    def attempt(person: Person) -> Written | AskUser | Refused:
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
        composer = Composer(instruments, caller, person, snapshot, now)
        prior = _prior(instruments, person, snapshot, logical_id)
        if prior is None:
            return _of_the_session()
        made = _judged(composer, prior, wish, instruments.ids.entry_id(now), now)
        if isinstance(made, Refused):
            return made
        outcome = (
            composer.put_beside(made).outcome
            if _takes_a_slot(composer, prior, made)
            else Written(entry=made, replaced=prior.id)
        )
        assert isinstance(outcome, (Written, AskUser, Refused))
        shown = [outcome.conflicting_id] if isinstance(outcome, AskUser) else []
        note_read(instruments, person, [prior.id, *shown])  # what a correction leaves out is shown as it stands
        return outcome

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def _prior(instruments: Instruments, person: Person, snapshot: Snapshot, logical_id: str) -> MemoryEntry | None:
    """Return the revision in force; None where the memory lives in its session alone.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    row = snapshot.columns.row_of.get(logical_id)
    if row is not None:
        return snapshot.columns.entry(row)
    if instruments.people.sessions.find(person, logical_id) is not None:
        return None
    raise unknown()


def _judged(composer: Composer, prior: MemoryEntry, wish: _Wish, entry_id: str, now: datetime) -> MemoryEntry | Refused:
    """Return the next revision, or why there is none."""
    made = _refused(prior, wish.expected) or _next(
        composer, prior, wish.revision, entry_id, now, session_id=wish.session_id
    )
    if isinstance(made, Refused):
        return made
    has_new_words = made.body != prior.body and not wish.again
    return (
        composer.admit_entry(made, session_id=wish.session_id)
        or _above_ceiling(made)
        or (composer.refuse_forgotten(made.body) if has_new_words else None)
        or _looks_sensitive(prior, made, wish.revision)
        or made
    )


def _nobody() -> NoReturn:
    raise unknown()


def _looks_sensitive(prior: MemoryEntry, made: MemoryEntry, revision: Revision) -> Refused | None:
    """Return why corrected words may not stand under a harmless category; None where the person named one for them."""
    if revision.category is not None or made.body == prior.body:
        return None
    looks_like = doubts_revision(made.category, screen(made.body), before=screen(prior.body))
    if not looks_like:
        return None
    return Refused(
        reason=RefusalReason.LOOKS_SENSITIVE,
        rule="words that look sensitive are corrected together with their category",
        needs=tuple(category_consent(category) for category in looks_like),
    )


def _takes_a_slot(composer: Composer, prior: MemoryEntry, made: MemoryEntry) -> bool:
    """Say whether a revision would take the slot of another memory that the ladder does not give it."""
    if made.lifecycle is not Lifecycle.ACTIVE or made.quarantine is not None:
        return False
    if (made.body, made.subject, made.category) == (prior.body, prior.subject, prior.category):
        return False
    met = composer.clash(made)
    return met is not None and met.outcome is not ConflictOutcome.REPLACE


def _beside(
    person: Person, tx: Transaction, composer: Composer, snapshot: Snapshot, made: MemoryEntry, now: datetime
) -> tuple[Written | AskUser | Refused, Snapshot]:
    draft = composer.put_beside(made)
    written = [draft] if draft.is_new else []
    seq = tx.bump(person.tenant, person.person) if written else snapshot.state.version
    store_drafts(person, tx, composer, written, seq=seq)
    tell(person, tx, [draft], written, now=now)
    assert isinstance(draft.outcome, (Written, AskUser, Refused))
    return draft.outcome, snapshot.after_writing(packed_rows(written), version=seq)


def _of_the_session() -> Refused:
    return Refused(
        reason=RefusalReason.SCOPE_EPHEMERAL,
        rule="what lives in its session alone is not corrected; forget it and say it again",
        needs=(ConsentType.DATA_STORAGE.value,),
    )


def _refused(prior: MemoryEntry, expected: str | None) -> Refused | None:
    if is_read_only_copy(prior):
        return Refused(reason=RefusalReason.READ_ONLY_COPY, rule="a read-only copy is corrected at its source")
    if expected is not None and expected != prior.id:
        return Refused(reason=RefusalReason.STALE_REVISION, rule="a correction names the revision that was seen")
    if prior.lifecycle not in {Lifecycle.ACTIVE, Lifecycle.PAUSED}:
        return Refused(reason=RefusalReason.NOT_ACTIVE, rule="only an active or paused memory is corrected")
    return None


def _next(
    composer: Composer, prior: MemoryEntry, revision: Revision, entry_id: str, now: datetime, *, session_id: str | None
) -> MemoryEntry | Refused:
    words = cleaned_words(body=revision.body or prior.body, subject=revision.subject)
    if isinstance(words, Refused):
        return words
    ends = _end(prior, revision.expires_at)
    if ends is not None and ends <= now:
        return already_expired()
    category = revision.category or prior.category
    own: dict[str, Any] = {}
    if revision.body is not None:
        source = ProvenanceLink(
            kind=ProvenanceKind.SESSION_TURN, ref=session_id or "direct", captured_at=now, label=Label.USER_TYPED
        )
        own = {
            "body": words.body,
            "origin": Origin.USER_STATED,
            "label": Label.USER_TYPED,
            "provenance_chain": (source, *prior.provenance_chain)[:PROVENANCE_MOST],
        }
    return successor(
        prior,
        entry_id=entry_id,
        now=now,
        lifecycle=prior.lifecycle,
        category=category,
        subject=words.subject if revision.subject is not None else prior.subject,
        consents=prior.consents if category is prior.category else composer.consent_entries(category),
        expires_at=ends,
        **own,
    )


def _end(prior: MemoryEntry, asked: datetime | None) -> datetime | None:
    """Return when the revision ends: as asked, but never after the envelope that began with the first revision."""
    if asked is None:
        return prior.expires_at
    return retention.later_end(prior, prior.adapter_scope, asked=asked) or retention.expiry(
        prior.adapter_scope, prior.origin, created_at=prior.created_at, asked=asked
    )


def _above_ceiling(entry: MemoryEntry) -> Refused | None:
    """Return why a label may not carry the category it is moved to: words of others set no identity (POI-3)."""
    reason = integrity.above_ceiling(entry.label, entry.origin, entry.category)
    if reason is None:
        return None
    return Refused(reason=reason, rule=f"what is labelled {entry.label.value} may not claim this")


def _tell(
    tx: Transaction,
    person: Person,
    now: datetime,
    *,
    entry: MemoryEntry | None = None,
    commitment: str = "",
    refused: Refused | None = None,
) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.MEMORY_REFUSED if refused else AuditAction.MEMORY_REVISED,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        severity=Severity.WARNING if refused else Severity.INFO,
        facts={
            "object_ids": [entry.id] if entry else [],
            "replaced": [entry.supersedes or ""] if entry else [],
            "commitments": [commitment] if commitment else [],
            "refused": {refused.reason.value: 1} if refused else {},
        },
    )
