"""Migrate: move the data of a store into another engine, row by row, sealed as it is. Keys and heads stay in place.

A move compares before it copies: a person whose rows are the same on both sides is passed over, a chain goes on where
it ends. So a move that was killed is run again and goes on, and one that is complete changes nothing. The source is
only read. Both sides are read by pages; of each person no more than a page and a digest is in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import NamedTuple, TypeVar

from iris_memory.contracts.category import Context
from iris_memory.contracts.scope import ScopeKind
from iris_memory.errors import KeyDestroyedError, StorageError
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.recall import Wish, question_of
from iris_memory.flows.stamp import STORE, Stamp, foreign, put_stamp, stamp_of
from iris_memory.ports.restoring import StoredEntry, StoredUse
from iris_memory.ports.rows import AuditRow, RecordRow
from iris_memory.ports.unit_of_work import Reading, Store, Transaction

R = TypeVar("R")

PAGE = 1_000
LINES = 2_000
RECALLED = 50
"""How many people are asked the same on both sides at the end."""

_ASKED = 3


class Counts(NamedTuple):
    """How many rows there are of each kind."""

    entries: int = 0
    uses: int = 0
    tombstones: int = 0
    records: int = 0

    def plus(self, other: Counts) -> Counts:
        """Return the sums."""
        return Counts(*(mine + its for mine, its in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move found and did; every count was compared on both sides.

    `owners` counts people and, one each, tenants; `copied` those of them whose rows were written by this run.
    """

    owners: int
    copied: int
    rows: Counts
    tenants: int
    events: int
    checkpoints: int
    recalls_compared: int


Progress = Callable[[int, int], None]
"""Told how many owners are done, of how many."""


def migrate(
    source: Instruments, target: Store, *, store_id: str, page: int = PAGE, progress: Progress = lambda done, of: None
) -> Moved:
    """Copy everything that `target` has not, compare everything, and leave the target ready to be opened.

    Nobody may write to either side meanwhile: the caller holds the store alone.

    Raises:
        StorageError: the target holds another store, or another story of this one; nothing was changed. Or the sides
            differ at the end, and the target stays unfinished.
    """
    owners = _require_fit(source.store, target, store_id)
    target.write(lambda tx: put_stamp(tx, Stamp(store_id=store_id, moving=True)), durable=True)
    with target.read() as reading:
        there = set(reading.owners())
    copied = 0
    for done, (tenant, person) in enumerate(owners):
        progress(done, len(owners))
        known = (tenant, person) in there
        if not known or digest(source.store, tenant, person) != digest(target, tenant, person):
            _copy(source.store, target, tenant, person, page=page)
            copied += 1
    tenants = sorted({tenant for tenant, _ in owners})
    for tenant in tenants:
        _copy_chain(source.store, target, tenant)
    rows = _require_same_rows(source.store, target, owners)
    events, checkpoints = _require_same_chains(source.store, target, tenants)
    recalls = compare_recalls(source, replace(source, store=target), owners)
    target.write(lambda tx: put_stamp(tx, Stamp(store_id=store_id)), durable=True)
    progress(len(owners), len(owners))
    return Moved(len(owners), copied, rows, len(tenants), events, checkpoints, recalls)


def digest(store: Store, tenant: str, person: str) -> tuple[bytes, Counts]:
    """Return a digest over every row and both counters of a person, and how many rows there are."""
    found = hashlib.sha256()
    counts = [0, 0, 0, 0]
    with store.read() as reading:
        state = reading.state(tenant, person)
        found.update(repr((state.version, state.usage_seq)).encode())
        for place, rows in enumerate(_rows(reading, tenant, person)):
            for row in rows:
                counts[place] += 1
                found.update(repr(row).encode())
            found.update(b"\n")
    return found.digest(), Counts(*counts)


