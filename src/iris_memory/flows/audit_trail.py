"""The audit trail, read: a tenant's lines newest first through a filter, and the proof of one. Reading writes nothing.

A page looks at a bounded number of lines, so that a filter that fits nothing answers as quickly as any other.
"""

from __future__ import annotations

import json
from typing import Any, Final

from iris_memory.chain.link import RESERVED
from iris_memory.chain.merkle import inclusion_proof, leaf_hash
from iris_memory.contracts.audit_trail import EventProof, TrailFilter, TrailLine, TrailPage
from iris_memory.contracts.shape import from_micros, to_micros
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of
from iris_memory.flows.seal import key_periods, seal
from iris_memory.ports.rows import AuditRow
from iris_memory.ports.unit_of_work import Reading

LOOKED_AT_MOST: Final = 50_000
_CHUNK: Final = 512
_PAGE: Final = 4_096
_NAMED: Final = frozenset({"action", "policy_id", "severity", "person"})


def read_trail(
    instruments: Instruments, tenant: str, wanted: TrailFilter, *, before: int | None = None, limit: int = 50
) -> TrailPage:
    """Return the newest lines that a filter lets by, below the sequence `before`."""
    found: list[TrailLine] = []
    looked_at = 0
    with instruments.store.read() as reading:
        size = _size(reading, tenant)
        end = size if before is None else max(0, min(before - 1, size))
        while end > 0 and looked_at < LOOKED_AT_MOST:
            start = max(1, end - _CHUNK + 1)
            for row in reversed(reading.audit_lines(tenant, start=start, limit=end - start + 1)):
                event = json.loads(row.line)
                looked_at += 1
                end = row.sequence - 1
                if _fits(event, wanted):
                    found.append(_line(event))
                    if len(found) == limit:
                        break
            else:
                end = start - 1
                continue
            break
    return TrailPage(lines=tuple(found), size=size, looked_at=looked_at, next_before=end + 1 if end > 0 else None)


def trail_line(instruments: Instruments, tenant: str, sequence: int) -> TrailLine:
    """Return one line.

    Raises:
        UnknownMemoryError: the tenant's chain has none at that place.
    """
    with instruments.store.read() as reading:
        return _line(json.loads(_row(reading, tenant, sequence).line))


def prove_event(instruments: Instruments, tenant: str, sequence: int) -> EventProof:
    """Return the proof that a line is part of the tenant's log, under a checkpoint of the log as it stands.

    Raises:
        UnknownMemoryError: the tenant's chain has none at that place.
    """
    with instruments.store.read() as reading:
        line = _row(reading, tenant, sequence).line
    seal(instruments, tenant)
    with instruments.store.read() as reading:
        checkpoint = reading.checkpoints(tenant)[-1]
        leaves = [leaf_hash(row.line) for row in _rows(reading, tenant, until=checkpoint.size)]
    path = inclusion_proof(leaves, index=sequence - 1, size=checkpoint.size)
    return EventProof(
        tenant_id=tenant,
        sequence=sequence,
        line=line.decode("utf-8"),
        hashes=tuple(one.hex() for one in path),
        checkpoint=checkpoint.note,
        vkeys=tuple(period.key.vkey for period in key_periods(instruments, tenant)),
    )


def _size(reading: Reading, tenant: str) -> int:
    return head_of(reading, tenant).size


def _row(reading: Reading, tenant: str, sequence: int) -> AuditRow:
    rows = reading.audit_lines(tenant, start=sequence, limit=1) if sequence >= 1 else []
    if not rows or rows[0].sequence != sequence:
        raise UnknownMemoryError("there is no such event")
    return rows[0]


def _rows(reading: Reading, tenant: str, *, until: int) -> list[AuditRow]:
    rows: list[AuditRow] = []
    while len(rows) < until:
        more = reading.audit_lines(tenant, start=len(rows) + 1, limit=min(_PAGE, until - len(rows)))
        if not more:
            break
        rows += more
    return rows


def _fits(event: dict[str, Any], wanted: TrailFilter) -> bool:
    return (
        (wanted.action is None or event["action"] == wanted.action.value)
        and (wanted.severity is None or event["severity"] == wanted.severity.value)
        and (wanted.person is None or event["person"] == wanted.person)
        and (wanted.object_id is None or wanted.object_id in event.get("object_ids", ()))
        and (wanted.since is None or event["at"] >= to_micros(wanted.since))
        and (wanted.until is None or event["at"] < to_micros(wanted.until))
    )


def _line(event: dict[str, Any]) -> TrailLine:
    own = {name: value for name, value in event.items() if name not in RESERVED and name not in _NAMED}
    return TrailLine(
        sequence=event["sequence"],
        at=from_micros(event["at"]),
        action=event["action"],
        policy_id=event["policy_id"],
        severity=event["severity"],
        person=event["person"],
        facts={name: json.dumps(value, ensure_ascii=False, sort_keys=True) for name, value in sorted(own.items())},
    )
