"""Tend: the small chores that keep a store in order, each safe to be interrupted and run again."""

from __future__ import annotations

from iris_memory.contracts.shape import to_micros
from iris_memory.flows.answer import let_drafts_go
from iris_memory.flows.forget import finish_forgets
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.seal import seal_all
from iris_memory.ports.rows import RecordKind


def tick(instruments: Instruments) -> None:
    """Once a second: write use marks, make commits durable, sign and copy the heads of chains that grew."""
    instruments.people.usage.flush(instruments.store)
    if instruments.store.is_unsynced():
        instruments.store.sync()
    seal_all(instruments)


def overdue(instruments: Instruments) -> int:
    """At start: do what an hour would have brought, where something is due; reads alone where nothing is."""
    now = to_micros(instruments.clock.now())
    with instruments.store.read() as reading:
        kinds = (RecordKind.QUESTION, RecordKind.IDEMPOTENCY)
        due = any(
            row.expires_at is not None and row.expires_at <= now
            for kind in kinds
            for _, _, row in reading.records_everywhere(kind)
        )
    return hourly(instruments) if due else 0


def hourly(instruments: Instruments) -> int:
    """Once an hour: finish forgets that another process left unfinished, drop answers of idempotency keys whose time is
    over, and end questions nobody answered; return how many of these there were.
    """
    now = to_micros(instruments.clock.now())
    finished = finish_forgets(instruments)
    dropped = instruments.store.write(lambda tx: tx.drop_expired(now, [RecordKind.IDEMPOTENCY]), durable=True)
    return finished + dropped + let_drafts_go(instruments)
