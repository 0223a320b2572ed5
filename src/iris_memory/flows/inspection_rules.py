"""The rules of inspection in a tenant: kill switch, reporting lines, canaries; and the review of a break-glass look."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from iris_memory.contracts.audit import INSPECTION_POLICY, AuditAction, Severity
from iris_memory.contracts.inspection import (
    AlarmKind,
    CloseReason,
    Inspection,
    InspectionDenial,
    InspectionRefusal,
    InspectionRefused,
    InspectionReport,
    InspectionState,
    KillSwitch,
    ReviewVerdict,
)
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import ContractError
from iris_memory.flows.inspect import Outcome, change, inspections
from iris_memory.flows.inspection_records import (
    Inspector,
    Rules,
    keep,
    keep_moved,
    keep_rules,
    load_all,
    load_rules,
    refuse,
    settled,
    tell,
)
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.user_notices import pending_user_notices
from iris_memory.gates.inspection import is_same_actor
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.inspection import is_review_open, is_review_overdue, transition
from iris_memory.tables.inspectors import INSPECTORS, WAITING

D, R, S = InspectionDenial, InspectionRefusal, InspectionState
LINES_MOST: Final = 10_000
CANARIES_MOST: Final = 10_000
_PAGE: Final = 4_096


def set_kill_switch(instruments: Instruments, by: Inspector, *, on: bool) -> KillSwitch | InspectionRefused:
    """Stop inspection for a tenant at once, closing every grant, or let it go on again for what is asked anew."""
    if not INSPECTORS[by.role].approves:
        return _not_permitted()
    now = instruments.clock.now()

    def work(tx: Transaction) -> KillSwitch:
        switch = KillSwitch(on=on, actor=by.actor, at=now)
        rules = load_rules(instruments, tx, by.tenant).model_copy(update={"kill_switch": switch})
        keep_rules(instruments, tx, by, rules, what=f"kill-switch-{'on' if on else 'off'}", now=now)
        for known in load_all(instruments, tx, by.tenant) if on else ():
            current = settled(instruments, tx, known, now=now)
            if current.state is S.GRANTED:
                closed = transition(current, S.CLOSED, actor=by.actor, role=by.role, at=now, reason=CloseReason.KILLED)
                keep_moved(instruments, tx, current, closed)
        return switch

    return instruments.store.write(work, durable=True)


def kill_switch(instruments: Instruments, tenant: str) -> KillSwitch:
    """Say whether inspection is stopped for a tenant."""
    return rules_of(instruments, tenant).kill_switch


def set_reporting_lines(
    instruments: Instruments, by: Inspector, lines: Mapping[str, str]
) -> dict[str, str] | InspectionRefused:
    """Replace the table of who reports along which line. Two operators of one line never approve for each other."""
    if not INSPECTORS[by.role].approves:
        return _not_permitted()

    def change_it(rules: Rules) -> Rules:
        return Rules.model_validate({**rules.model_dump(), "lines": dict(lines)})

    done = _set(instruments, by, change_it, what="reporting-lines")
    return dict(done.lines)


def set_reporting_line(
    instruments: Instruments, by: Inspector, operator: str, line: str | None
) -> dict[str, str] | InspectionRefused:
    """Say along which line one operator reports, however they were spelt before; None where none is known any more.

    Raises:
        ContractError: the table is full.
    """
    if not INSPECTORS[by.role].approves:
        return _not_permitted()

    def change_it(rules: Rules) -> Rules:
        lines = {name: kept for name, kept in rules.lines.items() if not is_same_actor(name, operator)}
        if line is not None:
            _require_room(len(lines), LINES_MOST)
            lines[operator] = line
        return Rules.model_validate({**rules.model_dump(), "lines": lines})

    return dict(_set(instruments, by, change_it, what="reporting-lines").lines)


def reporting_lines(instruments: Instruments, by: Inspector) -> dict[str, str] | InspectionRefused:
    """Return who reports along which line, for those who approve."""
    if not INSPECTORS[by.role].approves:
        return _not_permitted()
    return dict(rules_of(instruments, by.tenant).lines)


def set_canaries(instruments: Instruments, by: Inspector, ids: Sequence[str]) -> tuple[str, ...] | InspectionRefused:
    """Replace the ids (of memories or of revisions) whose reading raises an alarm. Readers are not told."""
    if not INSPECTORS[by.role].approves:
        return _not_permitted()

    def change_it(rules: Rules) -> Rules:
        return Rules.model_validate({**rules.model_dump(), "canaries": tuple(dict.fromkeys(ids))})

    return _set(instruments, by, change_it, what="canaries").canaries


def set_canary(
    instruments: Instruments, by: Inspector, name: str, *, planted: bool
) -> tuple[str, ...] | InspectionRefused:
    """Have the reading of one id (of a memory or of a revision) raise an alarm, or raise none any more.

    Raises:
        ContractError: there are as many canaries as there may be.
    """
    if not INSPECTORS[by.role].approves:
        return _not_permitted()

    def change_it(rules: Rules) -> Rules:
        others = tuple(kept for kept in rules.canaries if kept != name)
        if planted:
            _require_room(len(others), CANARIES_MOST)
        return Rules.model_validate({**rules.model_dump(), "canaries": (*others, name) if planted else others})

    return _set(instruments, by, change_it, what="canaries").canaries


def canaries(instruments: Instruments, by: Inspector) -> tuple[str, ...] | InspectionRefused:
    """Return the ids whose reading raises an alarm, for those who approve."""
    if not INSPECTORS[by.role].approves:
        return _not_permitted()
    return rules_of(instruments, by.tenant).canaries


def rules_of(instruments: Instruments, tenant: str) -> Rules:
    """Return what a tenant set for inspection."""
    with instruments.store.read() as reading:
        return load_rules(instruments, reading, tenant)


def review(instruments: Instruments, by: Inspector, inspection_id: str, *, verdict: ReviewVerdict) -> Outcome:
    """Judge a look that nobody had approved, as somebody else who approves; within 72 hours, and late all the same."""
    now = instruments.clock.now()

    def step(tx: Transaction, known: Inspection) -> Outcome:
        if not is_review_open(known) or known.review is None:
            return refuse(R.NOT_IN_REVIEW, "the inspection does not wait for a review")
        if not INSPECTORS[by.role].approves:
            return _not_permitted()
        shared = load_rules(instruments, tx, by.tenant).share_a_line(by.actor, known.requester)
        if is_same_actor(by.actor, known.requester) or shared:
            return refuse(D.SELF_APPROVAL, "somebody else reviews, out of another reporting line")
        done = {"reviewed_by": by.actor, "reviewed_at": now, "verdict": verdict}
        after = known.model_copy(update={"review": known.review.model_copy(update=done)})
        keep(instruments, tx, after)
        late = is_review_overdue(known, now=now)
        severity = Severity.CRITICAL if verdict is ReviewVerdict.UNJUSTIFIED else Severity.WARNING
        facts = {
            "inspection": known.inspection_id,
            "actor": by.actor,
            "role": by.role.value,
            "verdict": verdict.value,
            "late": late,
        }
        tell(tx, after, AuditAction.INSPECTION_REVIEWED, now, severity=severity, facts=facts)
        return after

    return change(instruments, by, inspection_id, step, name="review", now=now)


def open_reviews(instruments: Instruments, tenant: str) -> list[Inspection]:
    """Return looks that nobody approved and nobody reviewed yet, due first."""
    waiting = [one for one in inspections(instruments, tenant) if is_review_open(one)]
    return sorted(waiting, key=lambda one: (one.review.due_at if one.review else one.requested_at, one.inspection_id))


def report(instruments: Instruments, by: Inspector, *, days: int = 30) -> InspectionReport:
    """Return what inspection was used for over the last days: counts alone, fit to be published.

    A touched canary is counted for those who approve and did not touch it: a count that goes up tells a reader of it.
    """
    now, tenant = instruments.clock.now(), by.tenant
    every = inspections(instruments, tenant)
    recent = [one for one in every if one.requested_at >= now - timedelta(days=days)]
    denied: Counter[str] = Counter(
        one.trail[-1].reason.value for one in recent if one.state is S.DENIED and one.trail[-1].reason is not None
    )
    reads, entries, alarms = 0, 0, Counter[str]()
    with instruments.store.read() as reading:
        for event in _events(reading, tenant, to_micros(now - timedelta(days=days))):
            if event["action"] == AuditAction.INSPECTION_READ:
                reads += 1
                entries += len(event["object_ids"])
            elif event["action"] == AuditAction.INSPECTION_ALARMED and _is_counted(by, event):
                alarms[event["kind"]] += 1
    notices = pending_user_notices(instruments, tenant)
    used = [one.review for one in recent if one.review is not None]
    return InspectionReport(
        days=days,
        requested=len(recent),
        granted=sum(one.grant is not None for one in recent),
        denied=dict(sorted(denied.items())),
        waiting=sum(one.state in WAITING for one in every),
        active=sum(one.state is S.GRANTED for one in every),
        reads=reads,
        entries_read=entries,
        break_glass=len(used),
        break_glass_justified=sum(one.verdict is ReviewVerdict.JUSTIFIED for one in used),
        break_glass_unjustified=sum(one.verdict is ReviewVerdict.UNJUSTIFIED for one in used),
        reviews_open=sum(is_review_open(one) for one in every),
        reviews_overdue=sum(is_review_overdue(one, now=now) for one in every),
        notices_pending=len(notices),
        notices_overdue=sum(notice.overdue for notice in notices),
        alarms=dict(sorted(alarms.items())),
    )


def _is_counted(by: Inspector, event: Mapping[str, Any]) -> bool:
    if event["kind"] != AlarmKind.CANARY_TOUCHED.value:
        return True
    return INSPECTORS[by.role].approves and not is_same_actor(by.actor, event["actor"])


def _events(reading: Reading, tenant: str, since: int) -> Iterator[dict[str, Any]]:
    start, mark = 1, f'"policy_id":"{INSPECTION_POLICY}"'.encode()
    while rows := reading.audit_lines(tenant, start=start, limit=_PAGE):
        for row in rows:
            if mark in row.line:
                event = json.loads(row.line)
                if int(event["at"]) >= since:
                    yield event
        start += len(rows)


def _set(instruments: Instruments, by: Inspector, change_it: Any, *, what: str) -> Rules:
    now = instruments.clock.now()

    def work(tx: Transaction) -> Rules:
        rules: Rules = change_it(load_rules(instruments, tx, by.tenant))
        keep_rules(instruments, tx, by, rules, what=what, now=now)
        return rules

    return instruments.store.write(work, durable=True)


def _require_room(kept: int, most: int) -> None:
    if kept >= most:
        raise ContractError(f"the table holds {most} already; remove one first")


def _not_permitted() -> InspectionRefused:
    return refuse(D.ROLE_NOT_PERMITTED, "this is for those who approve")
