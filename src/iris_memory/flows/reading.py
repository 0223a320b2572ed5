"""Reading: the person's own view of what is remembered. It marks no use, and is told of in the audit chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from heapq import nlargest
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Origin, UsageRecord
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import to_micros
from iris_memory.contracts.write import Question
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.asking import as_question, waiting
from iris_memory.flows.ephemeral import living
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.usage import recent_recalls
from iris_memory.flows.volatile import Fleeting
from iris_memory.recall.columns import MATTERS, STANDINGS, Columns
from iris_memory.recall.packing import unpack, wording
from iris_memory.rules.lifecycle import as_superseded
from iris_memory.rules.scope_policy import is_shown_to

_ORIGINS: Final = tuple(Origin)
_NEVER_USED: Final = -(1 << 62)
_NO_COUNTS: Final[Mapping[str, int]] = MappingProxyType({})


class Order(StrEnum):
    """What comes first in a listing."""

    CHANGED = "changed"
    USED = "used"
    OLDEST = "oldest"


class Filter(NamedTuple):
    """What to list; everything where nothing is named."""

    category: Category | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin | None = None
    lifecycles: Collection[Lifecycle] | None = None
    words: str = ""
    order: Order = Order.CHANGED


class Listing(NamedTuple):
    """A page of memories, newest change first; `total` counts all there are, `matching` those the filter lets by.

    `withheld` counts those beside them that live in scopes the caller's consumer is not allowed, or whose governance
    review is not in force. `by_scope` counts what the filter lets by, `by_category` all there are.
    """

    entries: list[MemoryEntry]
    total: int
    matching: int
    next_cursor: str | None
    withheld: int = 0
    by_scope: Mapping[str, int] = _NO_COUNTS
    by_category: Mapping[str, int] = _NO_COUNTS


def list_memories(
    instruments: Instruments, caller: Caller, wanted: Filter, *, limit: int = 50, cursor: str | None = None
) -> Listing:
    """List what is remembered, drafts, paused and quarantined memories included: what you see is all there is.

    Raises:
        ContractError: the limit is below zero, or the cursor is none that a listing gave.
    """
    if limit < 0:
        raise ContractError("limit is a whole number, not below zero")
    after = _read_cursor(cursor) if cursor is not None else None

    def attempt(person: Person) -> Listing:
        snapshot, now = current(instruments, person), instruments.clock.now()
        open_scopes = _open_scopes(caller, snapshot, now)
        every = [*_stored(snapshot.columns), *map(_fleeting_one, living(instruments, person, snapshot, now))]
        shown = [one for one in every if one.adapter_scope in open_scopes]
        fitting = [one for one in shown if _fits(one, wanted)]
        place = _PLACES[wanted.order]
        rest = fitting if after is None else [one for one in fitting if place(one) < after]
        page = nlargest(limit, rest, key=place)
        note_read(instruments, person, [one.entry_id for one in page if one.is_stored])
        more = _cursor(place(page[-1])) if page and len(rest) > limit else None
        return Listing(
            [one.entry for one in page],
            len(shown),
            len(fitting),
            more,
            withheld=len(every) - len(shown),
            by_scope=Counter(one.adapter_scope.value for one in fitting),
            by_category=Counter(one.category.value for one in shown),
        )

    return with_known_person(instruments, caller, attempt, nobody=lambda: Listing([], 0, 0, None))


def show(instruments: Instruments, caller: Caller, logical_id: str) -> tuple[MemoryEntry, UsageRecord]:
    """Return one memory with its use and recent recalls.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """

    def attempt(person: Person) -> tuple[MemoryEntry, UsageRecord]:
        instruments.people.usage.flush(instruments.store)
        snapshot, now = current(instruments, person), instruments.clock.now()
        columns = snapshot.columns
        row = columns.row_of.get(logical_id)
        if row is None:
            kept = _fleeting(instruments, caller, person, snapshot, logical_id, now)
            return kept[-1], UsageRecord(logical_id=logical_id, reference_count=0, last_referenced_at=None, recent=())
        if not shown_to(caller, snapshot, now)(columns.entry(row)):
            raise unknown()
        with instruments.store.read() as reading:
            recent = recent_recalls(person, reading, logical_id)
        note_read(instruments, person, [columns.ids[row]])
        entry = columns.entry(row)
        usage = UsageRecord(
            logical_id=logical_id,
            reference_count=entry.reference_count,
            last_referenced_at=entry.last_referenced_at,
            recent=recent,
        )
        return entry, usage

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def history(instruments: Instruments, caller: Caller, logical_id: str) -> list[MemoryEntry]:
    """Return every revision of one memory, oldest first.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """

    def attempt(person: Person) -> list[MemoryEntry]:
        with instruments.store.read() as reading:
            rows = reading.revisions(person.tenant, person.person, logical_id)
        opened = {packed.entry_id: unpack(packed.pack) for packed in person.open_entries(rows)}
        snapshot, now = current(instruments, person), instruments.clock.now()
        if not opened:
            kept = _fleeting(instruments, caller, person, snapshot, logical_id, now)
            return [*(as_superseded(one, by=kept[-1].id) for one in kept[:-1]), kept[-1]]
        if not all(map(shown_to(caller, snapshot, now), opened.values())):
            raise unknown()
        note_read(instruments, person, [row.entry_id for row in rows])
        return [
            as_superseded(opened[row.entry_id], by=row.superseded_by) if row.superseded_by else opened[row.entry_id]
            for row in rows
            if row.entry_id in opened
        ]

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def questions(instruments: Instruments, caller: Caller) -> list[Question]:
    """Return the questions that wait for the person, oldest first."""

    def attempt(person: Person) -> list[Question]:
        now = instruments.clock.now()
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
            pending = waiting(person, reading)
        columns, shown = snapshot.columns, shown_to(caller, snapshot, now)
        asked = [
            as_question(
                one,
                existing=columns.entry(columns.row_of[one.existing_id]),
                draft=columns.entry(columns.row_of[one.draft_id]),
            )
            for one in pending
            if one.expires_at > now
            and all(
                name in columns.row_of and shown(columns.entry(columns.row_of[name]))
                for name in (one.existing_id, one.draft_id)
            )
        ]
        if asked:
            note_read(instruments, person, [question.draft_id for question in asked])
        return asked

    return with_known_person(instruments, caller, attempt, nobody=list)


def unknown() -> UnknownMemoryError:
    """Return the error for an id that is not the person's, foreign and missing ones alike."""
    return UnknownMemoryError("there is no such memory")


