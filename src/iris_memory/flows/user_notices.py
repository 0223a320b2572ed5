"""User notices: who must be told that an operator looked at sensitive memory of theirs, and the outbox that tells them.

The notice is queued in the transaction of the first read and drops out of the outbox only when a delivery was noted.
Whatever dies in between, it is delivered again under the same id: at least once, never not at all (AUT-9). A carve-out
delays it, and every carve-out ends.
"""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.inspection import (
    AccessLogEntry,
    AlarmKind,
    CarveOut,
    CarveOutGround,
    Inspection,
    InspectionDenial,
    InspectionRefusal,
    InspectionRefused,
    OperatorAlarm,
    OperatorRole,
    UserNotice,
)
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows.announcing import announce_notice
from iris_memory.flows.held import open_row
from iris_memory.flows.inspect import Outcome, change
from iris_memory.flows.inspection_records import (
    Inspector,
    Told,
    keep,
    keep_alarm,
    keep_told,
    load,
    load_alarms,
    load_all,
    load_told,
    looks,
    refuse,
    tell,
)
from iris_memory.flows.instruments import Caller, Deliver, Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.retrying import with_known_person
from iris_memory.gates.inspection import is_same_actor
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.inspection import fits_carve_out, held_until, notice_due

_CARVERS = frozenset({OperatorRole.LEGAL, OperatorRole.TRUST_AND_SAFETY})


def pending_user_notices(instruments: Instruments, tenant: str) -> list[UserNotice]:
    """Return what people of a tenant are still to be told, due first; `held_until` where a carve-out delays it."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        found = [
            _notice(inspection, told, now)
            for inspection in load_all(instruments, reading, tenant)
            if (told := load_told(instruments, reading, inspection)) is not None and _is_pending(told)
        ]
    return sorted(found, key=lambda notice: (notice.due_at, notice.notice_id))


def pending_alarms(instruments: Instruments, tenant: str) -> list[OperatorAlarm]:
    """Return what operators of a tenant are still to be told, oldest first."""
    with instruments.store.read() as reading:
        return [alarm for alarm in load_alarms(instruments, reading, tenant) if alarm.delivered_at is None]


def alarms_for(instruments: Instruments, by: Inspector, *, since: datetime | None = None) -> list[OperatorAlarm]:
    """Return the alarms raised since an instant that an operator is told of, newest first, delivered or not.

    An alarm goes to those who approve, and one of a canary not to whoever touched it: readers are not told.
    """
    with instruments.store.read() as reading:
        known = load_alarms(instruments, reading, by.tenant)
    return [alarm for alarm in reversed(known) if _is_told(by, alarm) and (since is None or alarm.at >= since)]


def _is_told(by: Inspector, alarm: OperatorAlarm) -> bool:
    touched_it = alarm.kind is AlarmKind.CANARY_TOUCHED and is_same_actor(by.actor, alarm.actor)
    return by.role in alarm.to_roles and not touched_it


def given_user_notices(instruments: Instruments, tenant: str, *, since: datetime) -> list[UserNotice]:
    """Return what people of a tenant were told since an instant, the last told first."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        found = [
            _notice(inspection, told, now)
            for inspection in load_all(instruments, reading, tenant)
            if (told := load_told(instruments, reading, inspection)) is not None
            and told.queued_at is not None
            and told.delivered_at is not None
            and told.delivered_at >= since
        ]
    return sorted(found, key=lambda notice: (notice.delivered_at or now, notice.notice_id), reverse=True)


def deliver_pending(instruments: Instruments, tenant: str, deliver: Deliver) -> int:
    """Deliver what waits: alarms first, then notices that no carve-out holds back; return how many arrived.

    A delivery that raises leaves its notice where it was, with the attempt counted, and the others go on.
    """
    arrived = 0
    for alarm in pending_alarms(instruments, tenant):
        if _arrives(deliver, alarm):
            _note_alarm(instruments, alarm)
            arrived += 1
    for notice in pending_user_notices(instruments, tenant):
        if notice.held_until is not None:
            continue
        has_arrived = _arrives(deliver, notice)
        _note_attempt(instruments, tenant, notice.notice_id, arrived=has_arrived)
        if has_arrived:
            arrived += 1
            caller = Caller(tenant, notice.user_id)
            announce_notice(instruments, caller, instruments.people.find(tenant, notice.user_id), notice.notice_id)
    return arrived


def deliver_due(instruments: Instruments) -> int:
    """Deliver what waits in every tenant through the deployment's channel; return how many arrived.

    With no channel a notice arrives in the person's own list and an alarm in that of the approvers. Either way the
    audit chain says so, from which the tenant's webhooks are sent it, at least once.
    """
    deliver = instruments.deliver or _in_the_list
    with instruments.store.read() as reading:
        waiting = {
            tenant
            for kind in (RecordKind.USER_NOTICE, RecordKind.INSPECTION_ALARM)
            for tenant, _, row in reading.records_everywhere(kind)
            if row.expires_at is not None
        }
    return sum(deliver_pending(instruments, tenant, deliver) for tenant in sorted(waiting))


def _in_the_list(what: UserNotice | OperatorAlarm) -> None:
    del what  # it lies there already; noting the delivery is what shows it


