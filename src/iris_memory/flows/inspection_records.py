"""Records of inspections: the tenant's side, which names nobody, and the person's side, which goes when they go.

The inspection and its frozen set are the tenant's, under pseudonyms: ids and commitments keyed by the person. Who is to
be told, and each read, lie with the person's rows: their erasure takes them, and makes the commitments say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, NoReturn

from pydantic import Field

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import INSPECTION_POLICY, AuditAction, Severity
from iris_memory.contracts.inspection import (
    AlarmKind,
    FrozenEntry,
    IncidentReference,
    Inspection,
    InspectionDenial,
    InspectionPath,
    InspectionReason,
    InspectionRefusal,
    InspectionRefused,
    InspectionTarget,
    KillSwitch,
    OperatorAlarm,
    OperatorRole,
)
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, trusted
from iris_memory.errors import StoreCorruptError, UnknownMemoryError
from iris_memory.flows.held import open_row, sealed_row
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT, Person
from iris_memory.gates.inspection import is_same_actor
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.inspection import lapsed, next_due
from iris_memory.tables.inspectors import APPROVERS, PAGE_MOST

_RULES: Final = "rules"


@dataclass(frozen=True, slots=True)
class Inspector:
    """The operator who asks, as their verified credential names them, in one of their roles."""

    tenant: str
    actor: str
    role: OperatorRole


class Snapshot(Contract):
    """A part of the frozen set of a grant, in the order in which it is read."""

    entries: Annotated[tuple[FrozenEntry, ...], Field(strict=False)]


class Told(Contract):
    """Whom an inspection is about, by the name a notice is addressed to, at what, and how far the notice has come."""

    inspection_id: Identifier
    user_id: Identifier
    target: InspectionTarget
    incident: IncidentReference | None = None
    queued_at: Instant | None = None
    delivered_at: Instant | None = None
    attempts: Count = 0


class Look(Contract):
    """One read: who in which role, why, when, which revisions."""

    read_id: Identifier
    inspection_id: Identifier
    at: Instant
    role: OperatorRole
    path: InspectionPath
    reason: InspectionReason
    break_glass: bool
    replayed: bool
    logical_ids: Annotated[tuple[Identifier, ...], Field(strict=False)]
    entry_ids: Annotated[tuple[Identifier, ...], Field(strict=False)]


class Rules(Contract):
    """What a tenant set for inspection. `lines` names the reporting line of operators, where it is known."""

    kill_switch: KillSwitch = KillSwitch()
    lines: dict[Identifier, Identifier] = Field(default_factory=dict)
    canaries: Annotated[tuple[Identifier, ...], Field(strict=False)] = ()

    def line_of(self, actor: str) -> str | None:
        """Return the reporting line of an operator, however their name is spelt; None where it is not known."""
        found = self.lines.get(actor)
        if found is not None:
            return found
        return next((line for name, line in self.lines.items() if is_same_actor(name, actor)), None)

    def share_a_line(self, one: str, other: str) -> bool:
        """Say whether two operators are known to report along one line."""
        line = self.line_of(one)
        return line is not None and line == self.line_of(other)


def load(instruments: Instruments, reading: Reading, tenant: str, inspection_id: str) -> Inspection:
    """Return an inspection of a tenant, as it was last kept.

    Raises:
        UnknownMemoryError: there is none; another tenant's looks the same.
    """
    row = reading.record(tenant, TENANT, RecordKind.INSPECTION, inspection_id)
    if row is None:
        nobody()
    return _joined(instruments, reading, tenant, row)


def load_all(instruments: Instruments, reading: Reading, tenant: str) -> list[Inspection]:
    """Return every inspection of a tenant, oldest first."""
    rows = reading.records(tenant, TENANT, RecordKind.INSPECTION)
    opened = [_joined(instruments, reading, tenant, row) for row in rows]
    return sorted(opened, key=lambda one: (one.requested_at, one.inspection_id))


def _joined(instruments: Instruments, reading: Reading, tenant: str, row: RecordRow) -> Inspection:
    kept = Inspection.model_validate_json(open_row(instruments, tenant, TENANT, row))
    told = load_told(instruments, reading, kept)
    return kept if told is None else kept.model_copy(update={"target": told.target, "incident": told.incident})


def keep(instruments: Instruments, tx: Transaction, inspection: Inspection) -> None:
    """Keep an inspection without what names the person; the row says when time will change it."""
    bare = inspection.model_copy(update={"target": None, "incident": None})
    row = sealed_row(
        instruments,
        inspection.tenant_id,
        TENANT,
        RecordKind.INSPECTION,
        inspection.inspection_id,
        bare.model_dump_json(),
        at=inspection.requested_at,
        due=next_due(inspection),
    )
    tx.put_record(inspection.tenant_id, TENANT, row)


def keep_moved(
    instruments: Instruments,
    tx: Transaction,
    before: Inspection | None,
    after: Inspection,
    *,
    entry_ids: tuple[str, ...] = (),
    scope_tag: str = "",
) -> None:
    """Keep an inspection with an event for each transition it made; a grant names the exact revisions."""
    keep(instruments, tx, after)
    for step in after.trail[len(before.trail) if before is not None else 0 :]:
        facts: dict[str, JsonValue] = {
            "inspection": after.inspection_id,
            "state": step.state.value,
            "actor": step.actor,
            "role": step.role.value if step.role is not None else "",
            "path": after.path.value,
            "reason": after.reason.value,
            "reference": after.reference,
            "scope": scope_tag,
            "reason_code": step.reason.value if step.reason is not None else "",
            "sensitive": after.is_sensitive,
            "break_glass": after.break_glass,
        }
        if step.state.value == "granted":
            facts["object_ids"] = list(entry_ids)
        loud = after.break_glass or step.state.value in {"granted", "denied"}
        severity = Severity.CRITICAL if after.break_glass else Severity.WARNING if loud else Severity.INFO
        tell(tx, after, AuditAction.INSPECTION_MOVED, step.at, severity=severity, facts=facts)


def settled(instruments: Instruments, tx: Transaction, inspection: Inspection, *, now: datetime) -> Inspection:
    """Return an inspection as time leaves it at `now`, kept so: a grant closes by itself."""
    after = lapsed(inspection, now=now)
    if after is not inspection:
        keep_moved(instruments, tx, inspection, after)
    return after


def tell(
    tx: Transaction,
    inspection: Inspection,
    action: AuditAction,
    now: datetime,
    *,
    severity: Severity = Severity.INFO,
    facts: Mapping[str, JsonValue],
) -> None:
    """Write an event about an inspection: ids and codes under the person's pseudonym."""
    write_event(
        tx,
        inspection.tenant_id,
        action=action,
        policy=INSPECTION_POLICY,
        person=inspection.person,
        now=now,
        severity=severity,
        facts=facts,
    )


