"""Inspected: memory shown under a grant, from the frozen set alone, each read told before a word of it is answered.

A read and its event are one durable transaction; what comes back to the caller comes after the commit. What was
forgotten since the grant is answered with the proof of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.entry import MemoryEntry, TombstoneReason
from iris_memory.contracts.inspection import (
    AlarmKind,
    CloseReason,
    ErasureProof,
    FrozenEntry,
    InspectedEntry,
    Inspection,
    InspectionDenial,
    InspectionPage,
    InspectionPath,
    InspectionRefusal,
    InspectionRefused,
    InspectionState,
)
from iris_memory.contracts.shape import Contract, Count, Instant, from_micros, to_micros
from iris_memory.errors import KeyDestroyedError, StoreCorruptError
from iris_memory.flows.freezing import commitment, commitment_key
from iris_memory.flows.held import open_row, sealed_row
from iris_memory.flows.inspect import consent_head
from iris_memory.flows.inspection_records import (
    Inspector,
    Look,
    keep,
    keep_look,
    keep_moved,
    keep_told,
    load,
    load_frozen,
    load_rules,
    load_told,
    raise_alarm,
    refuse,
    settled,
    target_person,
    tell,
    tell_refused,
)
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import TENANT, Person
from iris_memory.flows.sealing import derived, tag
from iris_memory.gates.inspection import is_same_actor
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.packing import unpack
from iris_memory.rules.inspection import SYSTEM, notice_due, transition
from iris_memory.tables.inspectors import INSPECTORS, PACE_MOST, PACE_WINDOW, PAGE_MOST

D, R, S = InspectionDenial, InspectionRefusal, InspectionState
Shown = InspectionPage | InspectionRefused
_WhyNot = Callable[[Transaction, Inspection, Person | None, datetime], InspectionRefused | None]
_OVER: Final[dict[CloseReason, InspectionDenial | InspectionRefusal]] = {
    CloseReason.EXPIRED: D.GRANT_EXPIRED,
    CloseReason.CONSENT_CHANGED: D.CONSENT_NOT_CURRENT,
    CloseReason.SUBJECT_ERASED: R.SUBJECT_ERASED,
}


class Pace(Contract):
    """How many memories an operator read since a window began."""

    since: Instant
    entries: Count
    told: bool = False


def read(
    instruments: Instruments, by: Inspector, inspection_id: str, *, offset: int = 0, limit: int = PAGE_MOST
) -> Shown:
    """Show a part of the frozen set to the operator who has the grant.

    Raises:
        UnknownMemoryError: the tenant has no such inspection.
        StoreCorruptError: a revision is not the one that was frozen.
    """

    def why_not(tx: Transaction, known: Inspection, person: Person | None, now: datetime) -> InspectionRefused | None:
        if load_rules(instruments, tx, by.tenant).kill_switch.on:
            return refuse(R.KILL_SWITCH_ON, "inspection is stopped for the tenant")
        if known.state is not S.GRANTED:
            return _why_over(known)
        if by.actor != known.requester or by.role is not known.requester_role:
            return refuse(R.NOT_THE_REQUESTER, "a grant is for the one who asked, in the role they asked in")
        if person is None or tx.state(by.tenant, known.person).version == ERASED:
            _end(instruments, tx, known, CloseReason.SUBJECT_ERASED, now)
            return refuse(R.SUBJECT_ERASED, "the person was erased")
        head = known.grant.consent_snapshot_id if known.grant is not None else None
        if known.is_sensitive and consent_head(person.read(tx)) != head:
            _end(instruments, tx, known, CloseReason.CONSENT_CHANGED, now)
            return refuse(D.CONSENT_NOT_CURRENT, "the person's consents changed since the grant")
        return None

    return _look(instruments, by, inspection_id, why_not, offset=offset, limit=limit, replayed=False)


def replay(
    instruments: Instruments, by: Inspector, inspection_id: str, *, offset: int = 0, limit: int = PAGE_MOST
) -> Shown:
    """Show what a grant showed, byte for byte, for a review of it; what was forgotten since, as erased with its proof.

    It opens to somebody else, in a role that approves and could have been given the same grant. It is a look like any
    other: told, in the person's access log, and no faster.
    """

    def why_not(tx: Transaction, known: Inspection, person: Person | None, now: datetime) -> InspectionRefused | None:
        del person, now
        if load_rules(instruments, tx, by.tenant).kill_switch.on:
            return refuse(R.KILL_SWITCH_ON, "inspection is stopped for the tenant")
        if known.grant is None:
            return refuse(R.NOT_GRANTED, "nothing was granted, so nothing was seen")
        if is_same_actor(by.actor, known.requester):  # else a grant that is over would go on by this door
            return refuse(D.SELF_APPROVAL, "somebody else than the one who looked replays it")
        row = INSPECTORS[by.role]
        if not row.approves or known.path not in (row.sensitive if known.is_sensitive else row.ordinary):
            return refuse(D.ROLE_NOT_PERMITTED, "the role could not have been given this grant")
        return None

    return _look(instruments, by, inspection_id, why_not, offset=offset, limit=limit, replayed=True)


def _look(
    instruments: Instruments,
    by: Inspector,
    inspection_id: str,
    why_not: _WhyNot,
    *,
    offset: int,
    limit: int,
    replayed: bool,
) -> Shown:
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        found = target_person(instruments, load(instruments, reading, by.tenant, inspection_id))
    person = found[0] if found is not None else None
    step = "replay" if replayed else "read"

    def work(tx: Transaction) -> Shown:
        known = settled(instruments, tx, load(instruments, tx, by.tenant, inspection_id), now=now)
        refusal = why_not(tx, known, person, now)
        if refusal is None:
            most = max(1, min(limit, PAGE_MOST))
            chosen = load_frozen(instruments, tx, known, offset=offset, limit=most)
            refusal = _why_too_fast(instruments, tx, known, by, len(chosen), now)
        if refusal is not None:
            return tell_refused(tx, known, by, refusal, step=step, now=now)
        shown = _shown(person, tx, known, chosen)
        _tell_look(instruments, tx, known, by, person, shown, replayed=replayed, now=now)
        reached = offset + len(chosen)
        total = known.grant.entries if known.grant is not None else 0
        return InspectionPage(
            inspection_id=inspection_id,
            entries=tuple(shown),
            total=total,
            next_offset=reached if reached < total else None,
        )

    try:
        return instruments.store.write(work, durable=True)
    except KeyDestroyedError:  # erased while it was looked at
        return refuse(R.SUBJECT_ERASED, "the person was erased")


def _why_over(known: Inspection) -> InspectionRefused:
    reason = known.trail[-1].reason
    if isinstance(reason, CloseReason) and reason in _OVER:
        return refuse(_OVER[reason], f"the grant is over: {reason.value}")
    return refuse(R.NOT_GRANTED, "there is no grant to read under")


def _end(instruments: Instruments, tx: Transaction, known: Inspection, reason: CloseReason, now: datetime) -> None:
    keep_moved(instruments, tx, known, transition(known, S.CLOSED, actor=SYSTEM, at=now, reason=reason))


def _why_too_fast(
    instruments: Instruments, tx: Transaction, known: Inspection, by: Inspector, count: int, now: datetime
) -> InspectionRefused | None:
    """Count what an operator reads in a window over all grants; the first time it is too much, tell the approvers."""
    key = tag(derived(instruments.vault.tenant_key(by.tenant), "tag"), "inspection-pace", by.actor)
    row = tx.record(by.tenant, TENANT, RecordKind.INSPECTION_PACE, key)
    pace = Pace.model_validate_json(open_row(instruments, by.tenant, TENANT, row)) if row is not None else None
    if pace is None or now >= pace.since + PACE_WINDOW:
        pace = Pace(since=now, entries=0)
    refusal = None
    if pace.entries + count > PACE_MOST:
        refusal = refuse(R.READ_RATE_EXCEEDED, f"up to {PACE_MOST} memories in {PACE_WINDOW.seconds // 60} minutes")
        if not pace.told:
            raise_alarm(instruments, tx, known, by, AlarmKind.READ_RATE_EXCEEDED, now=now)
        pace = pace.model_copy(update={"told": True})
    else:
        pace = pace.model_copy(update={"entries": pace.entries + count})
    kept = sealed_row(
        instruments,
        by.tenant,
        TENANT,
        RecordKind.INSPECTION_PACE,
        key,
        pace.model_dump_json(),
        at=pace.since,
        due=pace.since + PACE_WINDOW,
    )
    tx.put_record(by.tenant, TENANT, kept)
    return refusal


def _shown(
    person: Person | None, tx: Reading, known: Inspection, chosen: Sequence[FrozenEntry]
) -> list[InspectedEntry]:
    """Return frozen revisions as they were, and proofs of those that are gone."""
    living = _living(person, tx, known, chosen) if person is not None else {}
    proofs = {row.logical_id: row for row in tx.tombstones(known.tenant_id, known.person)}
    shown = []
    for one in chosen:
        entry = living.get(one.entry_id)
        if entry is not None:
            shown.append(InspectedEntry(frozen=one, entry=entry))
            continue
        row = proofs.get(one.logical_id)
        proof = ErasureProof()
        if row is not None:
            proof = ErasureProof(
                receipt_id=row.receipt_id,
                forgotten_at=from_micros(row.forgotten_at),
                reason=TombstoneReason(row.reason),
            )
        shown.append(InspectedEntry(frozen=one, erased=proof))
    return shown


def _living(person: Person, tx: Reading, known: Inspection, chosen: Sequence[FrozenEntry]) -> dict[str, MemoryEntry]:
    key = commitment_key(person, known.inspection_id)
    wanted = {one.entry_id: one for one in chosen}
    rows = [
        row
        for one in chosen
        for row in tx.revisions(person.tenant, person.person, one.logical_id)
        if row.entry_id == one.entry_id
    ]
    found = {}
    for packed in person.open_entries(rows):
        if commitment(key, packed.entry_id, packed.pack) != wanted[packed.entry_id].commitment:
            raise StoreCorruptError("a revision is not the one that was frozen when the grant was given")
        found[packed.entry_id] = _redacted(unpack(packed.pack), known.path)
    return found


def _redacted(entry: MemoryEntry, path: InspectionPath) -> MemoryEntry:
    """Return an entry as operators see it: other people are nobody, except in an answer to the person's own request."""
    if path is InspectionPath.DSAR_FULFILLMENT or entry.multi_actor is None:
        return entry
    return entry.model_copy(update={"multi_actor": None})


