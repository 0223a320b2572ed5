"""Setting aside: memories that stay stored and are not recalled, and their way back. Each is a new revision.

A soft deletion sets aside by the lifecycle `paused`; a restriction, and a wish that waits for a legal hold, by the
suppression `user-pause`, with a note that says what it waits for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from iris_memory.contracts.audit import RIGHTS_POLICY, AuditAction
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Suppression, SuppressionReason
from iris_memory.contracts.write import Written
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.following import follow
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.lifecycle import UNTIL_FORGOTTEN as UNTIL_FORGOTTEN
from iris_memory.rules.lifecycle import is_leaving, successor


def restricted_by(request_id: str) -> str:
    """Return the note of a memory that a restriction set aside."""
    return f"restricted by the request {request_id}"


def restrict(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    names: Sequence[str],
    *,
    note: str,
    now: datetime,
) -> list[str]:
    """Hold memories back from recall, until they are let back; return those it was new to.

    What waits to be forgotten waits for that alone: no restriction that ends lets it back.
    """
    leaves = note == UNTIL_FORGOTTEN
    entries = [
        entry for entry in _entries(snapshot, names) if entry.suppression is None or (leaves and not is_leaving(entry))
    ]
    held = Suppression(reason=SuppressionReason.USER_PAUSE, started_at=now, notes=note)
    _rewrite(instruments, caller, person, tx, snapshot, entries, now=now, why="restricted", suppression=held)
    return [entry.logical_id for entry in entries]


def let_back(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    *,
    note: str,
    now: datetime,
    kept: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Let back every memory that was held back under a note; return which.

    `kept` names those that something else holds back as well, each with its note: they go on under that one.
    """
    columns = snapshot.columns
    under = [
        entry
        for entry in (columns.entry(row) for row in columns.rows())
        if entry.suppression is not None and entry.suppression.notes == note
    ]
    every = {entry.logical_id for entry in under}
    back = [entry for entry in under if entry.logical_id not in kept]
    _rewrite(instruments, caller, person, tx, snapshot, back, now=now, why="let-back", but=every, suppression=None)
    for other in sorted({kept[name] for name in every if name in kept}):
        entries = [entry for entry in under if kept.get(entry.logical_id) == other]
        held = Suppression(reason=SuppressionReason.USER_PAUSE, started_at=now, notes=other)
        _rewrite(
            instruments, caller, person, tx, snapshot, entries, now=now, why="restricted", but=every, suppression=held
        )
    return [entry.logical_id for entry in back]


def pause_rows(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    names: Sequence[str],
    *,
    now: datetime,
) -> None:
    """Set active memories aside for the grace of a soft deletion."""
    entries = [entry for entry in _entries(snapshot, names) if entry.lifecycle is Lifecycle.ACTIVE]
    _rewrite(instruments, caller, person, tx, snapshot, entries, now=now, why="paused", lifecycle=Lifecycle.PAUSED)


def reactivate_rows(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    names: Sequence[str],
    *,
    now: datetime,
) -> list[str]:
    """Bring back memories that a soft deletion set aside; return which."""
    entries = [entry for entry in _entries(snapshot, names) if entry.lifecycle is Lifecycle.PAUSED]
    _rewrite(instruments, caller, person, tx, snapshot, entries, now=now, why="reactivated", lifecycle=Lifecycle.ACTIVE)
    return [entry.logical_id for entry in entries]


def _entries(snapshot: Snapshot, names: Sequence[str]) -> list[MemoryEntry]:
    columns = snapshot.columns
    return [columns.entry(columns.row_of[name]) for name in names if name in columns.row_of]


def _rewrite(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    entries: Sequence[MemoryEntry],
    *,
    now: datetime,
    why: str,
    but: Collection[str] = (),
    **changes: Any,
) -> None:
    if not entries:
        return
    composer = Composer(instruments, caller, person, snapshot, now)
    seq = tx.bump(person.tenant, person.person)
    rows, commitments, written, made_now = [], [], [], []
    for entry in entries:
        fields = {"lifecycle": entry.lifecycle, **changes}
        made = successor(entry, entry_id=instruments.ids.entry_id(now), now=now, **fields)
        draft = Draft(Written(entry=made), entry=made, is_new=True)
        rows.append(composer.seal(draft, seq=seq))
        written.append(made.id)
        made_now.append(made)
        commitments.append(draft.commitment)
    tx.supersede(
        person.tenant,
        person.person,
        [(entry.logical_id, entry.revision, name) for entry, name in zip(entries, written, strict=True)],
    )
    tx.add_entries(person.tenant, person.person, rows)
    rewritten = {*but, *(entry.logical_id for entry in entries)}
    followed = follow(instruments, person, tx, snapshot, composer, made_now, seq=seq, now=now, but=rewritten)
    written += [draft.entry.id for draft in followed if draft.entry is not None]
    commitments += [draft.commitment for draft in followed]
    write_event(
        tx,
        person.tenant,
        action=AuditAction.MEMORY_SET_ASIDE,
        policy=RIGHTS_POLICY,
        person=person.person,
        now=now,
        facts={"object_ids": [*written], "commitments": [*commitments], "how": why},
    )
