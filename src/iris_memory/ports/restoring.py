"""Moving a store whole: every row of every table as it stands, out of one engine and into another.

No flow but a move uses what stands here: it passes by the rules that keep a living store in order (a hidden memory
cannot be written, a counter moves by one), because what is put back had passed them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from iris_memory.ports.rows import EntryRow, RecordRow, UsageRow


class StoredEntry(NamedTuple):
    """One revision as it lies in the store; `hidden_seq` is the version at which a forget took it out of reach."""

    row: EntryRow
    hidden_seq: int | None


class StoredUse(NamedTuple):
    """One use row as it lies in the store."""

    row: UsageRow
    is_hidden: bool


class WholeReading(Protocol):
    """Sees every row, those out of reach included, page by page."""

    def owners(self) -> list[tuple[str, str]]:
        """Return (tenant, person) of everybody the store knows, sorted; the tenant itself is the empty person.

        Erased people are among them: their tombstones and the mark of their erasure stay.
        """
        ...

    def every_entry(
        self, tenant: str, person: str, *, after: tuple[str, int] = ("", 0), limit: int
    ) -> list[StoredEntry]:
        """Return up to `limit` revisions beyond (logical_id, revision), in that order."""
        ...

    def every_use(self, tenant: str, person: str, *, after: str = "", limit: int) -> list[StoredUse]:
        """Return up to `limit` use rows beyond a logical_id, in that order."""
        ...

    def every_record(
        self, tenant: str, person: str, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[RecordRow]:
        """Return up to `limit` records of all kinds beyond (kind, key), in that order."""
        ...


class WholeWriting(Protocol):
    """Puts rows back exactly as they were."""

    def clear_person(self, tenant: str, person: str) -> None:
        """Delete every row of a person, tombstones included, and set both counters to 0, an erased person's too."""
        ...

    def restore_counters(self, tenant: str, person: str, *, version: int, usage_seq: int) -> None:
        """Set both counters of a person; with an empty person the tenant's."""
        ...

    def restore_entries(self, tenant: str, person: str, rows: Sequence[StoredEntry]) -> None:
        """Add revisions as they are. MUST refuse one that is there already."""
        ...

    def restore_uses(self, tenant: str, person: str, rows: Sequence[StoredUse]) -> None:
        """Add use rows as they are. MUST refuse one that is there already."""
        ...

    def restore_records(self, tenant: str, person: str, rows: Sequence[RecordRow]) -> None:
        """Add records as they are. MUST refuse one that is there already."""
        ...
