"""Freezing: which memories a grant reaches, decided once, and kept as ids and keyed commitments.

Ordinary memory is reached in the scopes that operators may inspect, where it is not set aside; in an answer to the
person's own request, everywhere. Sensitive memory passes the gate of the admin surface or is withheld; what is withheld
is counted by cause.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from iris_memory.contracts.category import Surface
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.entry import Lifecycle
from iris_memory.contracts.inspection import FrozenEntry, Inspection, InspectionPath, InspectionTarget
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import ProfileScope
from iris_memory.contracts.shape import to_micros, trusted
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.sealing import derived
from iris_memory.gates.facts import Asked, Matter
from iris_memory.gates.recall_order import verdict
from iris_memory.gates.sensitive import SENSITIVE
from iris_memory.recall.columns import MATTERS, STANDINGS, Columns
from iris_memory.recall.packing import json_start
from iris_memory.rules.consent import consented_categories
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.categories import SAFETY_CRITICAL, is_sensitive
from iris_memory.tables.inspectors import PATH_CONTEXTS

NOT_INSPECTABLE: Final = "scope-not-inspectable"
NOT_ASKED_FOR: Final = "sensitive-not-asked-for"
UNKNOWN: Final = "unknown-id"
_REVISION: Final = re.compile(rb'"revision":([0-9]+)')


@dataclass(frozen=True, slots=True)
class Reached:
    """The rows a target reaches, and what was withheld by cause."""

    rows: tuple[int, ...]
    withheld: dict[str, int]
    is_sensitive: bool
    is_safety_critical: bool


def is_sensitive_target(target: InspectionTarget, columns: Columns) -> bool:
    """Say whether a target asks for sensitive memory. A query says so itself, whatever the person has or has not."""
    if target.logical_ids:
        rows = [row for name in target.logical_ids if (row := _row_of(columns, name)) is not None]
        return target.include_sensitive or any(_is_sensitive(_matter(columns, row)) for row in rows)
    return target.include_sensitive or any(map(is_sensitive, target.categories))


def is_safety_critical_target(target: InspectionTarget, columns: Columns) -> bool:
    """Say whether a target asks for safety-critical memory and nothing else."""
    if target.logical_ids:
        rows = [_row_of(columns, name) for name in target.logical_ids]
        return all(row is not None and _matter(columns, row).category in SAFETY_CRITICAL for row in rows)
    return bool(target.categories) and set(target.categories) <= SAFETY_CRITICAL and not target.include_sensitive


def reach(
    target: InspectionTarget,
    snapshot: Snapshot,
    *,
    tenant: str,
    user: str,
    path: InspectionPath,
    is_sensitive_asked: bool,
    now: datetime,
) -> Reached:
    """Return what a target reaches of a person's memory at `now`."""
    columns = snapshot.columns
    withheld: Counter[str] = Counter()
    if target.logical_ids:
        known = [_row_of(columns, name) for name in dict.fromkeys(target.logical_ids)]
        withheld[UNKNOWN] = sum(row is None for row in known)
        rows: Iterator[int] | list[int] = [row for row in known if row is not None]
    else:
        rows = _matching(target, columns)
    judge = _Judge(_asked(snapshot, tenant=tenant, user=user, path=path, now=now), path, is_sensitive_asked)
    kept, expired = [], _expired(columns, now)
    for row in rows:
        if row in expired:
            continue
        cause = judge.why_withheld(columns, row)
        if cause is None:
            kept.append(row)
        else:
            withheld[cause] += 1
    return Reached(
        tuple(kept),
        {name: count for name, count in sorted(withheld.items()) if count},
        is_sensitive_asked,
        is_safety_critical_target(target, columns),
    )


def frozen(person: Person, inspection: Inspection, columns: Columns, rows: tuple[int, ...]) -> tuple[FrozenEntry, ...]:
    """Return rows as a frozen set, in the order of their ids."""
    key = commitment_key(person, inspection.inspection_id)
    made = [
        trusted(
            FrozenEntry,
            logical_id=columns.keys[row],
            revision=_revision_of(columns.packs[row]),
            entry_id=columns.ids[row],
            commitment=commitment(key, columns.ids[row], columns.packs[row]),
        )
        for row in rows
    ]
    return tuple(sorted(made, key=lambda entry: entry.logical_id))


