"""Disclose: the answer to an access request, put together when it is read, and kept nowhere. It marks no use."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from iris_memory.contracts.audit import RIGHTS_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.disclosure import Disclosure, ProcessingInformation
from iris_memory.contracts.entry import Label, RecentRecall, UsageRecord
from iris_memory.contracts.rights import (
    AccessPayload,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsState,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.flows.held import holds_of
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.register import REGISTER
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.rights import unknown_request
from iris_memory.flows.rights_records import load
from iris_memory.flows.usage import RecallLog
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading
from iris_memory.rules.rights import refuse
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, RETENTION
from iris_memory.tables.regimes import ANSWER_DAYS

_RIGHTS = (
    "to see and to take along what is held (access, export)",
    "to have it put right, set aside or deleted (rectify, restrict, delete)",
    "to object to a purpose and to take a consent back (object, withdraw-consent)",
    "to appeal a decision, and to complain to a supervisory authority",
)
_AUTOMATED = (
    "What is remembered is chosen for an assistant's context by fixed rules (gates, then a score of recency, words,"
    " use and origin); every memory's verdict and score can be explained. No decision about the person is made here."
)
_TRANSFERS = "Everything lies in the store of the one who runs it; the software sends nothing anywhere by itself."


def disclosure(instruments: Instruments, caller: Caller, request_id: str) -> Disclosure | RightsRefused:
    """Return the answer to an access request that was granted, for thirty days after.

    Raises:
        UnknownMemoryError: the person has no such request.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> Disclosure | RightsRefused:
        instruments.people.usage.flush(instruments.store)
        with instruments.store.read() as reading:
            request = load(person, reading, request_id) or unknown_request()
            closed = _why_closed(request, now)
            if closed is not None:
                return closed
            told = compose(instruments, person, reading, request, now=now)
        instruments.store.write(
            lambda tx: write_event(
                tx,
                person.tenant,
                action=AuditAction.MEMORY_READ,
                policy=RIGHTS_POLICY,
                person=person.person,
                now=now,
                facts={"object_ids": [entry.id for entry in told.memories], "request": request_id},
            ),
            durable=False,
        )
        return told

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def compose(
    instruments: Instruments, person: Person, reading: Reading, request: RightsRequest, *, now: datetime
) -> Disclosure:
    """Put together everything that is held of a person, as an access request names it."""
    snapshot = person.read(reading)
    payload = request.payload
    scopes = frozenset(payload.scopes) if isinstance(payload, AccessPayload) else frozenset[AdapterScope]()
    columns = snapshot.columns
    entries = [columns.entry(row) for row in columns.rows()]
    entries = [entry for entry in entries if not scopes or entry.adapter_scope in scopes]
    entries.sort(key=lambda entry: (entry.created_at, entry.logical_id))
    recalls = recalls_of(person, reading)
    holds = [one.hold for one in holds_of(instruments, reading, person.tenant, person.person)]
    visible = [hold for hold in holds if not hold.is_sealed and hold.confirmed_at is not None]
    return Disclosure(
        request_id=request.request_id,
        generated_at=now,
        information=information_of(snapshot, entries, now),
        holdings=_holdings(instruments, person, reading, visible=len(visible)),
        memories=tuple(entries),
        uses=tuple(
            UsageRecord(
                logical_id=entry.logical_id,
                reference_count=entry.reference_count,
                last_referenced_at=entry.last_referenced_at,
                recent=tuple(recalls.get(entry.logical_id, ())),
            )
            for entry in entries
            if entry.reference_count
        ),
        consents=snapshot.events,
        opt_outs=tuple(sorted(snapshot.opt_outs)),
        holds=tuple(visible),
    )


def _holdings(instruments: Instruments, person: Person, reading: Reading, *, visible: int) -> dict[str, int]:
    """Count what each holding has of the person; of legal holds those that may be seen."""
    counted = {holding.name: holding.prober(instruments, person, reading) for holding in REGISTER}
    return {**counted, f"records: {RecordKind.LEGAL_HOLD.value}": visible}


def recalls_of(person: Person, reading: Reading) -> dict[str, list[RecentRecall]]:
    """Return every recall that is still in the person's log, by memory."""
    found = defaultdict(list)
    for row in reading.records(person.tenant, person.person, RecordKind.RECALL):
        plain = person.open_record(row)
        served_recalls = RecallLog.model_validate_json(plain).recalls if plain is not None else ()
        for served in served_recalls:
            for name, reasons in served.hits:
                found[name].append(
                    RecentRecall(
                        at=served.at,
                        surface=served.surface,
                        consumer=served.consumer,
                        assistant_id=served.assistant_id,
                        request_scope=served.request_scope,
                        rationale=reasons,
                    )
                )
    return found


def _why_closed(request: RightsRequest, now: datetime) -> RightsRefused | None:
    if not isinstance(request.payload, AccessPayload) or request.state is not RightsState.COMPLETED:
        return refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, "an access request is answered once it is completed")
    if (now - request.trail[-1].at).days >= ANSWER_DAYS:
        return refuse(RightsRefusal.DEADLINE_PASSED, "the answer can be read for thirty days; ask again")
    return None


class Seen(Protocol):
    """What the information asks of a memory."""

    @property
    def adapter_scope(self) -> AdapterScope:
        """Where it lives."""
        ...

    @property
    def category(self) -> Category:
        """What it is about."""
        ...

    @property
    def label(self) -> Label:
        """Who wrote the bytes."""
        ...


def information_of(snapshot: Snapshot, entries: Sequence[Seen], now: datetime) -> ProcessingInformation:
    """Return what GDPR Art. 15(1) wants said of memories."""
    scopes = sorted({entry.adapter_scope for entry in entries})
    consents = snapshot.consents(now)
    recipients = {consumer for scope in scopes for consumer in ADAPTER_SCOPES[scope].consumers}
    purposes = ["to give an assistant what it may remember of the person when it is relevant"] if entries else []
    purposes += [f"consented to: {name.replace('_', ' ')}" for name in sorted(consents)]
    return ProcessingInformation(
        purposes=tuple(purposes),
        categories=tuple(sorted({entry.category for entry in entries})),
        recipients=tuple(sorted(recipients)),
        retention={scope: _kept_for(scope) for scope in scopes},
        sources=dict(sorted(Counter(entry.label.value for entry in entries).items())),
        rights=_RIGHTS,
        automated_decisions=_AUTOMATED,
        transfers=_TRANSFERS,
    )


def _kept_for(scope: AdapterScope) -> str:
    envelope = RETENTION[scope]
    raw = f"{envelope.raw.days} days" if envelope.raw is not None else "until it is forgotten"
    return f"{raw}; at its end: {envelope.at_expiry.value}"
