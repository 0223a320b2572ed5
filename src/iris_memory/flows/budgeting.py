"""Budgets: how much a source and a session may write in a day, and the alarm when it comes in a burst (POI-10).

What the person types has no budget. The counters hold no words and are named by keyed tags.
"""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction, Severity
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, ProvenanceLink
from iris_memory.contracts.inference import WriteBudget
from iris_memory.contracts.write import Refused
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.tables.limits import BURST_WINDOW, BURST_WRITES, WRITE_BUDGET_WINDOW, WRITE_BUDGETS


class Budgets:
    """The budgets of one call, read when they are first asked for and kept at its end."""

    def __init__(self, person: Person, tx: Transaction, now: datetime) -> None:
        """Take whose budgets they are."""
        self._person = person
        self._tx = tx
        self._now = now
        self._held: dict[str, WriteBudget] = {}
        self._alarms: dict[str, int] = {}

    def take(
        self, label: Label, *, session_id: str | None, provenance: tuple[ProvenanceLink, ...] = ()
    ) -> Refused | None:
        """Count one statement; return why it may not be written where its session or source has written enough."""
        budget = WRITE_BUDGETS.get(label.value)
        if budget is None:
            return None
        source = provenance[0].ref if provenance else session_id or "direct"
        refused = None
        for most, kind, name in zip(budget, ("session", "source"), (session_id or "direct", source), strict=True):
            if self._count(self._person.tag("write-budget", label.value, kind, name)) > most:
                refused = Refused(
                    reason=RefusalReason.WRITE_BUDGET_SPENT,
                    rule=f"a {kind} of {label.value} text writes at most {most} statements in a day",
                )
        return refused

    def keep(self, *, seq: int) -> None:
        """Keep the counters, and raise the alarm of each burst once, inside the caller's transaction."""
        for key, held in self._held.items():
            row = self._person.own_record(
                RecordKind.WRITE_BUDGET,
                key,
                held,
                seq=seq,
                now=held.since,
                expires_at=held.since + WRITE_BUDGET_WINDOW,
            )
            self._tx.put_record(self._person.tenant, self._person.person, row)
        for key, count in self._alarms.items():
            write_event(
                self._tx,
                self._person.tenant,
                action=AuditAction.WRITE_BURST,
                policy=WRITE_POLICY,
                person=self._person.person,
                now=self._now,
                severity=Severity.WARNING,
                facts={"source": key, "written": count},
            )

    def _count(self, key: str) -> int:
        now = self._now
        held = self._held.get(key) or self._read(key)
        if held is None or not held.since <= now < held.since + WRITE_BUDGET_WINDOW:
            held = WriteBudget(since=now, written=0, burst_since=now, burst=0)
        in_burst = held.burst_since <= now < held.burst_since + BURST_WINDOW
        burst = held.burst + 1 if in_burst else 1
        alarmed = held.alarmed and in_burst
        if burst >= BURST_WRITES and not alarmed:
            alarmed = True
            self._alarms[key] = burst
        self._held[key] = WriteBudget(
            since=held.since,
            written=held.written + 1,
            burst_since=held.burst_since if in_burst else now,
            burst=burst,
            alarmed=alarmed,
        )
        return held.written + 1

    def _read(self, key: str) -> WriteBudget | None:
        row = self._tx.record(self._person.tenant, self._person.person, RecordKind.WRITE_BUDGET, key)
        plain = self._person.open_record(row) if row is not None else None
        return WriteBudget.model_validate_json(plain) if plain is not None else None
