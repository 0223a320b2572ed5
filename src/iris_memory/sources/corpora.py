"""Corpora: the owner identity that guards read now, kept fresh, swapped in whole.

Laws:

* a source is looked at when somebody asks, at most once in `CHECK_SECONDS`, and only a source that moved is read; what
  this process writes itself is seen at once;
* a new corpus is built aside, patterns and all; a reader holds either the old identity or the new one;
* what cannot be read stays as it last was, and `fault` says so: a document by itself, and the whole corpus where the
  owner's block is broken. A configuration that cannot be used closes the table all the same: it masks more, never less.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iris_memory.contracts.masking import Charge, MaskingReason, OwnerStatement
from iris_memory.errors import IdentityConfigError
from iris_memory.masking.corpus import Corpus, Extraction, extract
from iris_memory.masking.identity import table_of
from iris_memory.sources.registered import RegisteredSources
from iris_memory.sources.watched import Watched, watched_file
from iris_memory.tables.guards import GuardTable, closed_table

CHECK_SECONDS: Final = 5.0
"""How stale an identity may be: how long a source is not looked at again."""

_UNREADABLE = (OSError, UnicodeError, IdentityConfigError)


@dataclass(frozen=True, slots=True)
class OwnerIdentity:
    """What guards read: corpus and table of one moment, and what was offered to the corpus and not taken.

    `fault` is the class name of what keeps newer documents from being used; None where these are the newest.
    """

    corpus: Corpus
    table: GuardTable
    charges: tuple[Charge, ...] = ()
    fault: str | None = None


class Corpora:
    """Holds the identity of one owner for every thread of a process."""

    def __init__(
        self,
        documents: Mapping[str, Path],
        *,
        config: Path | None = None,
        statements: Watched[tuple[OwnerStatement, ...]] | None = None,
        stirred: Callable[[], Hashable] | None = None,
        registered: RegisteredSources | None = None,
        regions: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Build the first identity. `documents` are files by name (`USER.md` is the owner's own); one that is not there
        says nothing. `stirred` tells, without reading anything, whether this process has written about the owner;
        `registered` holds what plugins provide. `clock` tells seconds that never step back.

        Raises IdentityConfigError, OSError or UnicodeError where there is no good corpus to begin with.
        """
        self._documents = {name: watched_file(path) for name, path in documents.items()}
        self._config = config
        self._config_text: Watched[str | None] | None = None
        self._statements = statements
        self._registered = registered
        self._stirred = stirred
        self._stir = None if stirred is None else stirred()
        self._count = -1 if registered is None else registered.count
        self._regions = tuple(regions)
        self._clock = clock
        self._lock = threading.Lock()
        self._checked = clock()
        table = self._table(None)
        built = self._extracted(table)
        self._current = OwnerIdentity(built.corpus, table, built.charges)

    def current(self) -> OwnerIdentity:
        """Return the identity, at most `CHECK_SECONDS` old; while somebody builds a newer one, the one before."""
        due = self._clock() - self._checked >= CHECK_SECONDS or self._is_stirred()
        if due and self._lock.acquire(blocking=False):
            try:
                self._check(anyway=False)
            finally:
                self._lock.release()
        return self._current

    def invalidate(self) -> None:
        """Read every source again, now: for whoever has just written one in this process."""
        with self._lock:
            self._check(anyway=True)

    def _is_stirred(self) -> bool:
        if self._registered is not None and self._registered.count != self._count:
            return True
        return self._stirred is not None and self._stirred() != self._stir

    def _check(self, *, anyway: bool) -> None:
        began = self._clock()
        if self._stirred is not None:
            self._stir = self._stirred()
        count = -1 if self._registered is None else self._registered.count
        before = self._current
        table = self._table(before.table, anyway=anyway)
        moved, fault = self._refresh(anyway=anyway)
        moved |= count != self._count
        self._count = count
        corpus, charges = before.corpus, before.charges
        if moved or before.fault is not None or table.ontology_kinds != before.table.ontology_kinds:
            try:
                built = self._extracted(table)
                corpus, charges = built.corpus, built.charges
            except IdentityConfigError as problem:
                fault = type(problem).__name__
        if corpus is not before.corpus or table is not before.table or fault != before.fault:
            self._current = OwnerIdentity(corpus, table, charges, fault)
        self._checked = began

    def _refresh(self, *, anyway: bool) -> tuple[bool, str | None]:
        """Look at every source; return whether one moved, and what went wrong with one that could not be read.

        The others are used all the same: what is new in them has to be masked.
        """
        sources: list[Watched[Any]] = [*self._documents.values()]
        if self._statements is not None:
            sources.append(self._statements)
        moved, fault = False, None
        for source in sources:
            try:
                moved |= source.refresh(anyway=anyway)
            except _UNREADABLE as problem:
                fault = type(problem).__name__
        if self._registered is not None:
            moved |= self._registered.refresh(anyway=anyway)
            fault = fault or self._registered.fault
        return moved, fault

    def _extracted(self, table: GuardTable) -> Extraction:
        built = extract(
            {name: source.value for name, source in self._documents.items() if source.value is not None},
            statements=self._statements.value if self._statements is not None else (),
            provided=self._registered.provided() if self._registered is not None else (),
            ontology_kinds=table.ontology_kinds,
            regions=self._regions,
        )
        if self._registered is not None:
            built = Extraction(built.corpus, (*built.charges, *self._registered.charges()))
        # compiled before anybody sees it
        _ = built.corpus.lexicon, built.corpus.canonicals
        return built

    def _table(self, before: GuardTable | None, *, anyway: bool = False) -> GuardTable:
        if self._config is None:
            return before or table_of(None)
        try:
            if self._config_text is None:
                self._config_text = watched_file(self._config)
            elif not self._config_text.refresh(anyway=anyway) and before is not None and not _unread(before):
                return before
            return table_of(self._config_text.value)
        except _UNREADABLE:
            return before if before is not None and _unread(before) else closed_table(MaskingReason.CONFIG_UNREADABLE)


def _unread(table: GuardTable) -> bool:
    return table.fault is MaskingReason.CONFIG_UNREADABLE
