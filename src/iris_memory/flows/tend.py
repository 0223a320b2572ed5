"""Tend: the small chores that keep a store in order, each safe to be interrupted and run again."""

from __future__ import annotations

from iris_memory.contracts.shape import to_micros
from iris_memory.flows import ephemeral
from iris_memory.flows.answer import let_drafts_go
from iris_memory.flows.exports_kept import let_exports_go
from iris_memory.flows.forget import finish_forgets
from iris_memory.flows.inspect import lapse
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.legal_hold import end_expired
from iris_memory.flows.rights_desk import expire_unverified
from iris_memory.flows.seal import seal_all
from iris_memory.flows.sweep import drop_expired, sweep
from iris_memory.flows.unanswered import let_questions_go
from iris_memory.flows.user_notices import deliver_due
from iris_memory.ports.rows import RecordKind


def tick(instruments: Instruments) -> None:
    """Once a second: write use marks, make commits durable, sign and copy the heads of chains that grew."""
    instruments.people.usage.flush(instruments.store)
    ephemeral.sweep(instruments)
    if instruments.store.is_unsynced():
        instruments.store.sync()
    seal_all(instruments)


def minutely(instruments: Instruments) -> int:
    """Once a minute: have alarms and notices of inspections delivered; return how many arrived."""
    lapse(instruments)  # a review that is overdue is an alarm as well
    return deliver_due(instruments)


def overdue(instruments: Instruments) -> int:
    """At start: do the chores that an hour would have brought, where one is due; reads alone where none is."""
    now = to_micros(instruments.clock.now())
    with instruments.store.read() as reading:
        kinds = [RecordKind.QUESTION, RecordKind.IDEMPOTENCY, RecordKind.INFERENCE_QUESTION, RecordKind.OBSERVATION]
        kinds.append(RecordKind.EXPORT)
        due = any(
            row.expires_at is not None and row.expires_at <= now
            for kind in (*kinds, RecordKind.RIGHTS_DESK, RecordKind.LEGAL_HOLD, RecordKind.INSPECTION)
            for _, _, row in reading.records_everywhere(kind)
        )
    return chores(instruments) if due else 0  # a sweep may take long: it is for the hour, and for who asks


def hourly(instruments: Instruments) -> int:
    """Once an hour: the chores, and the sweep of what outlived its envelope; return how many of these there were."""
    done = chores(instruments) + minutely(instruments)
    swept = sweep(instruments)  # the envelopes of everybody's memory
    return done + swept.summarized + swept.aggregated + swept.ended + swept.expired_records


def chores(instruments: Instruments) -> int:
    """Finish forgets that another process left unfinished, drop answers of idempotency keys whose time is over, end
    questions nobody answered, and the like; return how many of these there were.
    """
    finished = finish_forgets(instruments)
    dropped = drop_expired(instruments, instruments.clock.now())
    due_rights = expire_unverified(instruments) + end_expired(instruments)  # requests, graces and legal holds
    due_rights += let_exports_go(instruments)
    due_rights += lapse(instruments)  # grants, requests to inspect and reviews whose time is over
    return finished + dropped + let_drafts_go(instruments) + let_questions_go(instruments) + due_rights
