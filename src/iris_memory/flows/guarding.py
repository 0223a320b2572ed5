"""Guarding: the rows that guards write of their firings, and what is read back from them.

A row is a sealed record of the owner and one event of the tenant's chain, in one transaction. Neither holds a word: the
record has places and keyed digests and goes with its owner, the event has codes and counts and stays.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import GUARD_POLICY, AuditAction, Severity
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Origin
from iris_memory.contracts.guarding import Firing, GuardOutcome
from iris_memory.contracts.masking import OwnerStatement
from iris_memory.contracts.shape import to_micros
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.living import require_living
from iris_memory.flows.people import Person
from iris_memory.flows.recall import current
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.tables.limits import SHADOW_LIFETIME

_MEANS = "owner-pii-shadow"
_CONFIRMED = frozenset({Origin.USER_STATED, Origin.USER_CONFIRMED})
_LIVING = frozenset({Lifecycle.ACTIVE, Lifecycle.PAUSED})
_OF_OTHERS = frozenset({Category.RELATIONSHIP, Category.FAMILY})


def write_firing(instruments: Instruments, caller: Caller, firing: Firing) -> Person:
    """Keep one firing and return the owner. It is committed when this returns, and on the disk within a second."""
    severity = Severity.INFO if firing.row.failed is None else Severity.WARNING

    def attempt(person: Person) -> Person:
        key = instruments.ids.entry_id(firing.at)
        ends = firing.at + SHADOW_LIFETIME
        row = person.own_record(
            RecordKind.SHADOW, key, firing, seq=to_micros(firing.at), now=firing.at, expires_at=ends
        )

        def work(tx: Transaction) -> None:
            require_living(tx, person.tenant, person.person)
            tx.put_record(person.tenant, person.person, row)
            write_event(
                tx,
                person.tenant,
                action=AuditAction.GUARD_FIRED,
                policy=GUARD_POLICY,
                person=person.person,
                now=firing.at,
                severity=severity if firing.outcome is not GuardOutcome.HALT else Severity.WARNING,
                facts=_facts(firing),
            )

        instruments.store.write(work, durable=False)
        return person

    return with_person(instruments, caller, attempt)


def read_firings(instruments: Instruments, caller: Caller, *, since: datetime) -> list[Firing]:
    """Return the firings since an instant, oldest first."""

    def attempt(person: Person) -> list[Firing]:
        with instruments.store.read() as reading:
            rows = reading.records(person.tenant, person.person, RecordKind.SHADOW, since=to_micros(since) - 1)
        opened = (person.open_record(row) for row in rows)
        return [Firing.model_validate_json(plain) for plain in opened if plain is not None]

    return with_known_person(instruments, caller, attempt, nobody=list)


def digest_key(person: Person) -> bytes:
    """Return the key of digests of an owner whose keys this process has opened already.

    It is derived from the owner's own key: once they are erased, a digest tells nothing to anybody.
    """
    return person.tag(_MEANS).encode()


def opened_already(instruments: Instruments, caller: Caller) -> Person | None:
    """Return the owner where this process has opened their keys; never open them for this."""
    known = instruments.people.known()
    return next((one for one in known if (one.tenant, one.user_id) == (caller.tenant, caller.user)), None)


def statements_of(instruments: Instruments, caller: Caller) -> tuple[Person | None, tuple[OwnerStatement, ...]]:
    """Return what the owner has stated or confirmed of themselves: active memories with a subject, about nobody else.

    A guard reads it and gives none of it out, so no event tells of it.
    """

    def attempt(person: Person) -> tuple[Person | None, tuple[OwnerStatement, ...]]:
        columns = current(instruments, person).columns
        entries = (columns.entry(row) for row in columns.rows())
        return person, tuple(_statement(entry) for entry in entries if _is_of_owner(entry))

    return with_known_person(instruments, caller, attempt, nobody=lambda: (None, ()))


def version_of(instruments: Instruments, caller: Caller) -> tuple[str, int] | None:
    """Return what moves with every write about the owner: their pseudonym and version. None where there is nobody."""
    person = instruments.people.find(caller.tenant, caller.user)
    if person is None:
        return None
    with instruments.store.read() as reading:
        return person.person, reading.state(person.tenant, person.person).version


def _is_of_owner(entry: MemoryEntry) -> bool:
    return (
        entry.subject is not None
        and entry.origin in _CONFIRMED
        and entry.lifecycle in _LIVING
        and entry.quarantine is None
        and entry.multi_actor is None
        and entry.category not in _OF_OTHERS
    )


def _statement(entry: MemoryEntry) -> OwnerStatement:
    assert entry.subject is not None
    attribute = "_".join(entry.subject.casefold().split()).removeprefix("my_")
    return OwnerStatement(subject_is_owner=True, confirmed=True, attribute=attribute, value=entry.body)


def _facts(firing: Firing) -> dict[str, JsonValue]:
    counts: Counter[str] = Counter()
    for tally in firing.row.tallies:
        counts[f"{tally.guard.value}.{tally.kind.value}.{tally.action.value}"] += tally.count
    facts: dict[str, JsonValue] = {
        "point": firing.point.value,
        "mode": firing.mode.value,
        "outcome": firing.outcome.value,
        "columns": [column.value for column in firing.row.columns],
        "counts": dict(sorted(counts.items())),
    }
    if firing.row.failed is not None:
        facts["failed"] = firing.row.failed
    return facts
