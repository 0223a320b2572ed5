"""Beside: the records of a person that go with everything they forget, memory itself aside."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from iris_memory.contracts.shape import to_micros
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction

_BESIDE: Final = (
    RecordKind.OBSERVATION,
    RecordKind.INFERENCE_QUESTION,
    RecordKind.WRITE_BUDGET,
    RecordKind.HOLD,
    RecordKind.IDEMPOTENCY,
    RecordKind.RECALL,
    RecordKind.TURN_TEXT,
    RecordKind.TURN,
    RecordKind.MENTION,
)


def drop_beside(tx: Transaction, tenant: str, subject: str, *, until: datetime | None = None) -> list[int]:
    """Drop these records, or those made up to an instant. Return the slots to destroy.

    The rows alone are not enough: an older copy of the file must open none of them either.
    """
    slots = []
    for kind in _BESIDE:
        rows = list(tx.records(tenant, subject, kind))
        if until is not None:
            rows = [row for row in rows if row.created_at <= to_micros(until)]
        tx.drop_records(tenant, subject, kind, None if until is None else [row.key for row in rows])
        slots += [row.slot for row in rows if row.slot]
    return slots
