"""Consent: every answer is appended to the person's ledger and takes effect with the transaction that writes it.

A withdrawal or refusal takes memory along that it is about; see `flows.cascade`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction
from iris_memory.contracts.consent import ConsentDue, ConsentEvent, ConsentStatus, OptOut, ScopePolicy
from iris_memory.contracts.scope import AdapterScope
from iris_memory.flows.cascade import withdraw
from iris_memory.flows.decided import keep_decided, require_whole
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.ledgers import (
    Asking,
    append_events,
    missing_events,
    recorded_fingerprints,
    require_answer,
)
from iris_memory.flows.notices import current_notices
from iris_memory.flows.people import OptOuts, Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.consent import consents_due, verify_ledger
from iris_memory.rules.scope_policy import build_scope_policies
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES

_OPT_OUTS_KEY = "opt-outs"


def record_consents(
    instruments: Instruments,
    caller: Caller,
    names: Sequence[str],
    status: ConsentStatus,
    asking: Asking,
) -> list[ConsentEvent]:
    """Append one event per named consent, all in one transaction.

    A denial or a withdrawal ends what hangs on it and takes memory along (see `flows.cascade.withdraw`).

    Raises:
        ContractError: there is no such consent, or its legal basis is not allowed.
        StoreCorruptError: a decision of the person is missing from the data.
    """
    if status in {ConsentStatus.DENIED, ConsentStatus.REVOKED}:
        return list(withdraw(instruments, caller, names, status, asking).events)
    now = instruments.clock.now()
    require_answer(names, asking, now)

    def attempt(person: Person) -> list[ConsentEvent]:
        person.ensure_slots(len(names))

        def work(tx: Transaction) -> tuple[list[ConsentEvent], Snapshot]:
            snapshot = person.read(tx)
            events = append_events(instruments, caller, person, tx, snapshot, names, status, asking, now)
            return events, snapshot

        events, snapshot = instruments.store.write(work, durable=True)
        person.publish(snapshot)
        return events

    return with_person(instruments, caller, attempt)


def active_consents(instruments: Instruments, caller: Caller) -> frozenset[str]:
    """Return the names of the consents in force; none where a decision of the person is missing from the data."""
    now = instruments.clock.now()
    return with_known_person(
        instruments, caller, lambda person: current(instruments, person).consents(now), nobody=frozenset
    )


def consent_trail(instruments: Instruments, caller: Caller) -> list[ConsentEvent]:
    """Return the whole ledger of the person, oldest first, refusals included."""
    return with_known_person(instruments, caller, lambda person: list(current(instruments, person).events), nobody=list)


def due(instruments: Instruments, caller: Caller) -> tuple[ConsentDue, ...]:
    """Return the consents to be asked for again, and why: expired, given under other terms, or given long ago."""
    now = instruments.clock.now()

    def attempt(person: Person) -> tuple[ConsentDue, ...]:
        with instruments.store.read() as reading:
            events = person.read(reading).events
            notices = current_notices(instruments, person.tenant, reading)
        return consents_due(events, notices, now)

    return with_known_person(instruments, caller, attempt, nobody=tuple)


def check_ledger(instruments: Instruments, caller: Caller) -> list[str]:
    """Return what is wrong with the person's ledger, by itself and beside the audit chain; nothing if all is well."""

    def attempt(person: Person) -> list[str]:
        with instruments.store.read() as reading:
            events = list(person.read(reading).events)
            recorded = recorded_fingerprints(reading, person.tenant).get(person.person, [])
        return [*verify_ledger(events), *missing_events(recorded, events)]

    return with_known_person(instruments, caller, attempt, nobody=list)


def set_opt_outs(instruments: Instruments, caller: Caller, names: Sequence[OptOut]) -> frozenset[OptOut]:
    """Replace what the person opted out of. What lives in a session of a scope that names one goes at once."""
    now = instruments.clock.now()
    wanted = OptOuts(names=tuple(sorted(set(names))))

    def attempt(person: Person) -> frozenset[OptOut]:
        person.ensure_slots(1)

        def work(tx: Transaction) -> None:
            snapshot = person.read(tx)
            require_whole(snapshot)
            seq = tx.bump(person.tenant, person.person)
            row = person.record(RecordKind.SETTING, _OPT_OUTS_KEY, wanted, seq=seq, now=now)
            tx.put_record(person.tenant, person.person, row)
            keep_decided(
                person, tx, events=snapshot.events, pauses=snapshot.pauses, opt_outs=wanted.names, seq=seq, now=now
            )
            write_event(
                tx,
                person.tenant,
                action=AuditAction.OPT_OUT_CHANGED,
                policy=CONSENT_POLICY,
                person=person.person,
                now=now,
                facts={"opt_outs": [person.tag("opt-out", name.value) for name in wanted.names]},
            )
            instruments.people.sessions.drop(
                person, fits=lambda entry: bool(ADAPTER_SCOPES[entry.adapter_scope].opt_outs & {*wanted.names})
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


__all__ = [
    "Asking",
    "active_consents",
    "check_ledger",
    "consent_trail",
    "due",
    "opt_outs",
    "record_consents",
    "scope_policies",
    "set_opt_outs",
]