def tell_refused(
    tx: Transaction, inspection: Inspection, by: Inspector, refused: InspectionRefused, *, step: str, now: datetime
) -> InspectionRefused:
    """Write that a step was refused; return the refusal."""
    facts: dict[str, JsonValue] = {
        "inspection": inspection.inspection_id,
        "step": step,
        "actor": by.actor,
        "role": by.role.value,
        "reason_code": refused.reason.value,
    }
    tell(tx, inspection, AuditAction.INSPECTION_REFUSED, now, severity=Severity.WARNING, facts=facts)
    return refused


def refuse(reason: InspectionDenial | InspectionRefusal, rule: str, *needs: str) -> InspectionRefused:
    """Return a refusal."""
    return InspectionRefused(reason=reason, rule=rule, needs=needs)


def keep_snapshot(
    instruments: Instruments, tx: Transaction, inspection: Inspection, entries: Sequence[FrozenEntry]
) -> None:
    """Keep the frozen set of a grant, in parts of a page, so that a read opens no more than it shows."""
    for start in range(0, len(entries), PAGE_MOST):
        part = trusted(Snapshot, entries=tuple(entries[start : start + PAGE_MOST]))
        row = sealed_row(
            instruments,
            inspection.tenant_id,
            TENANT,
            RecordKind.INSPECTION_SNAPSHOT,
            _part(inspection, start // PAGE_MOST),
            part.model_dump_json(),
            at=inspection.trail[-1].at,
        )
        tx.put_record(inspection.tenant_id, TENANT, row)


def load_frozen(
    instruments: Instruments, reading: Reading, inspection: Inspection, *, offset: int, limit: int
) -> tuple[FrozenEntry, ...]:
    """Return up to `limit` of the frozen set of a grant, from a place in its order on."""
    tenant = inspection.tenant_id
    total = inspection.grant.entries if inspection.grant is not None else 0
    end = min(offset + limit, total)
    found: list[FrozenEntry] = []
    for number in range(offset // PAGE_MOST, -(-end // PAGE_MOST)):
        row = reading.record(tenant, TENANT, RecordKind.INSPECTION_SNAPSHOT, _part(inspection, number))
        if row is None:
            raise StoreCorruptError("a part of the frozen set of a grant is missing")
        found += Snapshot.model_validate_json(open_row(instruments, tenant, TENANT, row)).entries
    first = offset - offset // PAGE_MOST * PAGE_MOST
    return tuple(found[first : first + max(0, end - offset)])


def _part(inspection: Inspection, number: int) -> str:
    return f"{inspection.inspection_id}:{number}"


def keep_told(instruments: Instruments, tx: Transaction, tenant: str, person: str, told: Told, now: datetime) -> None:
    """Keep whom an inspection is about, with the person's rows under the tenant's key; due while they must be told."""
    due, plain = told.queued_at if told.delivered_at is None else None, told.model_dump_json()
    row = sealed_row(instruments, tenant, person, RecordKind.USER_NOTICE, told.inspection_id, plain, at=now, due=due)
    tx.put_record(tenant, person, row)


def load_told(instruments: Instruments, reading: Reading, inspection: Inspection) -> Told | None:
    """Return whom an inspection is about; None where the person was erased."""
    tenant, person = inspection.tenant_id, inspection.person
    row = reading.record(tenant, person, RecordKind.USER_NOTICE, inspection.inspection_id)
    return Told.model_validate_json(open_row(instruments, tenant, person, row)) if row is not None else None


def target_person(instruments: Instruments, inspection: Inspection) -> tuple[Person, str] | None:
    """Return the person an inspection is about and the name they go by; None where they were erased."""
    with instruments.store.read() as reading:
        told = load_told(instruments, reading, inspection)
    if told is None:
        return None
    person = instruments.people.find(inspection.tenant_id, told.user_id)
    return (person, told.user_id) if person is not None and person.person == inspection.person else None


def keep_look(person: Person, tx: Transaction, look: Look) -> None:
    """Keep one read among the person's rows. It holds no words."""
    seq = tx.state(person.tenant, person.person).version
    row = person.own_record(RecordKind.INSPECTION_READ, look.read_id, look, seq=seq, now=look.at)
    tx.put_record(person.tenant, person.person, row)


def looks(person: Person, reading: Reading) -> Iterator[Look]:
    """Yield the reads of a person's memory, oldest first."""
    rows = reading.records(person.tenant, person.person, RecordKind.INSPECTION_READ)
    opened = [Look.model_validate_json(plain) for row in rows if (plain := person.open_record(row)) is not None]
    yield from sorted(opened, key=lambda look: (look.at, look.read_id))


def load_rules(instruments: Instruments, reading: Reading, tenant: str) -> Rules:
    """Return what a tenant set for inspection."""
    row = reading.record(tenant, TENANT, RecordKind.INSPECTION_RULE, _RULES)
    return Rules.model_validate_json(open_row(instruments, tenant, TENANT, row)) if row is not None else Rules()


def keep_rules(
    instruments: Instruments, tx: Transaction, by: Inspector, rules: Rules, *, what: str, now: datetime
) -> None:
    """Keep what a tenant set for inspection, and tell that it changed."""
    plain = rules.model_dump_json()
    row = sealed_row(instruments, by.tenant, TENANT, RecordKind.INSPECTION_RULE, _RULES, plain, at=now)
    tx.put_record(by.tenant, TENANT, row)
    tell_governed(tx, by, what=what, now=now)


def tell_governed(
    tx: Transaction, by: Inspector, *, what: str, now: datetime, object_ids: tuple[str, ...] = ()
) -> None:
    """Write that the rules of inspection changed: what of them and by whom."""
    write_event(
        tx,
        by.tenant,
        action=AuditAction.INSPECTION_GOVERNED,
        policy=INSPECTION_POLICY,
        person=TENANT,
        now=now,
        severity=Severity.WARNING,
        facts={"what": what, "actor": by.actor, "role": by.role.value, "object_ids": list(object_ids)},
    )


def raise_alarm(
    instruments: Instruments, tx: Transaction, inspection: Inspection, by: Inspector, kind: AlarmKind, *, now: datetime
) -> OperatorAlarm:
    """Keep an alarm for every approver until it is delivered, and write it loudly."""
    alarm = OperatorAlarm(
        alarm_id=instruments.ids.entry_id(now),
        tenant_id=inspection.tenant_id,
        kind=kind,
        at=now,
        inspection_id=inspection.inspection_id,
        actor=by.actor,
        role=by.role,
        to_roles=APPROVERS,
    )
    keep_alarm(instruments, tx, alarm)
    quiet = kind is AlarmKind.READ_RATE_EXCEEDED
    facts: dict[str, JsonValue] = {
        "alarm": alarm.alarm_id,
        "kind": kind.value,
        "inspection": inspection.inspection_id,
        "actor": by.actor,
        "role": by.role.value,
        "to_roles": [role.value for role in alarm.to_roles],
    }
    severity = Severity.WARNING if quiet else Severity.CRITICAL
    tell(tx, inspection, AuditAction.INSPECTION_ALARMED, now, severity=severity, facts=facts)
    return alarm


def keep_alarm(instruments: Instruments, tx: Transaction, alarm: OperatorAlarm) -> None:
    """Keep an alarm, due until it is delivered."""
    row = sealed_row(
        instruments,
        alarm.tenant_id,
        TENANT,
        RecordKind.INSPECTION_ALARM,
        alarm.alarm_id,
        alarm.model_dump_json(),
        at=alarm.at,
        due=alarm.at if alarm.delivered_at is None else None,
    )
    tx.put_record(alarm.tenant_id, TENANT, row)


def load_alarms(instruments: Instruments, reading: Reading, tenant: str) -> list[OperatorAlarm]:
    """Return every alarm of a tenant, oldest first."""
    rows = reading.records(tenant, TENANT, RecordKind.INSPECTION_ALARM)
    opened = [OperatorAlarm.model_validate_json(open_row(instruments, tenant, TENANT, row)) for row in rows]
    return sorted(opened, key=lambda alarm: (alarm.at, alarm.alarm_id))


def nobody() -> NoReturn:
    """Raise what an unknown inspection, person or key looks like."""
    raise UnknownMemoryError("there is no such inspection, or nothing is known of the person")
