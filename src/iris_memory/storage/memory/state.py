"""What the reference engine keeps. A state is never changed once it is shared: a writer copies what it touches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from iris_memory.ports.rows import (
    AuditRow,
    CheckpointRow,
    EntryRow,
    RecordKind,
    RecordRow,
    TombstoneRow,
    UsageRow,
)


@dataclass(slots=True)
class PersonRows:
    """All rows of one person; the tenant itself is the person with the empty name."""

    version: int = 0
    usage_seq: int = 0
    entries: dict[tuple[str, int], EntryRow] = field(default_factory=dict)
    hidden: dict[str, int] = field(default_factory=dict)
    usage: dict[str, UsageRow] = field(default_factory=dict)
    tombstones: dict[str, TombstoneRow] = field(default_factory=dict)
    records: dict[tuple[RecordKind, str], RecordRow] = field(default_factory=dict)

    def copy(self) -> PersonRows:
        return replace(
            self,
            entries=dict(self.entries),
            hidden=dict(self.hidden),
            usage=dict(self.usage),
            tombstones=dict(self.tombstones),
            records=dict(self.records),
        )

    def revisions(self, logical_id: str) -> list[EntryRow]:
        """Return every revision of a memory, hidden or not, oldest first."""
        return sorted(
            (row for row in self.entries.values() if row.logical_id == logical_id), key=lambda row: row.revision
        )

    def is_living(self, logical_id: str) -> bool:
        """Say whether a memory has rows and is not hidden."""
        return logical_id not in self.hidden and any(known == logical_id for known, _ in self.entries)


@dataclass(frozen=True, slots=True)
class Chain:
    """A tenant's audit chain and checkpoints."""

    lines: tuple[AuditRow, ...] = ()
    head: bytes | None = None
    checkpoints: tuple[CheckpointRow, ...] = ()


@dataclass(slots=True)
class State:
    """The whole store at one moment."""

    persons: dict[tuple[str, str], PersonRows] = field(default_factory=dict)
    chains: dict[str, Chain] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.persons), dict(self.chains))

    def problems(self) -> list[str]:
        """Return what is wrong in plain sentences; nothing when all is well."""
        found = []
        for rows in self.persons.values():
            ids = {logical_id for logical_id, _ in rows.entries}
            for logical_id in ids:
                revisions = rows.revisions(logical_id)
                if sum(row.superseded_by is None for row in revisions) != 1:
                    found.append("a memory has no current revision, or more than one")
                if [row.revision for row in revisions] != list(range(1, len(revisions) + 1)):
                    found.append("a memory has a gap in its revisions")
            if rows.tombstones.keys() & (ids | rows.usage.keys()):
                found.append("a forgotten memory still has rows")
            if rows.usage.keys() - ids:
                found.append("a usage row has no memory")
        for chain in self.chains.values():
            if [row.sequence for row in chain.lines] != list(range(1, len(chain.lines) + 1)):
                found.append("an audit chain has a gap")
        return found
