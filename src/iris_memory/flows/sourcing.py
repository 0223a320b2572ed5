"""Sourcing: what a statement was made from, by the memories its provenance names, and whether they are still there.

A provenance ref that holds the id of a memory (a UUID, alone or with more around it) says that the statement came from
it. A job that read a memory before it was forgotten writes nothing of it afterwards (DSR-16).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import MemoryEntry, ProvenanceLink
from iris_memory.contracts.write import Refused, Statement
from iris_memory.flows.people import Person
from iris_memory.ports.unit_of_work import Reading

_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def named_in(links: Iterable[ProvenanceLink]) -> frozenset[str]:
    """Return the ids of memories that provenance names."""
    return frozenset(name for link in links for name in _ID.findall(link.ref))


def sources_of(entry: MemoryEntry) -> frozenset[str]:
    """Return the ids of memories an entry was made from."""
    return named_in(entry.provenance_chain)


def gone_among(person: Person, reading: Reading, names: Iterable[str]) -> frozenset[str]:
    """Return which of these memories were forgotten, or are being forgotten."""
    wanted = sorted(set(names))
    if not wanted:
        return frozenset()
    tenant, subject = person.tenant, person.person
    known = reading.created_of(tenant, subject, wanted)
    going = {name for name in known if not reading.revisions(tenant, subject, name)}
    buried = {row.logical_id for row in reading.tombstones(tenant, subject)} & set(wanted)
    return frozenset(going | buried)


def refuse_of_gone(person: Person, reading: Reading, statement: Statement) -> Refused | None:
    """Return why a statement may not be written where what it was made from was forgotten; None where it may."""
    if not gone_among(person, reading, named_in(statement.provenance)):
        return None
    return Refused(reason=RefusalReason.SOURCE_FORGOTTEN, rule="nothing is made of what was forgotten")
