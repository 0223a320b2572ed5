"""Devices: those a person continues on, what each was called, and what it has not been told yet.

A device is a record without words; the name the person gave it has a key of its own.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import CONTINUITY_POLICY, AuditAction
from iris_memory.contracts.consent import ConsentType
from iris_memory.contracts.continuity import ContinuationToken, Device, DeviceNotice
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.shape import Contract, Instant
from iris_memory.contracts.write import Refused
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.continuity import ALSO_PLAYING
from iris_memory.tables.continuity import DEVICES_MOST, NOTICE_LIFETIME, NOTICES_MOST


class DeviceSeen(Contract):
    """A device without its name. No words."""

    device_id: str
    first_seen: Instant
    last_seen: Instant


class _Named(Contract):
    """The name a person gave a device."""

    name: str


def notices(instruments: Instruments, caller: Caller, *, device_id: str) -> tuple[DeviceNotice, ...]:
    """Return what a device has not been told yet, oldest first."""
    now = instruments.clock.now()

    def attempt(person: Person) -> tuple[DeviceNotice, ...]:
        with instruments.store.read() as reading:
            person.read(reading)
            return tuple(notice for notice in notices_of(person, reading, now) if notice.device_id == device_id)

    return with_known_person(instruments, caller, attempt, nobody=tuple)


def seen(instruments: Instruments, caller: Caller, notice_id: str) -> bool:
    """Note that a notice was shown: it goes. Say whether it was waiting."""

    def attempt(person: Person) -> bool:
        def work(tx: Transaction) -> bool:
            person.read(tx)
            return bool(tx.drop_records(person.tenant, person.person, RecordKind.DEVICE_NOTICE, [notice_id]))

        return instruments.store.write(work, durable=True)

    return with_known_person(instruments, caller, attempt, nobody=lambda: False)


def devices(instruments: Instruments, caller: Caller) -> tuple[Device, ...]:
    """Return the person's devices, the one seen last first."""

    def attempt(person: Person) -> tuple[Device, ...]:
        with instruments.store.read() as reading:
            person.read(reading)
            known = [_named(person, reading, device) for device in _devices(person, reading)]
        return tuple(sorted(known, key=lambda device: (device.last_seen, device.device_id), reverse=True))

    return with_known_person(instruments, caller, attempt, nobody=tuple)


def name_device(instruments: Instruments, caller: Caller, device_id: str, name: str) -> Device | Refused:
    """Give a device a name of the person's choosing; one that was never seen is entered."""
    now = instruments.clock.now()

    def attempt(person: Person) -> Device | Refused:
        person.ensure_slots(1)

        def work(tx: Transaction) -> Device | Refused:
            snapshot = person.read(tx)
            refused = _refusal(instruments, caller, person, snapshot, now) or enter(
                person, tx, device_id, snapshot, now
            )
            if refused is not None:
                return refused
            key, seq = person.tag("device", device_id), snapshot.state.version
            row = person.record(RecordKind.DEVICE_NAME, key, _Named(name=name), seq=seq, now=now)
            tx.put_record(person.tenant, person.person, row)
            tell(tx, person, AuditAction.DEVICE_CHANGED, now, device=key, what="named")
            known = find_device(person, tx, device_id)
            assert known is not None
            return _named(person, tx, known)

        return instruments.store.write(work, durable=True)

    return with_person(instruments, caller, attempt)


def _refusal(
    instruments: Instruments, caller: Caller, person: Person, snapshot: Snapshot, now: datetime
) -> Refused | None:
    consents = snapshot.consents(now)
    needed = (ConsentType.DATA_PROCESSING.value, ConsentType.DATA_STORAGE.value)
    missing = tuple(name for name in needed if name not in consents)
    if not missing:
        return None
    return Refused(reason=RefusalReason.CONSENT_MISSING, rule="a device is kept with consent alone", needs=missing)


