"""Purging: consents of deleted categories stay as events of the ledger, without the person and the words.

What is destroyed is the values and the blindings; the fingerprints stay, so the chain verifies as before and nobody can
open or guess what it commits to. A consent still in force ends first: nothing may rest on an event without a person.
The purge is an event of the audit chain itself.
"""

from __future__ import annotations

from collections.abc import Collection

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ConsentEvent, ConsentStatus, category_consent
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.shape import from_micros
from iris_memory.flows import cascade, consent
from iris_memory.flows.consent import Asking
from iris_memory.flows.decided import require_whole
from iris_memory.flows.forgetting import destroy, scrub
from iris_memory.flows.held import keeps_whole
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.intents import Going, Intent, keep_intent
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.consent import PURGED, purged
from iris_memory.tables.categories import is_sensitive


def purge_consents(
    instruments: Instruments, caller: Caller, categories: Collection[Category], *, why: str
) -> int | None:
    """Purge the ledger of the consents of categories; return how many events, or None where a legal hold keeps it.

    Events that were purged before are left alone, so it may run again.
    """
    names = {category_consent(category) for category in categories if is_sensitive(category)}
    now = instruments.clock.now()

    def is_held(person: Person) -> bool:
        with instruments.store.read() as reading:
            return keeps_whole(instruments, reading, person.tenant, person.person, now=now)

    if with_known_person(instruments, caller, is_held, nobody=lambda: False):
        return None
    in_force = sorted(names & consent.active_consents(instruments, caller))
    if in_force:
        asking = Asking(terms="withdrawal", witness=why)
        cascade.withdraw(instruments, caller, in_force, ConsentStatus.REVOKED, asking, scan=False)

    def attempt(person: Person) -> int:
        with instruments.store.read() as reading:
            person.ensure_slots(len(reading.records(person.tenant, person.person, RecordKind.CONSENT)) or 1)

        def work(tx: Transaction) -> tuple[Going | None, int]:
            require_whole(person.read(tx))
            return _purge(instruments, person, tx, names)

        going, count = instruments.store.write(work, durable=True)
        if going is not None:
            destroy(instruments, person, going)
            scrub(instruments, [(person.tenant, going.intent.receipt_id)])
        return count

    return with_known_person(instruments, caller, attempt, nobody=lambda: 0)


def _purge(
    instruments: Instruments, person: Person, tx: Transaction, names: Collection[str]
) -> tuple[Going | None, int]:
    now = instruments.clock.now()
    found = []
    for row in tx.records(person.tenant, person.person, RecordKind.CONSENT):
        plain = person.open_record(row)
        event = ConsentEvent.model_validate_json(plain) if plain is not None else None
        if event is not None and event.type in names and event.user_id != PURGED:
            found.append((row, event))
    if not found:
        return None, 0
    seq = tx.bump(person.tenant, person.person)
    for row, event in found:
        kept = person.record(RecordKind.CONSENT, row.key, purged(event), seq=seq, now=from_micros(row.created_at))
        tx.put_record(person.tenant, person.person, kept)
    intent = Intent(
        receipt_id=instruments.ids.entry_id(now),
        tenant=person.tenant,
        person=person.person,
        reason=TombstoneReason.DATA_RIGHTS_REQUEST,
        asked_at=now,
        logical_ids=(),
        slots=tuple(sorted(row.slot for row, _ in found if row.slot)),
    )
    keep_intent(instruments, tx, intent)
    write_event(
        tx,
        person.tenant,
        action=AuditAction.LEDGER_PURGED,
        policy=CONSENT_POLICY,
        person=person.person,
        now=now,
        facts={"object_ids": [event.event_id for _, event in found], "receipt": intent.receipt_id},
    )
    return Going(intent), len(found)
