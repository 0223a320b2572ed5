"""Promote: a memory of a session becomes one of the profile, when the person asks or when it recurs often enough.

Whether it may is decided here; the move itself is a change of scope like any other (`flows.change_scope`): the next
revision under the same label (POI-1), with the consents of the profile, met there by the ladder.
"""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction, Severity
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, Lifecycle, MemoryEntry
from iris_memory.contracts.inference import Promoted, PromoteOutcome, PromotionReason
from iris_memory.contracts.scope import ProfileScope, ScopeKind, SessionScope
from iris_memory.contracts.write import Refused, Written
from iris_memory.flows.change_scope import ScopeWish, change_scope
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.observe import multi_actor_handle, observation_tag, observed, session_tag
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import shown_to, unknown
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.packing import fold, wording
from iris_memory.rules.promotion import evaluate_session_profile_promotion
from iris_memory.tables.labels import LABELS


def promote(
    instruments: Instruments,
    caller: Caller,
    logical_id: str,
    *,
    explicit: bool,
    requested: bool = True,
    session_id: str | None = None,
) -> PromoteOutcome:
    """Promote a memory of a session to the profile, or say why not.

    Args:
        instruments: the engines.
        caller: whose memory it is.
        logical_id: which memory.
        explicit: the person asked for it.
        requested: somebody asked for it at all; a sweep that looks for what recurs says no.
        session_id: the session the person is in; a paused one is refused.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> Refused | tuple[PromotionReason, str]:
        def work(tx: Transaction) -> Refused | tuple[PromotionReason, str]:
            snapshot = person.read(tx)
            row = snapshot.columns.row_of.get(logical_id)
            if row is None or not shown_to(caller, snapshot, now)(snapshot.columns.entry(row)):
                raise unknown()
            entry = snapshot.columns.entry(row)
            refused = _not_promotable(entry)
            if refused is None:
                count = occurrences(person, tx, snapshot, entry, now)
                decided = evaluate_session_profile_promotion(requested=requested, explicit=explicit, occurrences=count)
                _tell(tx, person, entry, now, reason=decided.reason.value, allowed=decided.allowed)
                if decided.allowed:
                    return decided.reason, entry.id
                return Refused(reason=RefusalReason.PROMOTION_REFUSED, rule=decided.reason.value)
            _tell(tx, person, entry, now, reason=refused.reason.value, allowed=False)
            return refused

        return instruments.store.write(work, durable=True)

    decided = with_known_person(instruments, caller, attempt, nobody=_nobody)
    if isinstance(decided, Refused):
        return decided
    reason, seen = decided
    wish = ScopeWish(logical_id, ProfileScope(user_id=caller.user), expected=seen, session_id=session_id)
    moved = change_scope(instruments, caller, wish)
    return Promoted(reason=reason, entry=moved.entry, replaced=moved.replaced) if isinstance(moved, Written) else moved


def occurrences(person: Person, tx: Transaction, snapshot: Snapshot, entry: MemoryEntry, now: datetime) -> int:
    """Count the distinct sessions of user-typed text that say what a memory says: memories and observations."""
    wanted = fold(entry.body)
    sessions = set()
    columns = snapshot.columns
    for row in columns.rows():
        if fold(wording(columns.packs[row])[0]) != wanted:
            continue
        other = columns.entry(row)
        if (
            isinstance(other.scope, SessionScope)
            and other.lifecycle is Lifecycle.ACTIVE
            and other.quarantine is None
            and other.category is entry.category
            and (other.expires_at is None or other.expires_at > now)
            and (other.label is Label.USER_TYPED or _all_typed(other))
        ):
            sessions.add(session_tag(person, other.scope.session_id))
    for kind in (ScopeKind.SESSION, ScopeKind.PROFILE):
        key = observation_tag(
            person,
            kind=kind.value,
            category=entry.category,
            handle=multi_actor_handle(entry.multi_actor),
            subject=entry.subject,
            body=entry.body,
        )
        noted = observed(person, tx, key, now)
        sessions |= {ref.session for ref in noted.refs if ref.label is Label.USER_TYPED} if noted is not None else set()
    return len(sessions)


def _all_typed(entry: MemoryEntry) -> bool:
    return LABELS[entry.label].trust >= LABELS[Label.ASSISTANT].trust and all(
        link.label is Label.USER_TYPED for link in entry.provenance_chain
    )


def _not_promotable(entry: MemoryEntry) -> Refused | None:
    if not isinstance(entry.scope, SessionScope):
        return Refused(reason=RefusalReason.PROMOTION_REFUSED, rule="a memory of a session is promoted, and no other")
    if entry.lifecycle is not Lifecycle.ACTIVE or entry.quarantine is not None:
        return Refused(reason=RefusalReason.NOT_ACTIVE, rule="only an active memory is promoted")
    return None


def _tell(tx: Transaction, person: Person, entry: MemoryEntry, now: datetime, *, reason: str, allowed: bool) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.PROMOTION_DECIDED,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        severity=Severity.INFO if allowed else Severity.WARNING,
        facts={"object_ids": [entry.id], "promotion": reason, "allowed": allowed},
    )


def _nobody() -> NoReturn:
    raise unknown()