def add_notice(
    instruments: Instruments,
    person: Person,
    tx: Transaction,
    token: ContinuationToken,
    device_id: str,
    other: str,
    snapshot: Snapshot,
    now: datetime,
) -> DeviceNotice:
    """Leave a notice for a device; an unseen one about the same thing makes way."""
    notice = DeviceNotice(
        notice_id=instruments.ids.entry_id(now),
        device_id=device_id,
        other_device_id=other,
        token_id=token.token_id,
        surface=token.anchor_ref.surface,
        ref=token.anchor_ref.ref,
        told=ALSO_PLAYING,
        at=now,
        expires_at=min(now + NOTICE_LIFETIME, max(token.expires_at, now + timedelta(microseconds=1))),
    )
    waiting = [each for each in notices_of(person, tx, now) if each.device_id == device_id]
    # one a thing is enough: a notice that was not seen yet makes way for the newer
    going = [each.notice_id for each in waiting if each.token_id == token.token_id]
    going += [each.notice_id for each in waiting[: max(0, len(waiting) + 1 - NOTICES_MOST)]]
    if going:
        tx.drop_records(person.tenant, person.person, RecordKind.DEVICE_NOTICE, going)
    put(person, tx, RecordKind.DEVICE_NOTICE, notice.notice_id, notice, snapshot, now, notice.expires_at)
    return notice


def notices_of(person: Person, reading: Reading, now: datetime) -> list[DeviceNotice]:
    """Return the notices of every device, oldest first."""
    found = []
    for row in reading.records(person.tenant, person.person, RecordKind.DEVICE_NOTICE):
        plain = person.open_record(row)
        if plain is not None:
            found.append(DeviceNotice.model_validate_json(plain))
    return sorted((n for n in found if now < n.expires_at), key=lambda n: (n.at, n.notice_id))


def _devices(person: Person, reading: Reading) -> list[DeviceSeen]:
    found = []
    for row in reading.records(person.tenant, person.person, RecordKind.DEVICE):
        plain = person.open_record(row)
        if plain is not None:
            found.append(DeviceSeen.model_validate_json(plain))
    return found


def find_device(person: Person, reading: Reading, device_id: str) -> DeviceSeen | None:
    """Return a device that was seen."""
    row = reading.record(person.tenant, person.person, RecordKind.DEVICE, person.tag("device", device_id))
    plain = person.open_record(row) if row is not None else None
    return DeviceSeen.model_validate_json(plain) if plain is not None else None


def _named(person: Person, reading: Reading, device: DeviceSeen) -> Device:
    row = reading.record(person.tenant, person.person, RecordKind.DEVICE_NAME, person.tag("device", device.device_id))
    plain = person.open_record(row) if row is not None else None
    name = _Named.model_validate_json(plain).name if plain is not None else None
    return Device(device_id=device.device_id, name=name, first_seen=device.first_seen, last_seen=device.last_seen)


def enter(person: Person, tx: Transaction, device_id: str, snapshot: Snapshot, now: datetime) -> Refused | None:
    """Note that a device was seen now; refuse one more than a person may have."""
    known = find_device(person, tx, device_id)
    if known is None and len(_devices(person, tx)) >= DEVICES_MOST:
        return Refused(
            reason=RefusalReason.WRITE_BUDGET_SPENT, rule=f"a person has up to {DEVICES_MOST} devices; remove one first"
        )
    first = known.first_seen if known is not None else now
    device = DeviceSeen(device_id=device_id, first_seen=first, last_seen=max(now, known.last_seen) if known else now)
    put(person, tx, RecordKind.DEVICE, person.tag("device", device_id), device, snapshot, now, None)
    return None


def note_seen(instruments: Instruments, person: Person, device: DeviceSeen, now: datetime) -> None:
    """Note that a device only looked."""

    def work(tx: Transaction) -> None:
        snapshot = person.read(tx)
        if find_device(person, tx, device.device_id) is not None:  # it may have been removed meanwhile
            enter(person, tx, device.device_id, snapshot, now)

    instruments.store.write(work, durable=False)


def put(
    person: Person,
    tx: Transaction,
    kind: RecordKind,
    key: str,
    value: Contract,
    snapshot: Snapshot,
    now: datetime,
    expires_at: datetime | None,
) -> None:
    """Put a record without words."""
    row = person.own_record(kind, key, value, seq=snapshot.state.version, now=now, expires_at=expires_at)
    tx.put_record(person.tenant, person.person, row)


def tell(tx: Transaction, person: Person, action: AuditAction, now: datetime, **facts: JsonValue) -> None:
    """Tell the audit chain: ids, codes and keyed tags."""
    write_event(tx, person.tenant, action=action, policy=CONTINUITY_POLICY, person=person.person, now=now, facts=facts)