def _nobody() -> NoReturn:
    raise unknown()


def shown_to(caller: Caller, snapshot: Snapshot, now: datetime) -> Callable[[MemoryEntry], bool]:
    """Return what says whether the caller's consumer may be shown a memory: the allow-list and the review decide."""
    open_scopes = _open_scopes(caller, snapshot, now)
    return lambda entry: entry.adapter_scope in open_scopes


def _open_scopes(caller: Caller, snapshot: Snapshot, now: datetime) -> set[AdapterScope]:
    approved = snapshot.approved(now)
    return {scope for scope in AdapterScope if is_shown_to(scope, caller.consumer, approvals=approved)}


def _fleeting(
    instruments: Instruments, caller: Caller, person: Person, snapshot: Snapshot, logical_id: str, now: datetime
) -> tuple[MemoryEntry, ...]:
    """Return the revisions of a memory that lives in a session, oldest first."""
    shown = shown_to(caller, snapshot, now)
    for memory in living(instruments, person, snapshot, now):
        if memory.entry.logical_id == logical_id and shown(memory.entry):
            return memory.revisions
    raise unknown()


class _Seen(NamedTuple):
    """A memory as a listing looks at it; nothing is unpacked that is not on the page."""

    entry_id: str
    category: Category
    adapter_scope: AdapterScope
    origin: Origin
    lifecycle: Lifecycle
    updated: int
    used: int
    held: Columns | MemoryEntry
    row: int

    @property
    def is_stored(self) -> bool:
        """Whether it lies on the disk, and not in its session alone."""
        return isinstance(self.held, Columns)

    @property
    def entry(self) -> MemoryEntry:
        """The whole memory."""
        return self.held.entry(self.row) if isinstance(self.held, Columns) else self.held

    @property
    def body(self) -> str:
        """Its words."""
        return wording(self.held.packs[self.row])[0] if isinstance(self.held, Columns) else self.held.body


_Place = tuple[int, str]


def _stored(columns: Columns) -> Iterator[_Seen]:
    traits = columns.traits
    coded = zip(
        traits.matter.tolist(),
        columns.address.tolist(),
        traits.origin.tolist(),
        traits.standing.tolist(),
        traits.updated.tolist(),
        columns.use.last.tolist(),
        strict=True,
    )
    for row, (matter, address, origin, standing, updated, used) in enumerate(coded):
        if row not in columns.dead:
            yield _Seen(
                columns.ids[row],
                MATTERS[matter].category,
                columns.addresses[address].adapter_scope,
                _ORIGINS[origin],
                STANDINGS[standing].lifecycle,
                updated,
                used,
                columns,
                row,
            )


def _fleeting_one(memory: Fleeting) -> _Seen:
    entry = memory.entry
    return _Seen(
        entry.id,
        entry.category,
        entry.adapter_scope,
        entry.origin,
        entry.lifecycle,
        to_micros(entry.updated_at),
        _NEVER_USED,
        entry,
        0,
    )


def _changed(one: _Seen) -> _Place:
    return (one.updated, one.entry_id)


def _used(one: _Seen) -> _Place:
    return (one.used, one.entry_id)


def _oldest(one: _Seen) -> _Place:
    return (-one.updated, one.entry_id)


_PLACES: Final = MappingProxyType({Order.CHANGED: _changed, Order.USED: _used, Order.OLDEST: _oldest})


def _cursor(place: _Place) -> str:
    # the place itself and not the entry at it, which may be revised or forgotten before the next page is asked for
    return f"{place[0]}.{place[1]}"


def _read_cursor(cursor: str) -> tuple[int, str]:
    micros, _, name = cursor.partition(".")
    digits = micros.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and name):
        raise ContractError("cursor is the `next_cursor` of a listing")
    return (int(micros), name)


def _fits(one: _Seen, wanted: Filter) -> bool:
    return (
        (wanted.category is None or one.category is wanted.category)
        and (wanted.adapter_scope is None or one.adapter_scope is wanted.adapter_scope)
        and (wanted.origin is None or one.origin is wanted.origin)
        and (wanted.lifecycles is None or one.lifecycle in wanted.lifecycles)
        and (not wanted.words or wanted.words.casefold() in one.body.casefold())
    )


def note_read(instruments: Instruments, person: Person, ids: list[str]) -> None:
    """Write that revisions were shown to their person."""
    now = instruments.clock.now()
    instruments.store.write(
        lambda tx: write_event(
            tx,
            person.tenant,
            action=AuditAction.MEMORY_READ,
            policy=WRITE_POLICY,
            person=person.person,
            now=now,
            facts={"object_ids": list(ids), "by": "subject"},
        ),
        durable=False,
    )
