"""Laying: a person's columns, with rows and uses that were just written laid in when somebody looks."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.recall.columns import Columns, Packed, Use, mark_uses, replace_rows
from iris_memory.recall.packing import conflict_mark, unpack

_WAITING_LEAST: Final = 64
"""So many rows may wait in any case: a write looks through all that wait, and laying in takes time of its own."""


class Memory:
    """A person's columns, with rows and uses that were just written laid in when somebody looks."""

    __slots__ = ("_columns", "_lock", "_met", "_uses", "_waiting")

    def __init__(
        self, columns: Columns, waiting: tuple[Packed, ...] = (), uses: Mapping[str, Use] | None = None
    ) -> None:
        """Take columns, and the rows and uses that wait."""
        self._columns = columns
        self._waiting = waiting
        self._uses = uses or {}
        self._met: tuple[dict[bytes, list[str]], dict[str, Packed]] | None = None
        self._lock = threading.Lock()

    def meeting(self, mark: bytes) -> list[MemoryEntry]:
        """Return the memories of one conflict key (by its digest), newest revisions, without laying in what waits."""
        with self._lock:
            columns, (by_key, latest) = self._columns, self._waiting_by_key()
        names = by_key.get(mark, [])
        code = columns.conflict_codes.get(mark)
        if code is not None:
            rows = np.flatnonzero((columns.conflict == code) & columns.alive).tolist()
            names = [*(columns.keys[row] for row in rows), *names]
        return [
            unpack(latest[name].pack) if name in latest else columns.entry(columns.row_of[name])
            for name in dict.fromkeys(names)
        ]

    def _waiting_by_key(self) -> tuple[dict[bytes, list[str]], dict[str, Packed]]:
        if self._met is None:
            by_key: dict[bytes, list[str]] = {}
            latest = {row.logical_id: row for row in self._waiting}
            for row in latest.values():
                by_key.setdefault(conflict_mark(row.pack), []).append(row.logical_id)
            self._met = by_key, latest
        return self._met

    def columns(self) -> Columns:
        """Return the columns with every row laid in."""
        if self._waiting or self._uses:
            with self._lock:
                if self._waiting:
                    self._columns = replace_rows(self._columns, _last_of_each(self._waiting), ())
                if self._uses:
                    self._columns = mark_uses(self._columns, self._uses)
                self._waiting, self._uses, self._met = (), {}, None
        return self._columns

    def with_rows(self, rows: Iterable[Packed]) -> Memory:
        """Return the memory after more rows were written; where many wait beside few that come, those are laid in."""
        more = tuple(rows)
        if len(self._waiting) > max(_WAITING_LEAST, 4 * len(more)):
            self.columns()
        with self._lock:
            return Memory(self._columns, (*self._waiting, *more), self._uses)

    def with_uses(self, uses: Mapping[str, Use]) -> Memory:
        """Return the memory after more uses were marked."""
        with self._lock:
            return Memory(self._columns, self._waiting, {**self._uses, **uses})


def _last_of_each(rows: Iterable[Packed]) -> list[Packed]:
    return list({row.logical_id: row for row in rows}.values())
