"""Inspect: asked for by one operator, granted by others or not at all, and over by itself.

Every step runs in one transaction with its event. At the grant the exact set is frozen; nothing else is ever read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pydantic import ValidationError

from iris_memory.contracts.inspection import (
    AlarmKind,
    BreakGlassReview,
    CloseReason,
    IncidentReference,
    Inspection,
    InspectionApproval,
    InspectionDenial,
    InspectionGrant,
    InspectionPath,
    InspectionReason,
    InspectionRefusal,
    InspectionRefused,
    InspectionState,
    InspectionStep,
    InspectionTarget,
)
from iris_memory.contracts.rights import RightsState
from iris_memory.contracts.shape import refuse_invalid, to_micros
from iris_memory.errors import ContractError, KeyDestroyedError
from iris_memory.flows.freezing import Reached, frozen, is_safety_critical_target, is_sensitive_target, reach
from iris_memory.flows.incident_keys import vouching_key
from iris_memory.flows.inspection_records import (
    Inspector,
    Rules,
    Told,
    keep_moved,
    keep_snapshot,
    keep_told,
    load,
    load_all,
    load_rules,
    nobody,
    raise_alarm,
    refuse,
    settled,
    target_person,
    tell_refused,
)
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.people import Snapshot as Known
from iris_memory.flows.rights_records import load as load_request
from iris_memory.gates.inspection import (
    STILL_MISSING,
    Approver,
    InspectionAsk,
    is_independent,
    is_same_actor,
    verdict,
)
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.inspection import SYSTEM, is_review_overdue, lapsed, transition
from iris_memory.tables.inspectors import (
    ANSWER_WITHIN,
    GRANT_MINUTES,
    GRANT_MINUTES_MOST,
    INSPECTORS,
    REVIEW_WITHIN,
    WAITING,
)

D, R, S = InspectionDenial, InspectionRefusal, InspectionState
Outcome = Inspection | InspectionRefused

_RULES: Final = {
    D.SELF_APPROVAL: "somebody else approves, out of another reporting line",
    D.ROLE_NOT_PERMITTED: "the role does not open this",
    D.GRANT_EXPIRED: "the grant is over",
    D.CONSENT_NOT_CURRENT: "the person's consents changed since",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What an operator asks for, beside whom it is about."""

    path: InspectionPath
    reason: InspectionReason
    reference: str
    target: InspectionTarget
    consent_snapshot_id: str | None = None
    incident: IncidentReference | None = None
    break_glass: bool = False
    grant_minutes: int = GRANT_MINUTES


def consent_snapshot(instruments: Instruments, by: Inspector, user: str) -> str | None:
    """Return the head of a person's consent chain, which a request for sensitive memory must name; None for none.

    Raises:
        UnknownMemoryError: nothing is known of the person.
    """
    person = instruments.people.find(by.tenant, user)
    if person is None:
        nobody()
    try:
        with instruments.store.read() as reading:
            return consent_head(person.read(reading))
    except KeyDestroyedError:
        nobody()


def request(instruments: Instruments, by: Inspector, user: str, wish: Wish) -> Outcome:
    """Ask to look at a person's memory. It waits for somebody else, unless it is a break-glass that the gate lets by.

    Raises:
        UnknownMemoryError: nothing is known of the person; another tenant's looks the same.
        ContractError: the grant would be longer than the ceiling.
    """
    if not 1 <= wish.grant_minutes <= GRANT_MINUTES_MOST:
        raise ContractError(f"a grant lasts 1 to {GRANT_MINUTES_MOST} minutes")
    now = instruments.clock.now()
    person = instruments.people.find(by.tenant, user)
    if person is None:
        nobody()

    def work(tx: Transaction) -> Outcome:
        rules = load_rules(instruments, tx, by.tenant)
        if rules.kill_switch.on:
            return refuse(R.KILL_SWITCH_ON, "inspection is stopped for the tenant")
        known = person.read(tx)
        is_sensitive = is_sensitive_target(wish.target, known.columns)
        asked = _requested(instruments, by, person, wish, is_sensitive=is_sensitive, now=now)
        told = Told(inspection_id=asked.inspection_id, user_id=user, target=wish.target, incident=wish.incident)
        keep_told(instruments, tx, by.tenant, person.person, told, now)
        entered = transition(asked, S(wish.path), actor=by.actor, at=now, role=by.role)
        keep_moved(instruments, tx, None, entered, scope_tag=_scope_tag(person, wish.target))
        if not wish.break_glass:
            return entered
        return _decide(instruments, tx, entered, by, rules, person, user, known, now=now)

    try:
        return instruments.store.write(work, durable=True)
    except KeyDestroyedError:
        nobody()


