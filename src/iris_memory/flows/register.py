"""The one register of everything that holds personal data: each entry names its eraser and its prober (DSR-9).

Forget, erase, export, the sweep and the residue scan walk it. A table or record kind that is not here fails a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import Person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading


class Eraser(StrEnum):
    """What takes a holding away."""

    BURY = "Transaction.bury and Transaction.erase_person"
    ERASE_PERSON = "Transaction.erase_person"
    DROP_RECORDS = "Transaction.drop_records and Transaction.erase_person"
    DESTROY_SLOTS = "Vault.destroy_slots and Vault.destroy_subject"
    DESTROY_SUBJECT = "Vault.destroy_subject"
    DROP_CACHE = "People.drop and the version check of every recall"
    SCRUB = "Store.scrub and Vault.scrub"
    NEVER = "stays: it holds pseudonyms that lead nowhere once the vault has destroyed the link"


Prober = Callable[[Instruments, Person, Reading], int]
"""Counts what is left of a person in a holding."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One place where personal data can live."""

    name: str
    what: str
    eraser: Eraser
    prober: Prober


def _entries(instruments: Instruments, person: Person, reading: Reading) -> int:
    del instruments
    return len(reading.entries_since(person.tenant, person.person, -1))


def _usage(instruments: Instruments, person: Person, reading: Reading) -> int:
    del instruments
    return len(reading.usage_since(person.tenant, person.person, -1))


def _tombstones(instruments: Instruments, person: Person, reading: Reading) -> int:
    del instruments
    return len(reading.tombstones(person.tenant, person.person))


def _slots(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return len(instruments.vault.wrapped_slots(person.tenant, person.person, None))


def _subject(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return int(instruments.vault.find_subject(person.tenant, person.user_id) is not None)


def _cached(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return sum(known.person == person.person for known in instruments.people.known())


def _records(kind: RecordKind) -> Prober:
    def count(instruments: Instruments, person: Person, reading: Reading) -> int:
        del instruments
        return len(reading.records(person.tenant, person.person, kind))

    return count


def _none(instruments: Instruments, person: Person, reading: Reading) -> int:
    del instruments, person, reading
    return 0


_RECORDS: Final = {
    RecordKind.CONSENT: "answers of the consent ledger",
    RecordKind.QUESTION: "questions with the words they ask about",
    RecordKind.PAUSE: "sessions off the record",
    RecordKind.IDEMPOTENCY: "answers of idempotency keys: ids and codes",
    RecordKind.FORGOTTEN: "keyed tags of forgotten words",
    RecordKind.HOLD: "references to imported rows that wait",
    RecordKind.IMPORT: "keyed tags of imported rows",
    RecordKind.SETTING: "opt-outs",
    RecordKind.RECALL: "the log of recent recalls: when, for whom, which ids, why",
}

OF_TENANT: Final = frozenset({RecordKind.APPROVAL, RecordKind.INTENT, RecordKind.RECEIPT})
"""Record kinds of the tenant, sealed under its key: no memory of a person."""

REGISTER: Final = (
    Holding("entries", "revisions of memories, sealed", Eraser.BURY, _entries),
    Holding("usage", "use counts and recent recalls, sealed", Eraser.BURY, _usage),
    Holding("tombstones", "ids and times of forgotten memories", Eraser.NEVER, _tombstones),
    Holding("vault slots", "the key of each revision and record", Eraser.DESTROY_SLOTS, _slots),
    Holding("vault subject", "the link from a user to a pseudonym", Eraser.DESTROY_SUBJECT, _subject),
    Holding("columns", "a person's memory in this process", Eraser.DROP_CACHE, _cached),
    Holding("audit chain", "events under pseudonyms: ids, codes, counts, commitments", Eraser.NEVER, _none),
    Holding("freed pages", "deleted bytes in files and logs", Eraser.SCRUB, _none),
    *(Holding(f"records: {kind.value}", what, Eraser.DROP_RECORDS, _records(kind)) for kind, what in _RECORDS.items()),
)


def probe(instruments: Instruments, person: Person) -> dict[str, int]:
    """Count what each holding has of a person."""
    with instruments.store.read() as reading:
        return {holding.name: holding.prober(instruments, person, reading) for holding in REGISTER}
