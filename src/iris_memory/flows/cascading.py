"""Cascading: what each area takes along when a consent ends, inside the withdrawal's transaction.

The register names the hook of each place where something of a category can live (see `register.CASCADES`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from iris_memory.contracts.consent import ConsentType
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.flows.exports_kept import drop_exports
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import Person
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.consent import Cut
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES


@dataclass(frozen=True, slots=True)
class Cascading:
    """A withdrawal in progress: the consents that end, what they cut off, and the memories that go."""

    instruments: Instruments
    person: Person
    tx: Transaction
    names: frozenset[str]
    cut: Cut
    gone: frozenset[str]
    now: datetime
    slots: list[int] = field(default_factory=list)
    """The keys of what was taken, destroyed with the withdrawal: no copy of the store gives it back."""
    blobs: list[bytes] = field(default_factory=list)
    """What was taken as it lay in the store, for the residue scan."""

    def words(self) -> frozenset[str]:
        """Return the strings by which a record speaks of what goes: ids, categories, names of consents."""
        return self.gone | {category.value for category in self.cut.categories} | self.names

    def take(self, kind: RecordKind, rows: Sequence[RecordRow]) -> int:
        """Drop records and note what is to go with them; return how many they are."""
        if not rows:
            return 0
        self.slots.extend(row.slot for row in rows if row.slot)
        self.blobs.extend(row.blob for row in rows if row.slot and row.blob)
        return self.tx.drop_records(self.person.tenant, self.person.person, kind, [row.key for row in rows])


Cascader = Callable[[Cascading], int]
"""Takes along what hangs on what goes; returns how many things it took. It may run again with its transaction."""


def speaking_of(kind: RecordKind) -> Cascader:
    """Return the hook that drops every record of a kind which names what goes, or cannot be read any more."""

    def drop(cascading: Cascading) -> int:
        person, tx = cascading.person, cascading.tx
        words = cascading.words()
        going = []
        for row in tx.records(person.tenant, person.person, kind):
            plain = person.open_record(row) if row.blob else b"{}"
            said = json.loads(plain) if plain is not None else None
            speaks = said is None or row.key in words or not words.isdisjoint(_strings(said))
            if speaks or (cascading.cut.interactions and _has_interaction(said)):
                going.append(row)
        return cascading.take(kind, going)

    return drop


def hangs_on(entry: MemoryEntry, names: Collection[str], cut: Cut) -> bool:
    """Say whether a memory that lives in its session may not go on living when consents end."""
    actor = entry.multi_actor
    if entry.category in cut.categories or (cut.interactions and actor is not None and actor.sensitive_interaction):
        return True
    needed = {consent.value for consent in ADAPTER_SCOPES[entry.adapter_scope].required_consents}
    return bool((needed - {ConsentType.DATA_STORAGE.value}) & set(names))


def drop_fleeting(cascading: Cascading) -> int:
    """Drop what lives in the memory of this process alone: sessions, and words that wait for the person's answer.

    Without the consent to be processed at all, no words wait.
    """
    instruments, person, cut = cascading.instruments, cascading.person, cascading.cut

    everything = ConsentType.DATA_PROCESSING.value in cascading.names
    gone = instruments.people.sessions.drop(person, fits=lambda entry: hangs_on(entry, cascading.names, cut))
    for question in instruments.asked.of(person.tenant, person.person, cascading.now):
        said = question.model_dump(mode="json")
        speaks = not cascading.words().isdisjoint(_strings(said)) or (cut.interactions and _has_interaction(said))
        if everything or speaks:
            instruments.asked.drop(person.tenant, person.person, question.question_id)
            gone += 1
    for waiting in instruments.people.unsettled.of(person.person, now=cascading.now):
        about = {waiting.statement.category, *waiting.asked.looks_like}
        actor = waiting.statement.actor
        if everything or about & cut.categories or (cut.interactions and actor and actor.sensitive_interaction):
            instruments.people.unsettled.settle(person.person, waiting.asked.question_id)
            gone += 1
    return gone


def drop_kept_exports(cascading: Cascading) -> int:
    """Drop every export that waits to be collected: what the consent covered may be in it."""
    person = cascading.person
    slots = drop_exports(cascading.tx, person.tenant, person.person)
    cascading.slots.extend(slots)
    return len(slots)


_INTERACTION: Final = "sensitive_interaction"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _has_interaction(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get(_INTERACTION) is True or any(map(_has_interaction, value.values()))
    return isinstance(value, list) and any(map(_has_interaction, value))
