"""Overview: what stands beside a memory: what was made from it, its events, receipts, and all that is held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NoReturn

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.shape import Contract, Count, Instant, from_micros
from iris_memory.flows.derived import derived_from
from iris_memory.flows.forget import receipts
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.legal_hold import visible_holds
from iris_memory.flows.people import Person
from iris_memory.flows.reading import shown_to, unknown
from iris_memory.flows.recall import current
from iris_memory.flows.register import probe
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.user_notices import access_log
from iris_memory.ports.rows import RecordKind

_PAGE: Final = 4_096
_OWN: Final = "memory."
"""How the names of events about memory itself begin; those of inspections begin otherwise."""


class EventAbout(Contract):
    """One event of the audit chain about a memory: its number in the chain, when, and what happened."""

    sequence: Count
    at: Instant
    action: AuditAction


def made_from(instruments: Instruments, caller: Caller, logical_id: str) -> list[MemoryEntry]:
    """Return the memories that were made from one, directly or by way of another.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """

    def attempt(person: Person) -> list[MemoryEntry]:
        snapshot, now = current(instruments, person), instruments.clock.now()
        columns, shown = snapshot.columns, shown_to(caller, snapshot, now)
        row = columns.row_of.get(logical_id)
        if row is None or not shown(columns.entry(row)):
            raise unknown()
        made = [columns.entry(columns.row_of[name]) for name in derived_from(columns, [logical_id])]
        return [entry for entry in made if shown(entry)]

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def _nobody() -> NoReturn:
    raise unknown()


def events_about(instruments: Instruments, caller: Caller, ids: Sequence[str]) -> list[EventAbout]:
    """Return the events of the tenant's chain about the person's memory that name one of these ids, newest first.

    Looks by operators are not among them: they stand in the access log, which says them when they may be said.
    The chain is walked from its start: this is for a page that is opened now and then.
    """
    wanted = frozenset(ids)

    def attempt(person: Person) -> list[EventAbout]:
        found, start = list[EventAbout](), 1
        mark = person.person.encode()
        with instruments.store.read() as reading:
            while rows := reading.audit_lines(person.tenant, start=start, limit=_PAGE):
                for row in rows:
                    if mark in row.line and (told := _about(row.sequence, row.line, person.person, wanted)):
                        found.append(told)
                start += len(rows)
        return found[::-1]

    return with_known_person(instruments, caller, attempt, nobody=list)


def own_receipts(instruments: Instruments, caller: Caller) -> list[ForgetReceipt]:
    """Return the receipts of what the person had forgotten, newest first."""

    def attempt(person: Person) -> list[ForgetReceipt]:
        return [one for one in receipts(instruments, person.tenant) if one.person == person.person][::-1]

    return with_known_person(instruments, caller, attempt, nobody=list)


def own_receipt(instruments: Instruments, caller: Caller, receipt_id: str) -> ForgetReceipt:
    """Return one receipt.

    Raises:
        UnknownMemoryError: the person has no such receipt.
    """
    found = next((one for one in own_receipts(instruments, caller) if one.receipt_id == receipt_id), None)
    return found or unknown_receipt()


def unknown_receipt() -> ForgetReceipt:
    """Raise the error for a receipt that is not the person's, foreign and missing ones alike."""
    raise unknown()


def holdings(instruments: Instruments, caller: Caller) -> dict[str, int]:
    """Count what each holding of the register has of the person (see `flows.register`).

    Of legal holds those count that are not sealed, and of looks by operators those that no carve-out delays.
    """

    def attempt(person: Person) -> dict[str, int]:
        counts, looks = probe(instruments, person), access_log(instruments, caller)
        reads, notices = f"records: {RecordKind.INSPECTION_READ.value}", f"records: {RecordKind.USER_NOTICE.value}"
        return {
            **counts,
            f"records: {RecordKind.LEGAL_HOLD.value}": len(visible_holds(instruments, caller)),
            reads: min(counts.get(reads, 0), len(looks)),
            notices: min(counts.get(notices, 0), len({look.inspection_id for look in looks})),
        }

    return with_known_person(instruments, caller, attempt, nobody=dict)


def _about(sequence: int, line: bytes, person: str, wanted: frozenset[str]) -> EventAbout | None:
    event = json.loads(line)
    named = {*event.get("object_ids", ()), event.get("source", "")}
    if event.get("person") != person or not event["action"].startswith(_OWN) or not named & wanted:
        return None
    return EventAbout(sequence=sequence, at=from_micros(event["at"]), action=AuditAction(event["action"]))