def compare_recalls(source: Instruments, target: Instruments, owners: list[tuple[str, str]]) -> int:
    """Ask for some people's memory on both sides; return how many recalls gave the same bytes.

    Raises:
        StorageError: a recall differs.
    """
    people = [(tenant, person) for tenant, person in owners if person]
    step = max(1, len(people) // RECALLED)
    now = source.clock.now()
    compared = 0
    for tenant, person in people[::step]:
        mine, its = _answers(source, tenant, person, now), _answers(target, tenant, person, now)
        if mine != its:
            raise StorageError("a recall differs between source and target; the move is not finished")
        compared += len(mine)
    return compared


def _require_fit(source: Store, target: Store, store_id: str) -> list[tuple[str, str]]:
    """Refuse a target that holds anything the source has not; return the owners of the source."""
    with source.read() as reading:
        owners = [owner for owner in reading.owners() if owner[0] != STORE]
    with target.read() as reading:
        stamp = stamp_of(reading)
        there = [owner for owner in reading.owners() if owner[0] != STORE]
    if stamp is None and there:
        raise foreign()
    if stamp is not None and stamp.store_id != store_id:
        raise foreign()
    if not set(there) <= set(owners):
        raise _other_story()
    for tenant in sorted({tenant for tenant, _ in there}):
        _require_prefix(source, target, tenant)
    return owners


def _require_prefix(source: Store, target: Store, tenant: str) -> int:
    """Return how many lines of a tenant's chain the target has; refuse lines that the source has not."""
    start = 1
    while True:
        with source.read() as mine, target.read() as its:
            there = its.audit_lines(tenant, start=start, limit=LINES)
            if not there:
                return start - 1
            if mine.audit_lines(tenant, start=start, limit=len(there)) != there:
                raise _other_story()
        start += len(there)


def _copy(source: Store, target: Store, tenant: str, person: str, *, page: int) -> None:
    """Replace all rows of a person; counters last, so that a copy cut short never looks complete."""
    target.write(lambda tx: tx.clear_person(tenant, person), durable=False)
    with source.read() as reading:
        state = reading.state(tenant, person)
        for entries in _pages(_entries(reading, tenant, person, page), page):
            target.write(partial(_put_entries, tenant=tenant, person=person, rows=entries), durable=False)
        for uses in _pages(_uses(reading, tenant, person, page), page):
            target.write(partial(_put_uses, tenant=tenant, person=person, rows=uses), durable=False)
        for records in _pages(_records(reading, tenant, person, page), page):
            target.write(partial(_put_records, tenant=tenant, person=person, rows=records), durable=False)
        stones = reading.tombstones(tenant, person)

    def finish(tx: Transaction) -> None:
        if stones:
            tx.bury(tenant, person, stones)
        tx.restore_counters(tenant, person, version=state.version, usage_seq=state.usage_seq)

    target.write(finish, durable=False)


def _put_entries(tx: Transaction, *, tenant: str, person: str, rows: list[StoredEntry]) -> None:
    tx.restore_entries(tenant, person, rows)


def _put_uses(tx: Transaction, *, tenant: str, person: str, rows: list[StoredUse]) -> None:
    tx.restore_uses(tenant, person, rows)


def _put_records(tx: Transaction, *, tenant: str, person: str, rows: list[RecordRow]) -> None:
    tx.restore_records(tenant, person, rows)


def _put_lines(tx: Transaction, *, tenant: str, rows: list[AuditRow], head: bytes) -> None:
    tx.append_audit(tenant, rows, head)


def _copy_chain(source: Store, target: Store, tenant: str) -> None:
    start = _require_prefix(source, target, tenant) + 1
    with source.read() as reading:
        head = reading.audit_head(tenant)
        while head is not None and (lines := reading.audit_lines(tenant, start=start, limit=LINES)):
            target.write(partial(_put_lines, tenant=tenant, rows=lines, head=head), durable=False)
            start += len(lines)
        notes = reading.checkpoints(tenant)

    def keep(tx: Transaction) -> None:
        for note in notes:
            if note not in known:
                tx.add_checkpoint(tenant, note)

    with target.read() as there:
        known = set(there.checkpoints(tenant))
    target.write(keep, durable=False)


def _require_same_rows(source: Store, target: Store, owners: list[tuple[str, str]]) -> Counts:
    with target.read() as reading:
        if [owner for owner in reading.owners() if owner[0] != STORE] != owners:
            raise _differ()
    total = Counts()
    for tenant, person in owners:
        mine, its = digest(source, tenant, person), digest(target, tenant, person)
        if mine != its:
            raise _differ()
        total = total.plus(mine[1])
    return total


def _require_same_chains(source: Store, target: Store, tenants: list[str]) -> tuple[int, int]:
    events = checkpoints = 0
    with source.read() as mine, target.read() as its:
        for tenant in tenants:
            notes = mine.checkpoints(tenant)
            if mine.audit_head(tenant) != its.audit_head(tenant) or notes != its.checkpoints(tenant):
                raise _differ()
            checkpoints += len(notes)
    for tenant in tenants:
        length = _require_prefix(source, target, tenant)
        with source.read() as mine:
            if mine.audit_lines(tenant, start=length + 1, limit=1):
                raise _differ()
        events += length
    return events, checkpoints


def _answers(instruments: Instruments, tenant: str, person: str, now: datetime) -> list[str]:
    """Return the bytes of a few recalls of one person, without marking use or telling the chain."""
    subject = instruments.vault.open_subject(tenant, person)
    if subject is None:
        return []
    key = instruments.vault.tenant_key(tenant)
    somebody = Person(subject, "", tenant_key=key, vault=instruments.vault, secret=instruments.ids.secret)
    try:
        with instruments.store.read() as reading:
            snapshot = somebody.read(reading)
    except KeyDestroyedError:  # the person's erasure is on its way: opening the store ends it
        return []
    rows = snapshot.columns.rows()
    if not rows:
        return []
    columns = snapshot.columns
    first = columns.entry(rows[0])
    answers = []
    for place in range(_ASKED):
        entry = columns.entry(rows[place * (len(rows) - 1) // max(1, _ASKED - 1)])
        wish = Wish(
            text=entry.body[:200] if place else "",
            scope=entry.scope if entry.scope.kind is ScopeKind.SESSION else None,
            contexts=frozenset(Context),
        )
        frozen = replace(instruments, clock=_Standing(now))
        asked = question_of(frozen, Caller(tenant, first.user_id), somebody, snapshot, wish)
        answers.append(frozen.pipeline.recall(columns, asked).model_dump_json())
    return answers


class _Standing:
    """A clock that stands, so that both sides are asked at the same instant."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now


def _rows(reading: Reading, tenant: str, person: str) -> list[Iterator[object]]:
    return [
        _entries(reading, tenant, person, PAGE),
        _uses(reading, tenant, person, PAGE),
        iter(reading.tombstones(tenant, person)),
        _records(reading, tenant, person, PAGE),
    ]


def _entries(reading: Reading, tenant: str, person: str, page: int) -> Iterator[StoredEntry]:
    after = ("", 0)
    while rows := reading.every_entry(tenant, person, after=after, limit=page):
        yield from rows
        after = (rows[-1].row.logical_id, rows[-1].row.revision)


def _uses(reading: Reading, tenant: str, person: str, page: int) -> Iterator[StoredUse]:
    after = ""
    while rows := reading.every_use(tenant, person, after=after, limit=page):
        yield from rows
        after = rows[-1].row.logical_id


def _records(reading: Reading, tenant: str, person: str, page: int) -> Iterator[RecordRow]:
    after = ("", "")
    while rows := reading.every_record(tenant, person, after=after, limit=page):
        yield from rows
        after = (rows[-1].kind.value, rows[-1].key)


def _pages(rows: Iterator[R], page: int) -> Iterator[list[R]]:
    held: list[R] = []
    for row in rows:
        held.append(row)
        if len(held) == page:
            yield held
            held = []
    if held:
        yield held


def _other_story() -> StorageError:
    return StorageError(
        "the target holds rows or events that the source has not: it is another store, or went on by itself; nothing"
        " was changed"
    )


def _differ() -> StorageError:
    return StorageError("source and target differ at the end; the move is not finished, run it again")