def approve(instruments: Instruments, by: Inspector, inspection_id: str) -> Outcome:
    """Say yes to somebody else's request. With the last word that was needed, the gate decides and the set is frozen.

    Raises:
        UnknownMemoryError: the tenant has no such inspection.
    """
    now = instruments.clock.now()
    inspection = _show(instruments, by.tenant, inspection_id)
    found = target_person(instruments, inspection)

    def work(tx: Transaction) -> Outcome:
        known = settled(instruments, tx, load(instruments, tx, by.tenant, inspection_id), now=now)
        rules = load_rules(instruments, tx, by.tenant)
        refusal = _why_not_approved(known, by, rules)
        if refusal is not None:
            return tell_refused(tx, known, by, refusal, step="approve", now=now)
        if found is None or known.target is None or tx.state(by.tenant, known.person).version == ERASED:
            return _moved(instruments, tx, known, S.DENIED, by, D.CONSENT_NOT_CURRENT, now)
        if not any(is_same_actor(by.actor, approval.actor) for approval in known.approvals):
            said = InspectionApproval(actor=by.actor, role=by.role, at=now)
            known = known.model_copy(update={"approvals": (*known.approvals, said)})
        person, user = found
        return _decide(instruments, tx, known, by, rules, person, user, person.read(tx), now=now)

    try:
        return instruments.store.write(work, durable=True)
    except KeyDestroyedError:
        return refuse(R.SUBJECT_ERASED, "the person is being erased")


def deny(instruments: Instruments, by: Inspector, inspection_id: str) -> Outcome:
    """Say no to a request, or take one's own back. It is over."""
    now = instruments.clock.now()

    def step(tx: Transaction, known: Inspection) -> Outcome:
        if known.state not in WAITING:
            return refuse(R.NOT_WAITING, "the request does not wait for an answer")
        if by.actor != known.requester and not INSPECTORS[by.role].approves:
            return refuse(D.ROLE_NOT_PERMITTED, _RULES[D.ROLE_NOT_PERMITTED])
        return _moved(instruments, tx, known, S.DENIED, by, D.NO_LEGITIMATE_INTEREST, now)

    return change(instruments, by, inspection_id, step, name="deny", now=now)


def close(instruments: Instruments, by: Inspector, inspection_id: str) -> Outcome:
    """End a grant: the one who has it is done, or anybody who approves stops it."""
    now = instruments.clock.now()

    def step(tx: Transaction, known: Inspection) -> Outcome:
        if known.state is not S.GRANTED:
            return refuse(R.NOT_GRANTED, "there is no grant to end")
        if by.actor == known.requester:
            return _moved(instruments, tx, known, S.CLOSED, by, CloseReason.FINISHED, now)
        if not INSPECTORS[by.role].approves:
            return refuse(D.ROLE_NOT_PERMITTED, _RULES[D.ROLE_NOT_PERMITTED])
        return _moved(instruments, tx, known, S.CLOSED, by, CloseReason.KILLED, now)

    return change(instruments, by, inspection_id, step, name="close", now=now)


def show(instruments: Instruments, tenant: str, inspection_id: str) -> Inspection:
    """Return an inspection as it stands now; a grant whose time is over is closed by this.

    Raises:
        UnknownMemoryError: the tenant has none of this id.
    """
    found = _show(instruments, tenant, inspection_id)
    if lapsed(found, now=instruments.clock.now()) is found:
        return found
    lapse(instruments, tenant)
    return _show(instruments, tenant, inspection_id)