def _tell_look(
    instruments: Instruments,
    tx: Transaction,
    known: Inspection,
    by: Inspector,
    person: Person | None,
    shown: Sequence[InspectedEntry],
    *,
    replayed: bool,
    now: datetime,
) -> None:
    """Write a read: the event with every revision, the line of the person's log, the notice, the alarm of a canary."""
    seen = [one.frozen for one in shown if one.entry is not None]
    tell(
        tx,
        known,
        AuditAction.INSPECTION_READ,
        now,
        severity=Severity.CRITICAL if known.break_glass else Severity.WARNING,
        facts={
            "inspection": known.inspection_id,
            "actor": by.actor,
            "role": by.role.value,
            "path": known.path.value,
            "reason": known.reason.value,
            "replayed": replayed,
            "object_ids": [one.entry_id for one in seen],
            "erased": len(shown) - len(seen),
        },
    )
    first = known.first_read_at or now
    after = known.model_copy(update={"reads": known.reads + 1, "first_read_at": first})
    keep(instruments, tx, after)
    canaries = set(load_rules(instruments, tx, known.tenant_id).canaries)
    if canaries.intersection(one.logical_id for one in seen) or canaries.intersection(one.entry_id for one in seen):
        raise_alarm(instruments, tx, after, by, AlarmKind.CANARY_TOUCHED, now=now)
    if person is None or not seen:
        return
    look = Look(
        read_id=instruments.ids.entry_id(now),
        inspection_id=known.inspection_id,
        at=now,
        role=by.role,
        path=known.path,
        reason=known.reason,
        break_glass=known.break_glass,
        replayed=replayed,
        logical_ids=tuple(one.logical_id for one in seen),
        entry_ids=tuple(one.entry_id for one in seen),
    )
    keep_look(person, tx, look)
    told = load_told(instruments, tx, after)
    if known.is_sensitive and told is not None and told.queued_at is None:
        queued = told.model_copy(update={"queued_at": first})
        keep_told(instruments, tx, known.tenant_id, known.person, queued, now)
        due = to_micros(notice_due(after, first))
        facts: dict[str, JsonValue] = {"inspection": known.inspection_id, "state": "queued", "due_at": due}
        tell(tx, after, AuditAction.INSPECTION_NOTED, now, facts=facts)
