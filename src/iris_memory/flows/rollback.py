"""Rollback: everything from one source goes, or a person's memory goes back to an instant (POI-9).

Going back: what was first written since is forgotten for good; what was changed since says again, as its next revision,
what it said at that instant, under the label those words had. The revisions in between stay in the history. Each is
admitted like any write: without its consents, or where its words were forgotten elsewhere, a memory stays as it is.
"""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.entry import Lifecycle, MemoryEntry
from iris_memory.contracts.erasure import ForgetReceipt, ForgetTarget
from iris_memory.contracts.inference import Observation
from iris_memory.contracts.shape import Contract, Count, to_micros
from iris_memory.contracts.write import Written
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.following import follow
from iris_memory.flows.forget_ephemeral import forget
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.observe import session_tag
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import unknown
from iris_memory.flows.remember import packed_rows, store_drafts
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.packing import unpack, wording
from iris_memory.rules.lifecycle import is_leaving, successor
from iris_memory.rules.scope_change import is_read_only_copy


class RolledBack(Contract):
    """What going back did: the receipt of what went, and how many memories say again what they said."""

    receipt: ForgetReceipt
    restored: Count


def forget_source(instruments: Instruments, caller: Caller, ref: str, *, scan: bool = False) -> ForgetReceipt:
    """Forget everything that came from a source (a reference of the provenance, such as a session, page or file).

    What the person typed themselves goes only where it is its own first source; that it once took the place of the
    source's words is no reason. What was observed in a session of that name is no longer counted.
    """

    def attempt(person: Person) -> None:
        instruments.store.write(lambda tx: _uncount(person, tx, session_tag(person, ref)), durable=True)

    with_known_person(instruments, caller, attempt, nobody=lambda: None)
    return forget(instruments, caller, ForgetTarget(source=ref), scan=scan)


def roll_back(instruments: Instruments, caller: Caller, to: datetime, *, scan: bool = False) -> RolledBack:
    """Bring a person's memory back to what it was at an instant.

    Raises:
        UnknownMemoryError: nothing is known of the person.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> int:
        changed = len(_changed(person.snapshot, to))
        person.ensure_slots(max(changed, 1))

        def work(tx: Transaction) -> tuple[list[Draft], Snapshot]:
            snapshot = person.read(tx)
            composer = Composer(instruments, caller, person, snapshot, now)
            drafts = []
            for entry in _changed(snapshot, to):
                before = _as_of(person, tx, entry, to)
                if before is None:
                    continue
                made = _restored(entry, before, entry_id=instruments.ids.entry_id(now), now=now)
                if _may_stand(composer, entry, made):
                    drafts.append(Draft(Written(entry=made, replaced=entry.id), entry=made, is_new=True))
            if not drafts:
                return [], snapshot
            seq = tx.bump(person.tenant, person.person)
            store_drafts(person, tx, composer, drafts, seq=seq)
            restored = list(drafts)
            changed = [draft.entry for draft in drafts if draft.entry is not None]
            drafts += follow(instruments, person, tx, snapshot, composer, changed, seq=seq, now=now)
            write_event(
                tx,
                person.tenant,
                action=AuditAction.MEMORY_ROLLED_BACK,
                policy=WRITE_POLICY,
                person=person.person,
                now=now,
                facts={
                    "object_ids": [draft.entry.id for draft in drafts if draft.entry],
                    "commitments": [draft.commitment for draft in drafts],
                },
            )
            return restored, snapshot.after_writing(packed_rows(drafts), version=seq)

        restored, snapshot = instruments.store.write(work, durable=True)
        person.publish(snapshot)
        announce_writes(instruments, caller, person, [draft.outcome for draft in restored])
        return len(restored)

    restored = with_known_person(instruments, caller, attempt, nobody=_nobody)
    receipt = forget(instruments, caller, ForgetTarget(since=to), scan=scan)
    return RolledBack(receipt=receipt, restored=restored)


def _changed(snapshot: Snapshot, to: datetime) -> list[MemoryEntry]:
    """Return the memories that were there at an instant and were changed since; copies follow their sources."""
    columns, since = snapshot.columns, to_micros(to)
    rows = [
        row for row in columns.rows() if columns.traits.updated[row] >= since and wording(columns.packs[row])[1] > 1
    ]
    return [
        entry
        for entry in map(columns.entry, rows)
        if entry.created_at < to and not is_read_only_copy(entry) and not is_leaving(entry)
    ]


def _as_of(person: Person, tx: Transaction, entry: MemoryEntry, to: datetime) -> MemoryEntry | None:
    """Return the revision that stood at an instant."""
    rows = [
        row for row in tx.revisions(person.tenant, person.person, entry.logical_id) if row.updated_at < to_micros(to)
    ]
    opened = person.open_entries(rows[-1:])
    return unpack(opened[0].pack) if opened else None


def _may_stand(composer: Composer, entry: MemoryEntry, made: MemoryEntry) -> bool:
    if composer.admit_entry(made, session_id=None) is not None:
        return False
    return made.body == entry.body or composer.refuse_forgotten(made.body) is None


def _restored(entry: MemoryEntry, before: MemoryEntry, *, entry_id: str, now: datetime) -> MemoryEntry:
    return successor(
        entry,
        entry_id=entry_id,
        now=now,
        lifecycle=_lifecycle(entry, before),
        body=before.body,
        category=before.category,
        subject=before.subject,
        scope=before.scope,
        adapter_scope=before.adapter_scope,
        origin=before.origin,
        label=before.label,
        provenance_chain=before.provenance_chain,
        quarantine=before.quarantine,
        consents=before.consents,
        multi_actor=before.multi_actor,
        confidence=before.confidence,
        expires_at=before.expires_at,
    )


def _lifecycle(entry: MemoryEntry, before: MemoryEntry) -> Lifecycle:
    if entry.lifecycle is Lifecycle.PAUSED:  # what was asked to be deleted comes back by that request alone
        return entry.lifecycle
    return before.lifecycle if before.lifecycle is not Lifecycle.SUPERSEDED else Lifecycle.ACTIVE


def _uncount(person: Person, tx: Transaction, session: str) -> None:
    for row in tx.records(person.tenant, person.person, RecordKind.OBSERVATION):
        plain = person.open_record(row)
        refs = Observation.model_validate_json(plain).refs if plain is not None else ()
        left = tuple(ref for ref in refs if ref.session != session)
        if len(left) == len(refs):
            continue
        tx.drop_records(person.tenant, person.person, RecordKind.OBSERVATION, [row.key])
        if left:
            newest = max(ref.at for ref in left)
            kept = person.own_record(row.kind, row.key, Observation(refs=left), seq=row.seq, now=newest)
            tx.put_record(person.tenant, person.person, kept._replace(expires_at=row.expires_at))


def _nobody() -> int:
    raise unknown()