def inspections(instruments: Instruments, tenant: str) -> list[Inspection]:
    """Return every inspection of a tenant as it stands now, oldest first."""
    lapse(instruments, tenant)
    with instruments.store.read() as reading:
        return load_all(instruments, reading, tenant)


def lapse(instruments: Instruments, tenant: str | None = None) -> int:
    """Close grants that are over, deny what nobody answered, tell of overdue reviews; return how many there were."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        due = [
            (of, row.key)
            for of, _, row in reading.records_everywhere(RecordKind.INSPECTION)
            if (tenant is None or of == tenant) and row.expires_at is not None and row.expires_at <= to_micros(now)
        ]

    def work(tx: Transaction) -> int:
        for of, key in due:
            known = settled(instruments, tx, load(instruments, tx, of, key), now=now)
            review = known.review
            if review is not None and not review.told_overdue and is_review_overdue(known, now=now):
                told = known.model_copy(update={"review": review.model_copy(update={"told_overdue": True})})
                by = Inspector(of, SYSTEM, known.requester_role)
                raise_alarm(instruments, tx, told, by, AlarmKind.REVIEW_OVERDUE, now=now)
                keep_moved(instruments, tx, known, told)
        return len(due)

    return instruments.store.write(work, durable=True) if due else 0


def change(
    instruments: Instruments,
    by: Inspector,
    inspection_id: str,
    step: Callable[[Transaction, Inspection], Outcome],
    *,
    name: str,
    now: datetime,
) -> Outcome:
    """Take one step of an inspection as it stands now; a refusal is told as well."""

    def work(tx: Transaction) -> Outcome:
        known = settled(instruments, tx, load(instruments, tx, by.tenant, inspection_id), now=now)
        done = step(tx, known)
        if isinstance(done, InspectionRefused):
            return tell_refused(tx, known, by, done, step=name, now=now)
        return done

    return instruments.store.write(work, durable=True)


def consent_head(known: Known) -> str | None:
    """Return the head of a person's consent chain; None where there is none, or a decision is missing."""
    return known.events[-1].fingerprint if known.events and known.is_whole else None


def _decide(
    instruments: Instruments,
    tx: Transaction,
    inspection: Inspection,
    by: Inspector,
    rules: Rules,
    person: Person,
    user: str,
    known: Known,
    *,
    now: datetime,
) -> Outcome:
    """Ask the gate; freeze and grant, deny for good, or keep waiting for somebody's word."""
    target = inspection.target
    assert target is not None
    reached = reach(
        target,
        known,
        tenant=inspection.tenant_id,
        user=user,
        path=inspection.path,
        is_sensitive_asked=inspection.is_sensitive,
        now=now,
    )
    ask = _ask(instruments, tx, inspection, target, by.tenant, rules, person, user, known, reached, now=now)
    reason = verdict(ask)
    if reason in STILL_MISSING:
        keep_moved(instruments, tx, inspection, inspection)
        return inspection
    if reason is not None:
        return _moved(instruments, tx, inspection, S.DENIED, by, reason, now)
    grant = InspectionGrant(
        granted_at=now,
        expires_at=now + timedelta(minutes=inspection.grant_minutes),
        entries=len(reached.rows),
        withheld=reached.withheld,
        consent_snapshot_id=ask.consent_head,
    )
    granted = transition(inspection, S.GRANTED, actor=by.actor, at=now, role=by.role)
    changes: dict[str, object] = {"grant": grant}
    if inspection.break_glass:
        changes["review"] = BreakGlassReview(due_at=now + REVIEW_WITHIN)
    granted = granted.model_copy(update=changes)
    entries = frozen(person, granted, known.columns, reached.rows)
    keep_snapshot(instruments, tx, granted, entries)
    tag = _scope_tag(person, target)
    keep_moved(
        instruments, tx, inspection, granted, entry_ids=tuple(entry.entry_id for entry in entries), scope_tag=tag
    )
    if inspection.break_glass:
        raise_alarm(instruments, tx, granted, by, AlarmKind.BREAK_GLASS, now=now)
    return granted


