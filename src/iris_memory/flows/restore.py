"""Restore: accept an older copy of the data, and replay every erasure on it before anything is served (DSR-11).

The erasure ledger is the vault: it is live, it lies where no backup of the data reaches, and a key it has destroyed
names exactly what was forgotten. So nothing of a restored copy that was forgotten since can be read; what is left to do
is to take its rows away, leave tombstones, tell the chain, and put the head back that an older chain can be held to.

What the copy lost is lost: what was written, consented, taken back or paused since. The event says how many events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from iris_memory.chain.canonical import JsonValue
from iris_memory.chain.checkpoint import Checkpoint, open_checkpoint
from iris_memory.contracts.audit import FORGET_POLICY, AuditAction, Severity
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import StoreRolledBackError
from iris_memory.flows.audit import is_sound
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of, write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.seal import key_periods, root_at, seal
from iris_memory.flows.stamp import STORE
from iris_memory.ports.heads import Heads
from iris_memory.ports.rows import ERASED, RecordKind, RecordRow, TombstoneRow
from iris_memory.ports.unit_of_work import Reading, Transaction

_PAGE: Final = 1_000
_DECISIONS: Final = frozenset({RecordKind.CONSENT, RecordKind.PAUSE, RecordKind.SETTING})
"""Records that a person is not served without: one that cannot be opened stays, and locks the person."""


@dataclass(slots=True)
class Behind:
    """One tenant whose chain is shorter than a head that was kept outside."""

    tenant: str
    size: int
    outside: Checkpoint


@dataclass(frozen=True, slots=True)
class Due:
    """What of one person is still there and was forgotten: ids with the instant each was first written."""

    tenant: str
    person: str
    memories: dict[str, int]
    records: tuple[tuple[RecordKind, str], ...] = ()
    whole: bool = False


@dataclass(slots=True)
class Restored:
    """What a replay found, and, once it was accepted, did. No personal data."""

    behind: dict[str, int] = field(default_factory=dict)
    """The number of events that each tenant's chain lost."""
    memories: int = 0
    people: int = 0
    records: int = 0

    @property
    def events_lost(self) -> int:
        """How many events the copy has not."""
        return sum(self.behind.values())

    @property
    def is_needed(self) -> bool:
        """Say whether there is anything to accept or to replay."""
        return bool(self.behind or self.memories or self.people or self.records)


def look(instruments: Instruments, places: Sequence[Heads]) -> Restored:
    """Say what accepting the data as it is would mean; change nothing.

    Raises:
        StoreRolledBackError: it is no older copy of this store, or the vault is older than the data.
    """
    found = Restored({one.tenant: one.outside.size - one.size for one in _behind(instruments, places)})
    for due in _due(instruments):
        _count(found, due)
    return found


def accept_older(instruments: Instruments, places: Sequence[Heads]) -> Restored:
    """Replay every erasure, tell each chain, and put heads back that fit. Nobody else has the store open.

    It may be cut short and run again: what is done is not found again, and heads are put back last.

    Raises:
        StoreRolledBackError: it is no older copy of this store, or the vault is older than the data.
    """
    behind = {one.tenant: one for one in _behind(instruments, places)}
    done = Restored({tenant: one.outside.size - one.size for tenant, one in behind.items()})
    per_tenant: dict[str, Restored] = {tenant: Restored() for tenant in behind}
    receipt = instruments.ids.entry_id(instruments.clock.now())
    for due in list(_due(instruments)):
        now = instruments.clock.now()
        instruments.store.write(partial(_replay, due=due, receipt=receipt, now=now), durable=True)
        _count(done, due)
        _count(per_tenant.setdefault(due.tenant, Restored()), due)
    for tenant, counted in per_tenant.items():
        _tell(instruments, tenant, counted, behind.get(tenant), receipt)
    instruments.store.scrub()
    for tenant in behind:
        note = seal(instruments, tenant)
        for heads in places:
            if heads.kept(tenant) is not None:
                heads.put_back(tenant, note)
    return done


def _behind(instruments: Instruments, places: Sequence[Heads]) -> list[Behind]:
    """Return the tenants whose chain ends before a head; refuse a chain that is not the beginning of what the head saw.

    An older copy is linked from its first line on and carries heads of its own that the vault's keys signed. One that
    reaches as far as the head and says something else is a fork, and never accepted.
    """
    found: dict[str, Behind] = {}
    for heads in places:
        for tenant in heads.tenants():
            note = heads.kept(tenant)
            if note is None:
                continue
            keys = [period.key for period in key_periods(instruments, tenant)]
            outside = open_checkpoint(note, keys=keys)
            with instruments.store.read() as reading:
                size = head_of(reading, tenant).size
            if size >= outside.size:
                if root_at(instruments, tenant, outside.size) != outside.root:
                    raise StoreRolledBackError(
                        "the audit chain is as long as a head kept outside and says something else: it is no older"
                        " copy, and is never accepted; restore another"
                    )
                continue
            if not is_sound(instruments, tenant):
                raise StoreRolledBackError(
                    "the audit chain of the copy is damaged or was changed, and is never accepted; restore another"
                )
            known = found.get(tenant)
            if known is None or known.outside.size < outside.size:
                found[tenant] = Behind(tenant, size, outside)
    return [found[tenant] for tenant in sorted(found)]


