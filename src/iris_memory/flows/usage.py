"""Use: how often and when a memory surfaced, marked in batches after the answer. Use is not a revision.

Marks wait in the process for at most a second or until `flush`; the death of the process loses those that wait. A flush
adds the counts to each memory and one entry to the person's log of recent recalls, which is bounded and holds no words.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from iris_memory.contracts.category import Consumer, Surface
from iris_memory.contracts.entry import RecentRecall
from iris_memory.contracts.recall import RecallHit, RecallRequest, RecallResult
from iris_memory.contracts.shape import Contract, Instant, from_micros, to_micros, trusted
from iris_memory.errors import KeyDestroyedError
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Store, Transaction
from iris_memory.recall.columns import Use
from iris_memory.recall.rationale import rationale
from iris_memory.tables.limits import RECALL_LOGS_KEPT, RECENT_RECALLS_KEPT, SCORE_WEIGHTS

if TYPE_CHECKING:
    from iris_memory.flows.people import Person, Snapshot

_TRIM_EVERY = 32


class ServedRecall(Contract):
    """One recall that was served: when, for whom, and which memories surfaced for which reasons."""

    at: Instant
    surface: Surface
    consumer: Consumer
    assistant_id: str | None
    request_scope: str
    hits: Annotated[tuple[tuple[str, tuple[str, ...]], ...], Field(strict=False)]


class RecallLog(Contract):
    """The recalls of one flush."""

    recalls: Annotated[tuple[ServedRecall, ...], Field(strict=False)]


@dataclass(slots=True)
class _Marks:
    person: Person
    served: list[tuple[RecallRequest, RecallResult]] = field(default_factory=list)


class UsageMarks:
    """Marks that wait to be written."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str], _Marks] = {}

    def mark(self, person: Person, request: RecallRequest, result: RecallResult) -> None:
        """Note that a recall was served."""
        with self._lock:
            self._waiting.setdefault((person.tenant, person.person), _Marks(person)).served.append((request, result))

    def drop(self, person: Person) -> None:
        """Forget what waits for a person: they were erased."""
        with self._lock:
            self._waiting.pop((person.tenant, person.person), None)

    def flush(self, store: Store) -> int:
        """Write what waits, one batch a person; return how many memories were marked."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        marked = 0
        for marks in waiting.values():
            try:
                snapshot, count = store.write(partial(_write, marks=marks), durable=False)
            except KeyDestroyedError:
                continue  # the person was erased meanwhile: there is nothing to mark
            marks.person.publish(snapshot)
            marked += count
        return marked


def recent_recalls(person: Person, reading: Reading, logical_id: str) -> tuple[RecentRecall, ...]:
    """Return the recent recalls in which a memory surfaced, oldest first."""
    found = []
    for row in reading.records(person.tenant, person.person, RecordKind.RECALL):
        plain = person.open_record(row)
        if plain is None:
            continue
        for served in RecallLog.model_validate_json(plain).recalls:
            for name, reasons in served.hits:
                if name == logical_id:
                    found.append(
                        RecentRecall(
                            at=served.at,
                            surface=served.surface,
                            consumer=served.consumer,
                            assistant_id=served.assistant_id,
                            request_scope=served.request_scope,
                            rationale=reasons,
                        )
                    )
    return tuple(found[-RECENT_RECALLS_KEPT:])


def forget_recalls(person: Person, tx: Transaction, gone: Collection[str]) -> None:
    """Take memories that go out of the log of recent recalls; a recall that named nothing else goes whole."""
    marks = [name.encode() for name in gone]
    for row in tx.records(person.tenant, person.person, RecordKind.RECALL):
        plain = person.open_record(row)
        if plain is None or not any(mark in plain for mark in marks):
            continue
        told = [
            served.model_copy(update={"hits": tuple(hit for hit in served.hits if hit[0] not in gone)})
            for served in RecallLog.model_validate_json(plain).recalls
        ]
        left = RecallLog(recalls=tuple(served for served in told if served.hits))
        if left.recalls:
            kept = person.own_record(RecordKind.RECALL, row.key, left, seq=row.seq, now=from_micros(row.created_at))
            tx.put_record(person.tenant, person.person, kept)
        else:
            tx.drop_records(person.tenant, person.person, RecordKind.RECALL, [row.key])


def _write(tx: Transaction, *, marks: _Marks) -> tuple[Snapshot, int]:
    person = marks.person
    snapshot = person.read(tx)
    columns = snapshot.columns
    times: Counter[str] = Counter()
    last: dict[str, int] = {}
    for request, result in marks.served:
        at = to_micros(request.now)
        for hit in result.hits:
            name = hit.entry.logical_id
            times[name] += 1
            last[name] = max(at, last.get(name, at))
    uses = {}
    for name, count in times.items():
        row = columns.row_of.get(name)
        if row is not None:  # what was forgotten meanwhile is passed over
            before = columns.use_at(row)
            uses[name] = Use(before.times + count, max(last[name], before.last or last[name]))
    if not uses:
        return snapshot, 0
    sealed = [(name, 0, person.seal_use(name, use)) for name, use in sorted(uses.items())]
    usage_seq = tx.mark_usage(person.tenant, person.person, sealed)
    _log(tx, person, marks, usage_seq, living=columns.row_of)
    return snapshot.after_marking(uses, usage_seq=usage_seq), len(uses)


def _log(tx: Transaction, person: Person, marks: _Marks, usage_seq: int, *, living: Collection[str]) -> None:
    recalls = tuple(_served(request, result, living) for request, result in marks.served[-50:])
    log = trusted(RecallLog, recalls=recalls)
    now = marks.served[-1][0].now
    row = person.own_record(RecordKind.RECALL, f"{usage_seq:012d}", log, seq=usage_seq, now=now)
    tx.put_record(person.tenant, person.person, row)
    if usage_seq % _TRIM_EVERY == 0:
        kept = tx.records(person.tenant, person.person, RecordKind.RECALL)
        old = [record.key for record in kept[:-RECALL_LOGS_KEPT]]
        tx.drop_records(person.tenant, person.person, RecordKind.RECALL, old)


def _served(request: RecallRequest, result: RecallResult, living: Collection[str]) -> ServedRecall:
    return trusted(
        ServedRecall,
        at=request.now,
        surface=request.surface,
        consumer=request.consumer,
        assistant_id=request.assistant_id,
        request_scope=request.scope.text(),
        hits=tuple((hit.entry.logical_id, _reasons(hit)) for hit in result.hits if hit.entry.logical_id in living),
    )


def _reasons(hit: RecallHit) -> tuple[str, ...]:
    """Return why a memory surfaced, also where the surface did not show it."""
    if hit.surface_rationale is not None:
        return hit.surface_rationale
    return rationale(hit.score_parts, hit.entry, SCORE_WEIGHTS)