def _ask(
    instruments: Instruments,
    tx: Transaction,
    inspection: Inspection,
    target: InspectionTarget,
    operator_tenant: str,
    rules: Rules,
    person: Person,
    user: str,
    known: Known,
    reached: Reached,
    *,
    now: datetime,
) -> InspectionAsk:
    tenant = inspection.tenant_id
    targets = frozenset({user, person.person})
    key = vouching_key(instruments, tx, inspection.incident, tenant=tenant, targets=targets, now=now)
    asker, owner = inspection.requester, key.registered_by if key is not None else None
    # a key of one's own, or of one's own line, would let one person sign the incident they look at
    is_vouched = owner is not None and not is_same_actor(asker, owner) and not rules.share_a_line(asker, owner)
    asked_for = load_request(person, tx, inspection.reference)
    approvers = tuple(
        Approver(approval.actor, approval.role, rules.line_of(approval.actor)) for approval in inspection.approvals
    )
    return InspectionAsk(
        operator_tenant=operator_tenant,
        target_tenant=person.tenant,
        target_user=user,
        scope=target.scope,
        path=inspection.path,
        reason=inspection.reason,
        requester=inspection.requester,
        role=inspection.requester_role,
        line=rules.line_of(inspection.requester),
        is_sensitive=inspection.is_sensitive or is_sensitive_target(target, known.columns),
        is_safety_critical=is_safety_critical_target(target, known.columns),
        break_glass=inspection.break_glass,
        incident_verified=is_vouched,
        request_open=asked_for is not None and asked_for.state is RightsState.IN_PROGRESS,
        consent_snapshot_id=inspection.consent_snapshot_id,
        consent_head=consent_head(known),
        matched=len(reached.rows),
        most=target.most,
        approvers=approvers,
        now=now,
        answer_by=inspection.answer_by,
    )


def _why_not_approved(known: Inspection, by: Inspector, rules: Rules) -> InspectionRefused | None:
    if rules.kill_switch.on:
        return refuse(R.KILL_SWITCH_ON, "inspection is stopped for the tenant")
    if known.state not in WAITING:
        return refuse(R.NOT_WAITING, "the request does not wait for an answer")
    if not INSPECTORS[by.role].approves:
        return refuse(D.ROLE_NOT_PERMITTED, _RULES[D.ROLE_NOT_PERMITTED])
    approver = Approver(by.actor, by.role, rules.line_of(by.actor))
    if not is_independent(approver, requester=known.requester, line=rules.line_of(known.requester)):
        return refuse(D.SELF_APPROVAL, _RULES[D.SELF_APPROVAL])
    return None


def _moved(
    instruments: Instruments,
    tx: Transaction,
    known: Inspection,
    to: InspectionState,
    by: Inspector,
    reason: InspectionDenial | CloseReason,
    now: datetime,
) -> Inspection:
    after = transition(known, to, actor=by.actor, at=now, role=by.role, reason=reason)
    keep_moved(instruments, tx, known, after)
    return after


def _requested(
    instruments: Instruments, by: Inspector, person: Person, wish: Wish, *, is_sensitive: bool, now: datetime
) -> Inspection:
    try:
        return Inspection(
            inspection_id=instruments.ids.entry_id(now),
            tenant_id=by.tenant,
            person=person.person,
            path=wish.path,
            reason=wish.reason,
            reference=wish.reference,
            target=wish.target,
            is_sensitive=is_sensitive,
            break_glass=wish.break_glass,
            incident=wish.incident,
            consent_snapshot_id=wish.consent_snapshot_id,
            requester=by.actor,
            requester_role=by.role,
            requested_at=now,
            answer_by=now + ANSWER_WITHIN,
            grant_minutes=wish.grant_minutes,
            state=S.REQUESTED,
            trail=(InspectionStep(at=now, state=S.REQUESTED, actor=by.actor, role=by.role),),
        )
    except ValidationError as problem:
        refuse_invalid(problem, what="inspection")


def _scope_tag(person: Person, target: InspectionTarget) -> str:
    return person.scope_tag(target.scope) if target.scope is not None else ""


def _show(instruments: Instruments, tenant: str, inspection_id: str) -> Inspection:
    with instruments.store.read() as reading:
        return load(instruments, reading, tenant, inspection_id)
