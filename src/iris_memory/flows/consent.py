"""Consent: every answer is appended to the person's ledger and takes effect with the transaction that writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction, Severity
from iris_memory.contracts.consent import (
    CaptureMethod,
    ConsentEvent,
    ConsentStatus,
    LegalBasis,
    OptOut,
    ScopePolicy,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import ContractError
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.ledgers import missing_events, recorded_fingerprints
from iris_memory.flows.people import BLINDING_LENGTH, OptOuts, Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.consent import CONSENT_NAMES, GENESIS, compute_terms_hash, sealed_event, unusual, verify_ledger
from iris_memory.rules.scope_policy import build_scope_policies

_OPT_OUTS_KEY = "opt-outs"


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


def record_consents(
    instruments: Instruments,
    caller: Caller,
    names: Sequence[str],
    status: ConsentStatus,
    asking: Asking,
) -> list[ConsentEvent]:
    """Append one event per named consent, all in one transaction.

    Raises:
        ContractError: there is no such consent, or its legal basis is not allowed.
    """
    if not names:
        raise ContractError("name at least one consent")
    if any("\ud800" <= mark <= "\udfff" for mark in asking.terms):
        raise ContractError("terms: text holds no lone surrogates")
    for name in names:
        wrong = unusual(name, asking.legal_basis)
        if wrong is not None:
            raise ContractError(f"`{name}`: {wrong}" if name in CONSENT_NAMES else wrong)
    now = instruments.clock.now()
    if asking.expires_at is not None and asking.expires_at <= now:
        raise ContractError("a consent ends after it begins; `expires_at` lies in the past")

    def attempt(person: Person) -> list[ConsentEvent]:
        person.ensure_slots(len(names))

        def work(tx: Transaction) -> tuple[list[ConsentEvent], Snapshot]:
            snapshot = person.read(tx)
            seq = tx.bump(person.tenant, person.person)
            events = []
            last = snapshot.events[-1] if snapshot.events else None
            for name in names:
                last = _next(instruments, caller, last, name, status, asking, now)
                events.append(last)
                row = person.record(RecordKind.CONSENT, f"{last.sequence:09d}", last, seq=seq, now=now)
                tx.put_record(person.tenant, person.person, row)
                _tell(tx, person, last)
            return events, snapshot

        events, snapshot = instruments.store.write(work, durable=True)
        person.publish(snapshot)
        return events

    return with_person(instruments, caller, attempt)


def active_consents(instruments: Instruments, caller: Caller) -> frozenset[str]:
    """Return the names of the consents in force."""
    now = instruments.clock.now()
    return with_known_person(
        instruments, caller, lambda person: current(instruments, person).consents(now), nobody=frozenset
    )


def consent_trail(instruments: Instruments, caller: Caller) -> list[ConsentEvent]:
    """Return the whole ledger of the person, oldest first, refusals included."""
    return with_known_person(instruments, caller, lambda person: list(current(instruments, person).events), nobody=list)


def check_ledger(instruments: Instruments, caller: Caller) -> list[str]:
    """Return what is wrong with the person's ledger, by itself and beside the audit chain; nothing if all is well."""

    def attempt(person: Person) -> list[str]:
        with instruments.store.read() as reading:
            events = list(person.read(reading).events)
            recorded = recorded_fingerprints(reading, person.tenant).get(person.person, [])
        return [*verify_ledger(events), *missing_events(recorded, events)]

    return with_known_person(instruments, caller, attempt, nobody=list)


def set_opt_outs(instruments: Instruments, caller: Caller, names: Sequence[OptOut]) -> frozenset[OptOut]:
    """Replace what the person opted out of."""
    now = instruments.clock.now()
    wanted = OptOuts(names=tuple(sorted(set(names))))

    def attempt(person: Person) -> frozenset[OptOut]:
        person.ensure_slots(1)

        def work(tx: Transaction) -> None:
            seq = tx.bump(person.tenant, person.person)
            row = person.record(RecordKind.SETTING, _OPT_OUTS_KEY, wanted, seq=seq, now=now)
            tx.put_record(person.tenant, person.person, row)
            write_event(
                tx,
                person.tenant,
                action=AuditAction.OPT_OUT_CHANGED,
                policy=CONSENT_POLICY,
                person=person.person,
                now=now,
                facts={"opt_outs": [person.tag("opt-out", name.value) for name in wanted.names]},
            )

        instruments.store.write(work, durable=True)
        return frozenset(wanted.names)

    return with_person(instruments, caller, attempt)


def opt_outs(instruments: Instruments, caller: Caller) -> frozenset[OptOut]:
    """Return what the person opted out of."""
    return with_known_person(
        instruments, caller, lambda person: current(instruments, person).opt_outs, nobody=frozenset
    )


def scope_policies(instruments: Instruments, caller: Caller) -> Mapping[AdapterScope, ScopePolicy]:
    """Return what the person's consents and opt-outs make of each scope, for the caller's consumer."""
    now = instruments.clock.now()

    def attempt(person: Person) -> Mapping[AdapterScope, ScopePolicy]:
        snapshot = current(instruments, person)
        return build_scope_policies(
            snapshot.consents(now), snapshot.opt_outs, caller.consumer, approvals=snapshot.approved(now)
        )

    return with_known_person(instruments, caller, attempt, nobody=lambda: build_scope_policies((), (), caller.consumer))


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