def _due(instruments: Instruments) -> Iterator[Due]:
    """Yield, person by person, what is still there although its key was destroyed.

    Raises:
        StoreRolledBackError: a row names a key that was never made: the vault is older than the data.
    """
    with instruments.store.read() as reading:
        owners = [owner for owner in reading.owners() if owner[0] != STORE and owner[1] != TENANT]
    for tenant, person in owners:
        with instruments.store.read() as reading:
            due = _due_of(instruments, reading, tenant, person)
        if due is not None:
            yield due


def _due_of(instruments: Instruments, reading: Reading, tenant: str, person: str) -> Due | None:
    if reading.state(tenant, person).version == ERASED:
        return None
    subject = instruments.vault.open_subject(tenant, person)
    current, created, slots = _memories(reading, tenant, person)
    records = _records(reading, tenant, person)
    if subject is None:
        return Due(tenant, person, created, whole=True)
    named = {slot for slot in slots if slot} | {row.slot for row in records if row.slot}
    if max(named, default=0) > instruments.vault.slots_made(subject):
        raise StoreRolledBackError(
            "a row names a key that was never made: the vault is older than the data; restore its newest copy first"
        )
    opened = instruments.vault.open_slots(subject)
    memories = {name: created[name] for name, slot in current.items() if slot and slot not in opened}
    gone = tuple(
        (row.kind, row.key) for row in records if row.slot and row.slot not in opened and row.kind not in _DECISIONS
    )
    return Due(tenant, person, memories, gone) if memories or gone else None


def _memories(reading: Reading, tenant: str, person: str) -> tuple[dict[str, int], dict[str, int], set[int]]:
    """Return the slot of each memory's newest revision, when each was first written, and every slot."""
    current: dict[str, int] = {}
    created: dict[str, int] = {}
    slots: set[int] = set()
    after = ("", 0)
    while rows := reading.every_entry(tenant, person, after=after, limit=_PAGE):
        for row, _ in rows:
            current[row.logical_id] = row.slot
            created.setdefault(row.logical_id, row.created_at)
            slots.add(row.slot)
        after = (rows[-1].row.logical_id, rows[-1].row.revision)
    return current, created, slots


def _records(reading: Reading, tenant: str, person: str) -> list[RecordRow]:
    found: list[RecordRow] = []
    after = ("", "")
    while rows := reading.every_record(tenant, person, after=after, limit=_PAGE):
        found += [row._replace(blob=b"") for row in rows]
        after = (rows[-1].kind.value, rows[-1].key)
    return found


def _replay(tx: Transaction, *, due: Due, receipt: str, now: datetime) -> None:
    tenant, person = due.tenant, due.person
    reason = TombstoneReason.EVERYTHING_FORGOTTEN if due.whole else TombstoneReason.FORGOTTEN_BY_PERSON
    seq = tx.bump(tenant, person)
    stones = [
        TombstoneRow(name, seq, created, to_micros(now), reason.value, receipt)
        for name, created in sorted(due.memories.items())
    ]
    if stones:
        tx.bury(tenant, person, stones)
    for kind, key in due.records:
        tx.drop_records(tenant, person, kind, [key])
    if due.whole:
        tx.erase_person(tenant, person, keep_tombstones=True)


def _tell(instruments: Instruments, tenant: str, counted: Restored, behind: Behind | None, receipt: str) -> None:
    """Write down what was accepted, with the head that was given up: who kept it can prove that there was more."""
    now = instruments.clock.now()
    facts: dict[str, JsonValue] = {
        "receipt": receipt,
        "memories": counted.memories,
        "people": counted.people,
        "records": counted.records,
    }
    if behind is not None:
        facts |= {
            "events_lost": behind.outside.size - behind.size,
            "head_given_up": {"size": behind.outside.size, "root": behind.outside.root.hex()},
        }
    instruments.store.write(
        lambda tx: write_event(
            tx,
            tenant,
            action=AuditAction.STORE_RESTORED,
            policy=FORGET_POLICY,
            person=TENANT,
            now=now,
            severity=Severity.WARNING,
            facts=facts,
        ),
        durable=True,
    )


def _count(found: Restored, due: Due) -> None:
    found.memories += len(due.memories)
    found.records += len(due.records)
    found.people += due.whole
