"""Records of data-rights requests: the person's own, sealed under a slot, and the desk's, which holds no content.

The desk's record is the tenant's. It names the user, sealed, while there is something to be done for them, and drops
the name when the request is over or the person erased: what stays proves that and when it was answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.audit import RIGHTS_POLICY, AuditAction
from iris_memory.contracts.rights import DeskRow, RightsKind, RightsRequest, RightsState, VerificationMethod
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant
from iris_memory.flows.held import open_row, sealed_row
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT, Person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.rights import without_words
from iris_memory.tables.transitions import OPEN


class DeskRecord(Contract):
    """A request as the desk keeps it; the user is named while somebody works on it."""

    row: DeskRow
    user_id: Identifier | None


class SentChallenge(Contract):
    """A challenge that was sent: the keyed digest of its secret, and how often it was answered wrongly."""

    challenge_id: Identifier
    method: VerificationMethod
    digest: str
    sent_at: Instant
    expires_at: Instant
    wrong: Count = 0
    is_used: bool = False


class SentChallenges(Contract):
    """The challenges of one request."""

    sent: Annotated[tuple[SentChallenge, ...], Field(strict=False)] = ()


def load(person: Person, reading: Reading, request_id: str) -> RightsRequest | None:
    """Return one request of a person."""
    row = reading.record(person.tenant, person.person, RecordKind.RIGHTS, request_id)
    plain = person.open_record(row) if row is not None else None
    return RightsRequest.model_validate_json(plain) if plain is not None else None


def load_all(person: Person, reading: Reading) -> list[RightsRequest]:
    """Return every request of a person, oldest first."""
    rows = reading.records(person.tenant, person.person, RecordKind.RIGHTS)
    opened = [RightsRequest.model_validate_json(plain) for row in rows if (plain := person.open_record(row))]
    return sorted(opened, key=lambda request: (request.submitted_at, request.request_id))


def keep(
    instruments: Instruments,
    tx: Transaction,
    person: Person,
    request: RightsRequest,
    *,
    before: RightsRequest | None,
    actor: str,
    now: datetime,
) -> list[int]:
    """Keep a request on both sides, with the event that tells of it; return slots whose words are no longer needed."""
    tenant, subject = person.tenant, person.person
    request = without_words(request)
    known = tx.record(tenant, subject, RecordKind.RIGHTS, request.request_id)
    seq = tx.state(tenant, subject).version
    tx.put_record(tenant, subject, person.record(RecordKind.RIGHTS, request.request_id, request, seq=seq, now=now))
    if request.state is not RightsState.SUBMITTED:
        tx.drop_records(tenant, subject, RecordKind.RIGHTS_CHALLENGE, [request.request_id])
    keep_desk(instruments, tx, tenant, _desk_record(person, request), due=_due(request))
    told = request.trail[len(before.trail) if before is not None else 0 :]
    write_event(
        tx,
        tenant,
        action=AuditAction.RIGHTS_CHANGED,
        policy=RIGHTS_POLICY,
        person=subject,
        now=now,
        facts={
            "object_ids": [request.request_id],
            "kind": request.kind.value,
            "events": [event.event.value for event in told],
            "state": request.state.value,
            "actor": actor,
        },
    )
    has_dropped_words = request.kind is RightsKind.RECTIFY and request.state not in OPEN
    return [known.slot] if known is not None and known.slot and has_dropped_words else []


def keep_desk(
    instruments: Instruments, tx: Transaction, tenant: str, record: DeskRecord, *, due: datetime | None
) -> None:
    """Keep the desk's side of a request; `due` is when time will change it by itself."""
    key = record.row.request_id
    plain = record.model_dump_json()
    row = sealed_row(
        instruments, tenant, TENANT, RecordKind.RIGHTS_DESK, key, plain, at=record.row.submitted_at, due=due
    )
    tx.put_record(tenant, TENANT, row)


def load_desk(instruments: Instruments, reading: Reading, tenant: str, request_id: str) -> DeskRecord | None:
    """Return the desk's side of a request."""
    row = reading.record(tenant, TENANT, RecordKind.RIGHTS_DESK, request_id)
    return DeskRecord.model_validate_json(open_row(instruments, tenant, TENANT, row)) if row is not None else None


def load_desk_all(instruments: Instruments, reading: Reading, tenant: str) -> list[DeskRecord]:
    """Return the desk's side of every request of a tenant, oldest first."""
    rows = reading.records(tenant, TENANT, RecordKind.RIGHTS_DESK)
    opened = [DeskRecord.model_validate_json(open_row(instruments, tenant, TENANT, row)) for row in rows]
    return sorted(opened, key=lambda record: (record.row.submitted_at, record.row.request_id))


def note_erasure(
    instruments: Instruments, tx: Transaction, tenant: str, subject: str, *, receipt_id: str, now: datetime
) -> None:
    """Note on the desk that a person was erased, and drop their name there.

    A deletion that was being carried out is complete by this: nothing of the person is left to carry it further.
    """
    for record in load_desk_all(instruments, tx, tenant):
        row = record.row
        if row.person != subject or row.person_erased_at is not None:
            continue
        changes: dict[str, object] = {"person_erased_at": now, "on_hold": False, "closed_at": row.closed_at or now}
        if row.kind is RightsKind.DELETE and row.state is RightsState.IN_PROGRESS:
            changes |= {"state": RightsState.COMPLETED, "receipt_id": receipt_id}
        gone = DeskRecord(row=row.model_copy(update=changes), user_id=None)
        keep_desk(instruments, tx, tenant, gone, due=None)


def challenges(person: Person, reading: Reading, request_id: str) -> SentChallenges:
    """Return the challenges that were sent for a request."""
    row = reading.record(person.tenant, person.person, RecordKind.RIGHTS_CHALLENGE, request_id)
    plain = person.open_record(row) if row is not None else None
    return SentChallenges.model_validate_json(plain) if plain is not None else SentChallenges()


def keep_challenges(
    person: Person, tx: Transaction, request_id: str, sent: Sequence[SentChallenge], *, now: datetime
) -> None:
    """Keep the challenges of a request."""
    value = SentChallenges(sent=tuple(sent))
    seq = tx.state(person.tenant, person.person).version
    row = person.own_record(RecordKind.RIGHTS_CHALLENGE, request_id, value, seq=seq, now=now)
    tx.put_record(person.tenant, person.person, row)


def _desk_record(person: Person, request: RightsRequest) -> DeskRecord:
    is_open = request.state in OPEN
    result = request.result
    row = DeskRow(
        request_id=request.request_id,
        person=person.person,
        kind=request.kind,
        regime=request.regime,
        state=request.state,
        level_needed=request.level_needed,
        submitted_at=request.submitted_at,
        deadline=request.deadline,
        extended=request.was_extended,
        on_hold=request.pending is not None,
        closed_at=None if is_open else request.trail[-1].at,
        result_fingerprint=result.fingerprint if result is not None else None,
        receipt_id=result.receipt_id if result is not None else None,
    )
    return DeskRecord(row=row, user_id=person.user_id if is_open else None)


def _due(request: RightsRequest) -> datetime | None:
    """Return when time will change a request by itself."""
    if request.state is RightsState.SUBMITTED:
        return request.verify_by
    if request.state is RightsState.VERIFIED and request.pending is not None:
        return request.pending.until
    if request.state is RightsState.IN_PROGRESS:
        return request.grace_ends_at
    return None