def _revision_of(pack: bytes) -> int:
    # a quote inside a string is escaped in JSON, so this can only be the field; a whole parse takes five times as long
    found = _REVISION.search(pack, json_start(pack))
    assert found is not None
    return int(found[1])


def commitment_key(person: Person, inspection_id: str) -> bytes:
    """Return the key of an inspection's commitments. It comes from the person's key, and goes with it."""
    return derived(person.subject.key, f"inspection/{inspection_id}")


def commitment(key: bytes, entry_id: str, pack: bytes) -> str:
    """Return the keyed commitment of one revision (HMAC-SHA256 over its id and its bytes)."""
    return hmac.digest(key, entry_id.encode() + b"\x1f" + pack, "sha256").hex()


class _Judge:
    """Says why a row is withheld; each kind of matter is asked about once."""

    def __init__(self, asked: Asked, path: InspectionPath, is_sensitive_asked: bool) -> None:
        self._asked = asked
        self._every_scope = path is InspectionPath.DSAR_FULFILLMENT
        self._is_sensitive_asked = is_sensitive_asked
        self._known: dict[Matter, str | None] = {}

    def why_withheld(self, columns: Columns, row: int) -> str | None:
        scope = columns.addresses[columns.address[row]].adapter_scope
        if not self._every_scope and not ADAPTER_SCOPES[scope].admin_reviewable:
            return NOT_INSPECTABLE
        if not self._every_scope and STANDINGS[columns.traits.standing[row]].lifecycle is Lifecycle.PAUSED:
            return DropReason.LIFECYCLE_PAUSED.value
        matter = _matter(columns, row)
        if matter not in self._known:
            self._known[matter] = self._judged(matter)
        return self._known[matter]

    def _judged(self, matter: Matter) -> str | None:
        if not _is_sensitive(matter):
            return None
        if not self._is_sensitive_asked:
            return NOT_ASKED_FOR
        reason = verdict(SENSITIVE, matter, self._asked)
        return reason.value if reason is not None else None


def _asked(snapshot: Snapshot, *, tenant: str, user: str, path: InspectionPath, now: datetime) -> Asked:
    # what the gate of the admin surface looks at; the scope is not: which scopes are open was decided before
    return Asked(
        RecallRequest(
            tenant_id=tenant,
            user_id=user,
            scope=ProfileScope(user_id=user),
            surface=Surface.ADMIN,
            contexts=PATH_CONTEXTS[path],
            consented_categories=consented_categories(snapshot.consents(now)),
            safety_critical_context=path is InspectionPath.INCIDENT_ESCALATION,
            dsar_workflow=path is InspectionPath.DSAR_FULFILLMENT,
            now=now,
        )
    )


def _matching(target: InspectionTarget, columns: Columns) -> Iterator[int]:
    categories, scopes = frozenset(target.categories), frozenset(target.adapter_scopes)
    since = to_micros(target.since) if target.since is not None else None
    until = to_micros(target.until) if target.until is not None else None
    addresses = [
        (not scopes or address.adapter_scope in scopes) and (target.scope is None or address.scope == target.scope)
        for address in columns.addresses
    ]
    matters = [not categories or matter.category in categories for matter in MATTERS]
    updated = columns.traits.updated
    for row in columns.rows():
        if not addresses[columns.address[row]] or not matters[columns.traits.matter[row]]:
            continue
        if (since is not None and updated[row] < since) or (until is not None and updated[row] >= until):
            continue
        yield row


def _row_of(columns: Columns, logical_id: str) -> int | None:
    row = columns.row_of.get(logical_id)
    return None if row is None or row in columns.dead else row


def _matter(columns: Columns, row: int) -> Matter:
    matter: Matter = MATTERS[int(columns.traits.matter[row])]
    return matter


def _is_sensitive(matter: Matter) -> bool:
    return is_sensitive(matter.category) or matter.sensitive_interaction


def _expired(columns: Columns, now: datetime) -> frozenset[int]:
    traits = columns.traits
    return frozenset(traits.expiry_rows[traits.expiries <= to_micros(now)].tolist())