def delivered_notices(instruments: Instruments, caller: Caller) -> list[UserNotice]:
    """Return the notices a person was given, newest first: the list in which they find them."""
    now = instruments.clock.now()

    def attempt(person: Person) -> list[UserNotice]:
        with instruments.store.read() as reading:
            found = []
            for row in reading.records(person.tenant, person.person, RecordKind.USER_NOTICE):
                told = Told.model_validate_json(open_row(instruments, person.tenant, person.person, row))
                if told.queued_at is not None and told.delivered_at is not None:
                    found.append(_notice(load(instruments, reading, person.tenant, told.inspection_id), told, now))
        return sorted(found, key=lambda notice: (notice.first_read_at, notice.notice_id), reverse=True)

    return with_known_person(instruments, caller, attempt, nobody=list)


def carve_out(
    instruments: Instruments,
    by: Inspector,
    inspection_id: str,
    *,
    ground: CarveOutGround,
    reference: str,
    until: datetime,
) -> Outcome:
    """Have a person told later, for a lawful ground, until an instant at most 90 days after the first such wish.

    Legal or t&s may, and not the one who looks.
    """
    now = instruments.clock.now()

    def step(tx: Transaction, known: Inspection) -> Outcome:
        if by.role not in _CARVERS:
            return refuse(InspectionDenial.ROLE_NOT_PERMITTED, "legal or t&s delay a notice", *sorted(_CARVERS))
        if is_same_actor(by.actor, known.requester):
            return refuse(InspectionDenial.SELF_APPROVAL, "somebody else than the one who looks delays a notice")
        began = known.carve_out.placed_at if known.carve_out is not None else now
        wanted = CarveOut(ground=ground, reference=reference, placed_by=by.actor, placed_at=began, until=until)
        if not fits_carve_out(known.carve_out, wanted, now=now):
            return refuse(
                InspectionRefusal.CARVE_OUT_NOT_ALLOWED, "a carve-out ends, within 90 days of when the first began"
            )
        after = known.model_copy(update={"carve_out": wanted})
        keep(instruments, tx, after)
        facts = {
            "inspection": known.inspection_id,
            "state": "carved-out",
            "ground": ground.value,
            "actor": by.actor,
            "until": to_micros(until),
        }
        tell(tx, after, AuditAction.INSPECTION_NOTED, now, severity=Severity.WARNING, facts=facts)
        return after

    return change(instruments, by, inspection_id, step, name="carve-out", now=now)


def access_log(instruments: Instruments, caller: Caller) -> list[AccessLogEntry]:
    """Return every look at a person's memory, newest first; one that a carve-out delays appears when that ends."""
    now = instruments.clock.now()

    def attempt(person: Person) -> list[AccessLogEntry]:
        with instruments.store.read() as reading:
            told = list(looks(person, reading))
            named = {look.inspection_id for look in told}
            delayed = {name for name in named if _is_delayed(instruments, reading, person, name, now)}
        entries = [
            AccessLogEntry(**{name: getattr(look, name) for name in AccessLogEntry.model_fields})
            for look in told
            if look.inspection_id not in delayed
        ]
        return entries[::-1]

    return with_known_person(instruments, caller, attempt, nobody=list)


def _is_delayed(instruments: Instruments, reading: Reading, person: Person, inspection_id: str, now: datetime) -> bool:
    try:
        inspection = load(instruments, reading, person.tenant, inspection_id)
    except UnknownMemoryError:
        return False  # what cannot be justified any more is shown
    return held_until(inspection, now=now) is not None


def _is_pending(told: Told) -> bool:
    return told.queued_at is not None and told.delivered_at is None


def _notice(inspection: Inspection, told: Told, now: datetime) -> UserNotice:
    assert told.queued_at is not None
    due = notice_due(inspection, told.queued_at)
    return UserNotice(
        notice_id=inspection.inspection_id,
        tenant_id=inspection.tenant_id,
        user_id=told.user_id,
        role=inspection.requester_role,
        path=inspection.path,
        reason=inspection.reason,
        first_read_at=told.queued_at,
        due_at=due,
        held_until=held_until(inspection, now=now),
        overdue=told.delivered_at is None and now >= due,
        attempts=told.attempts,
        delivered_at=told.delivered_at,
    )


def _arrives(deliver: Deliver, what: UserNotice | OperatorAlarm) -> bool:
    try:
        deliver(what)
    except Exception:
        return False
    return True


def _note_alarm(instruments: Instruments, alarm: OperatorAlarm) -> None:
    now = instruments.clock.now()
    done = alarm.model_copy(update={"delivered_at": now})
    instruments.store.write(lambda tx: keep_alarm(instruments, tx, done), durable=True)


def _note_attempt(instruments: Instruments, tenant: str, inspection_id: str, *, arrived: bool) -> None:
    now = instruments.clock.now()

    def work(tx: Transaction) -> None:
        inspection = load(instruments, tx, tenant, inspection_id)
        told = load_told(instruments, tx, inspection)
        if told is None or not _is_pending(told):
            return
        changes: dict[str, object] = {"attempts": told.attempts + 1}
        if arrived:
            changes["delivered_at"] = now
            facts = {"inspection": inspection_id, "state": "delivered"}
            tell(tx, inspection, AuditAction.INSPECTION_NOTED, now, facts=facts)
        keep_told(instruments, tx, tenant, inspection.person, told.model_copy(update=changes), now)

    instruments.store.write(work, durable=True)


__all__ = [
    "Deliver",
    "InspectionRefused",
    "access_log",
    "alarms_for",
    "carve_out",
    "deliver_due",
    "deliver_pending",
    "delivered_notices",
    "given_user_notices",
    "pending_alarms",
    "pending_user_notices",
]
