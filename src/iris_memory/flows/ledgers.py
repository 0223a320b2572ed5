"""Ledgers: appending to a person's, and holding it against the chain.

Each consent event stands in the person's ledger and, by fingerprint, in the audit chain. A ledger whose last rows were
cut away is a valid chain of its own: a reader misses them by the head beside it (see `flows.decided`), and the
comparison with the audit chain shows what is missing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction, Severity
from iris_memory.contracts.consent import CaptureMethod, ConsentEvent, ConsentStatus, LegalBasis
from iris_memory.errors import ContractError
from iris_memory.flows.decided import keep_decided, require_whole
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import BLINDING_LENGTH, Person, Snapshot
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.consent import CONSENT_NAMES, GENESIS, compute_terms_hash, sealed_event, unusual

_PAGE = 4_096
_MARK = f'"action":"{AuditAction.CONSENT_RECORDED.value}"'.encode()


@dataclass(frozen=True, slots=True)
class Asking:
    """How a consent was asked for: the exact text shown, its language, and who or what saw the answer."""

    terms: str
    terms_language: str = "en"
    legal_basis: LegalBasis = LegalBasis.CONSENT
    capture_method: CaptureMethod = CaptureMethod.API
    witness: str = "api"
    jurisdiction: str = "unspecified"
    note: str | None = None
    expires_at: datetime | None = None


def require_answer(names: Sequence[str], asking: Asking, now: datetime) -> None:
    """Go on only with an answer that can be recorded.

    Raises:
        ContractError: nothing is named, there is no such consent, its legal basis is not allowed, or it would be over
            before it begins.
    """
    if not names:
        raise ContractError("name at least one consent")
    if any("\ud800" <= mark <= "\udfff" for mark in asking.terms):
        raise ContractError("terms: text holds no lone surrogates")
    for name in names:
        wrong = unusual(name, asking.legal_basis)
        if wrong is not None:
            raise ContractError(f"`{name}`: {wrong}" if name in CONSENT_NAMES else wrong)
    if asking.expires_at is not None and asking.expires_at <= now:
        raise ContractError("a consent ends after it begins; `expires_at` lies in the past")


def append_events(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    names: Sequence[str],
    status: ConsentStatus,
    asking: Asking,
    now: datetime,
) -> list[ConsentEvent]:
    """Append one event per consent to a person's ledger and to the audit chain, inside the caller's transaction.

    Raises:
        StoreCorruptError: a decision of the person is missing; nothing is appended to what is left.
    """
    require_whole(snapshot)
    seq = tx.bump(person.tenant, person.person)
    events: list[ConsentEvent] = []
    last = snapshot.events[-1] if snapshot.events else None
    for name in names:
        last = _next(instruments, caller, last, name, status, asking, now)
        events.append(last)
        row = person.record(RecordKind.CONSENT, f"{last.sequence:09d}", last, seq=seq, now=now)
        tx.put_record(person.tenant, person.person, row)
        _tell(tx, person, last)
    keep_decided(
        person,
        tx,
        events=(*snapshot.events, *events),
        pauses=snapshot.pauses,
        opt_outs=snapshot.opt_outs,
        seq=seq,
        now=now,
    )
    return events


def recorded_fingerprints(reading: Reading, tenant: str) -> dict[str, list[str]]:
    """Return, per person, the fingerprints of the consent events that a tenant's chain tells of, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in _lines(reading, tenant):
        if _MARK in line:
            event = json.loads(line)
            found[event["person"]].append(event["fingerprint"])
    return found


def missing_events(recorded: list[str], events: list[ConsentEvent]) -> list[str]:
    """Return what the chain tells of and the ledger lacks, or the other way round, in codes with the sequence."""
    held = [event.fingerprint for event in events]
    if held == recorded:
        return []
    place = next((n for n, pair in enumerate(zip(held, recorded, strict=False)) if pair[0] != pair[1]), None)
    if place is not None:
        return [f"consent-not-in-audit-chain at {place + 1}"]
    if len(held) < len(recorded):
        return [f"consent-ledger-cut at {len(held) + 1}"]
    return [f"consent-not-in-audit-chain at {len(recorded) + 1}"]


def shortened_ledgers(reading: Reading, tenant: str) -> int:
    """Count the people of a tenant whose ledger has another length than the chain tells, erased ones left out."""
    return sum(
        len(reading.records(tenant, person, RecordKind.CONSENT)) != len(fingerprints)
        for person, fingerprints in recorded_fingerprints(reading, tenant).items()
        if reading.state(tenant, person).version != ERASED
    )


def _lines(reading: Reading, tenant: str) -> Iterator[bytes]:
    start = 1
    while rows := reading.audit_lines(tenant, start=start, limit=_PAGE):
        for row in rows:
            yield row.line
        start += len(rows)


def _next(
    instruments: Instruments,
    caller: Caller,
    last: ConsentEvent | None,
    name: str,
    status: ConsentStatus,
    asking: Asking,
    now: datetime,
) -> ConsentEvent:
    draft = ConsentEvent(
        event_id=instruments.ids.entry_id(now),
        tenant_id=caller.tenant,
        user_id=caller.user,
        type=name,
        status=status,
        legal_basis=asking.legal_basis,
        capture_method=asking.capture_method,
        terms_hash=compute_terms_hash(asking.terms),
        terms_language=asking.terms_language,
        witness=asking.witness,
        jurisdiction=asking.jurisdiction,
        note=asking.note,
        occurred_at=now,
        expires_at=asking.expires_at,
        sequence=last.sequence + 1 if last else 1,
        previous=last.fingerprint if last else GENESIS,
        person_commitment=GENESIS,
        note_commitment=GENESIS,
        blinding=instruments.ids.secret(BLINDING_LENGTH).hex(),
        fingerprint=GENESIS,
    )
    return sealed_event(draft)


def _tell(tx: Transaction, person: Person, event: ConsentEvent) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.CONSENT_RECORDED,
        policy=CONSENT_POLICY,
        person=person.person,
        now=event.occurred_at,
        severity=Severity.INFO,
        facts={
            "object_ids": [event.event_id],
            "consent": person.tag("consent-type", event.type),
            "status": event.status.value,
            "consent_sequence": event.sequence,
            "fingerprint": event.fingerprint,
        },
    )
