"""Unanswered: questions about inferences whose time is over. What was there stays, the words that waited go."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from functools import partial

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.shape import to_micros
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.ports.rows import ERASED, RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Transaction


def let_questions_go(instruments: Instruments) -> int:
    """End questions about inferences that nobody answered: what was there stays, the words go; return how many ended.

    It needs no word of the person's, so it reaches everybody in the store.
    """
    now = instruments.clock.now()
    due: dict[tuple[str, str], list[RecordRow]] = defaultdict(list)
    with instruments.store.read() as reading:
        for tenant, person, row in reading.records_everywhere(RecordKind.INFERENCE_QUESTION):
            if row.expires_at is not None and row.expires_at <= to_micros(now):
                due[tenant, person].append(row)
        erased = [name for name in instruments.asked.people() if reading.state(*name).version == ERASED]
    for name in erased:
        instruments.asked.drop(*name)
    ended = instruments.asked.prune(now)
    for (tenant, person), rows in due.items():
        instruments.store.write(partial(_unanswered, tenant=tenant, person=person, rows=rows, now=now), durable=True)
        instruments.vault.destroy_slots(tenant, person, [row.slot for row in rows if row.slot])
        ended += len(rows)
    return ended


def _unanswered(tx: Transaction, *, tenant: str, person: str, rows: list[RecordRow], now: datetime) -> None:
    tx.drop_records(tenant, person, RecordKind.INFERENCE_QUESTION, [row.key for row in rows])
    write_event(
        tx,
        tenant,
        action=AuditAction.QUESTION_ANSWERED,
        policy=WRITE_POLICY,
        person=person,
        now=now,
        facts={"object_ids": [row.key for row in rows], "answer": "unanswered"},
    )
