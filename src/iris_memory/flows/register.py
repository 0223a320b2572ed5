"""The one register of everything that holds personal data: each entry names its eraser and its prober (DSR-9).

Forget, erase, export, the sweep and the residue scan walk it. A table or record kind that is not here fails a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from iris_memory.flows.cascading import Cascader, drop_fleeting, drop_kept_exports, speaking_of
from iris_memory.flows.crossing import crossing, drop_words
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
    cascade: Cascader | None = None
    """Takes along what hangs on memories or categories whose consent ended, in the withdrawal's transaction."""


def _entries(instruments: Instruments, person: Person, reading: Reading) -> int:
    del instruments
    return reading.count_entries(person.tenant, person.person)


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
    return int(instruments.vault.open_subject(person.tenant, person.person) is not None)


def _cached(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return sum(known.person == person.person for known in instruments.people.known())


def _fleeting(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    sessions = instruments.people.sessions
    return sum(len(sessions.memories(held)) for held in sessions.of(person))


def _waiting(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return len(instruments.asked.of(person.tenant, person.person, instruments.clock.now()))


def _events(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return instruments.people.events.kept(person.tenant, person.user_id)


def _doubts(instruments: Instruments, person: Person, reading: Reading) -> int:
    del reading
    return len(instruments.people.unsettled.of(person.person, now=instruments.clock.now()))


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
    RecordKind.OPERATOR_NOTE: "notes of an operator, with the values they replaced",
    RecordKind.OPERATOR_NOTE_USE: "when a note of an operator was last used",
    RecordKind.IDEMPOTENCY: "answers of idempotency keys: ids and codes",
    RecordKind.FORGOTTEN: "keyed tags of forgotten words",
    RecordKind.HOLD: "references to imported rows that wait",
    RecordKind.IMPORT: "keyed tags of imported rows",
    RecordKind.SETTING: "opt-outs",
    RecordKind.DECIDED: "the count and last fingerprint of a person's decisions, no words",
    RecordKind.RECALL: "the log of recent recalls: when, for whom, which ids, why",
    RecordKind.OBSERVATION: "keyed fingerprints of inferences and the sessions they came from, no words",
    RecordKind.INFERENCE_QUESTION: "inferences the person asked to keep for a while, and questions about memories",
    RecordKind.RIGHTS: "data-rights requests",
    RecordKind.RIGHTS_CHALLENGE: "keyed digests of secrets that prove who asks",
    RecordKind.LEGAL_HOLD: "legal holds, sealed under the tenant's key",
    RecordKind.SHADOW: "what guards saw: kinds, counts, places and keyed digests, no words",
    RecordKind.WRITE_BUDGET: "how much each source and session wrote, under keyed tags",
    RecordKind.MENTION: "handles of mentioned people and their salts, under keyed tags of names",
    RecordKind.COPY: "which memory is a read-only copy of which: ids",
    RecordKind.INSPECTION_READ: "when an operator looked, in which role and why: ids, no words",
    RecordKind.USER_NOTICE: "who is to be told that an operator looked, sealed under the tenant's key",
    RecordKind.CONTINUATION: "where the person stopped: references and posture, no content",
    RecordKind.CONTINUATION_KEY: "answers of checkpoints' idempotency keys: places, no content",
    RecordKind.DEVICE: "the person's devices and when they were seen",
    RecordKind.DEVICE_NAME: "the names the person gave devices",
    RecordKind.DEVICE_NOTICE: "what a device has not been told yet: ids",
    RecordKind.TURN: "turns of a session: references, order, roles, no words",
    RecordKind.TURN_TEXT: "the words of turns, each under a key of its own, for a day",
    RecordKind.BRIDGE_SESSION: "sessions of a bridge: begun, last turn, ended, no words",
    RecordKind.EXPORT: "exports that wait to be collected: sizes, counts and a digest",
    RecordKind.EXPORT_PART: "the chunks of these exports, under one key an export",
}

OF_TENANT: Final = frozenset(
    {
        RecordKind.APPROVAL,
        RecordKind.APPROVAL_REQUEST,
        RecordKind.INTENT,
        RecordKind.NOTICE,
        RecordKind.RECEIPT,
        RecordKind.RIGHTS_DESK,
        RecordKind.SERVICE_TOKEN,
        RecordKind.HELD_WISH,
        RecordKind.STAMP,
        RecordKind.INSPECTION,
        RecordKind.INSPECTION_SNAPSHOT,
        RecordKind.INSPECTION_RULE,
        RecordKind.INSPECTION_ALARM,
        RecordKind.INSPECTION_PACE,
        RecordKind.INCIDENT_KEY,
        RecordKind.ASSISTANT,
        RecordKind.WEBHOOK,
    }
)
"""Record kinds of the tenant, sealed under its key: no memory of a person."""

CASCADES: Final[Mapping[RecordKind, Cascader]] = MappingProxyType(
    {
        RecordKind.QUESTION: speaking_of(RecordKind.QUESTION),
        RecordKind.HOLD: speaking_of(RecordKind.HOLD),
        RecordKind.OBSERVATION: speaking_of(RecordKind.OBSERVATION),
        RecordKind.INFERENCE_QUESTION: speaking_of(RecordKind.INFERENCE_QUESTION),
        RecordKind.COPY: speaking_of(RecordKind.COPY),
        RecordKind.EXPORT: drop_kept_exports,
        RecordKind.TURN_TEXT: drop_words,
        RecordKind.CONTINUATION: crossing(RecordKind.CONTINUATION),
        RecordKind.CONTINUATION_KEY: crossing(RecordKind.CONTINUATION_KEY),
    }
)
"""What a withdrawal takes along, by kind of record. An area joins with one line; `speaking_of` drops every record that
names a memory that goes, a category or a consent that ends; an area with more to do gives a function of its own."""

REGISTER: Final = (
    Holding("entries", "revisions of memories, sealed", Eraser.BURY, _entries),
    Holding("usage", "use counts and recent recalls, sealed", Eraser.BURY, _usage),
    Holding("tombstones", "ids and times of forgotten memories", Eraser.NEVER, _tombstones),
    Holding("vault slots", "the key of each revision and record", Eraser.DESTROY_SLOTS, _slots),
    Holding("vault subject", "the link from a user to a pseudonym", Eraser.DESTROY_SUBJECT, _subject),
    Holding("columns", "a person's memory in this process", Eraser.DROP_CACHE, _cached),
    Holding("sessions", "memory that lives in its session alone", Eraser.DROP_CACHE, _fleeting, drop_fleeting),
    Holding("events", "the last events for who listens, in this process: ids and counts", Eraser.DROP_CACHE, _events),
    Holding("questions", "words that wait for an answer, in this process", Eraser.DROP_CACHE, _waiting),
    Holding("doubts", "statements that look sensitive and wait in this process", Eraser.DROP_CACHE, _doubts),
    Holding("audit chain", "events under pseudonyms: ids, codes, counts, commitments", Eraser.NEVER, _none),
    Holding("freed pages", "deleted bytes in files and logs", Eraser.SCRUB, _none),
    *(
        Holding(f"records: {kind.value}", what, Eraser.DROP_RECORDS, _records(kind), CASCADES.get(kind))
        for kind, what in _RECORDS.items()
    ),
)


def probe(instruments: Instruments, person: Person) -> dict[str, int]:
    """Count what each holding has of a person."""
    with instruments.store.read() as reading:
        return {holding.name: holding.prober(instruments, person, reading) for holding in REGISTER}
