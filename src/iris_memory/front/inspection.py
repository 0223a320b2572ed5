"""Operator inspection, bound to one operator in one of their roles: nothing can be asked through it as another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from iris_memory.contracts.inspection import (
    CarveOutGround,
    CaseReference,
    IncidentKey,
    IncidentReference,
    Inspection,
    InspectionPage,
    InspectionPath,
    InspectionReason,
    InspectionRefused,
    InspectionReport,
    InspectionTarget,
    KillSwitch,
    OperatorAlarm,
    OperatorRole,
    ReviewVerdict,
    UserNotice,
)
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.errors import ContractError
from iris_memory.flows import incident_keys, inspect, inspected, inspection_rules, user_notices
from iris_memory.flows.inspect import Wish
from iris_memory.flows.inspection_records import Inspector
from iris_memory.flows.instruments import Deliver, Instruments
from iris_memory.front.given import days_before, identifier, instant, known_id, member
from iris_memory.tables.inspectors import GRANT_MINUTES, PAGE_MOST

Outcome = Inspection | InspectionRefused
_CASE: TypeAdapter[str] = TypeAdapter(CaseReference)


class Inspections:
    """What one operator may do about inspections of a tenant. Cheap to make; safe for many threads."""

    def __init__(self, instruments: Instruments, *, tenant: str, actor: str, role: OperatorRole | str) -> None:
        """Bind an operator; use `Iris.inspections`."""
        self._instruments = instruments
        self._by = Inspector(
            identifier(tenant, what="tenant"), identifier(actor, what="actor"), member(OperatorRole, role)
        )

    def consent_snapshot(self, user: str) -> str | None:
        """Return the head of a person's consent chain, which a request for sensitive memory names."""
        return inspect.consent_snapshot(self._instruments, self._by, identifier(user, what="user"))

    def request(
        self,
        user: str,
        *,
        path: InspectionPath | str,
        reason: InspectionReason | str,
        reference: str,
        target: InspectionTarget | Mapping[str, Any],
        consent_snapshot_id: str | None = None,
        incident: IncidentReference | Mapping[str, Any] | None = None,
        break_glass: bool = False,
        minutes: int = GRANT_MINUTES,
    ) -> Outcome:
        """Ask to look at a person's memory; somebody else grants it.

        Args:
            user: whose memory.
            path: `dsar-fulfillment`, `incident-escalation` or `routine-review`.
            reason: why; each fits one path.
            reference: the case; for `dsar-fulfillment` the id of the person's request, which must be in progress.
            target: ids, or a query with a cap (`InspectionTarget`).
            consent_snapshot_id: the head of the person's consent chain; sensitive memory needs the current one.
            incident: the signed reference that `incident-escalation` needs, or its JSON form.
            break_glass: look now, with no approval, at safety-critical memory alone; loud, and reviewed afterwards.
            minutes: how long a grant lasts, up to 24 hours.

        Raises:
            UnknownMemoryError: nothing is known of the person.
            ContractError: a value breaks the contract.
        """
        wish = Wish(
            path=member(InspectionPath, path),
            reason=member(InspectionReason, reason),
            reference=_case(reference),
            target=target if isinstance(target, InspectionTarget) else _target(target),
            consent_snapshot_id=consent_snapshot_id,
            incident=incident if incident is None or isinstance(incident, IncidentReference) else _incident(incident),
            break_glass=break_glass,
            grant_minutes=minutes,
        )
        return inspect.request(self._instruments, self._by, identifier(user, what="user"), wish)

    def approve(self, inspection_id: str) -> Outcome:
        """Say yes to somebody else's request; the last word that is needed has the gate decide."""
        return inspect.approve(self._instruments, self._by, known_id(inspection_id))

    def deny(self, inspection_id: str) -> Outcome:
        """Say no to a request, or take one's own back."""
        return inspect.deny(self._instruments, self._by, known_id(inspection_id))

    def close(self, inspection_id: str) -> Outcome:
        """End a grant: one's own, or as somebody who approves anybody's."""
        return inspect.close(self._instruments, self._by, known_id(inspection_id))

    def show(self, inspection_id: str) -> Inspection:
        """Return an inspection as it stands now."""
        return inspect.show(self._instruments, self._by.tenant, known_id(inspection_id))

    def list(self) -> list[Inspection]:
        """Return every inspection of the tenant, oldest first."""
        return inspect.inspections(self._instruments, self._by.tenant)

    def read(
        self, inspection_id: str, *, offset: int = 0, limit: int = PAGE_MOST
    ) -> InspectionPage | InspectionRefused:
        """Show a part of the frozen set. The audit chain and the person's access log are told before it returns."""
        return inspected.read(self._instruments, self._by, known_id(inspection_id), offset=max(0, offset), limit=limit)

    def replay_granted_snapshot(
        self, inspection_id: str, *, offset: int = 0, limit: int = PAGE_MOST
    ) -> InspectionPage | InspectionRefused:
        """Show what a grant showed; what was forgotten since comes as erased, with the proof. It is a look as well."""
        return inspected.replay(
            self._instruments, self._by, known_id(inspection_id), offset=max(0, offset), limit=limit
        )

    def review(self, inspection_id: str, verdict: ReviewVerdict | str) -> Outcome:
        """Judge a break-glass look of somebody else."""
        return inspection_rules.review(
            self._instruments, self._by, known_id(inspection_id), verdict=member(ReviewVerdict, verdict)
        )

    def open_reviews(self) -> Sequence[Inspection]:
        """Return break-glass looks that wait for their review, due first."""
        return inspection_rules.open_reviews(self._instruments, self._by.tenant)

    def carve_out(
        self, inspection_id: str, *, ground: CarveOutGround | str, reference: str, until: datetime
    ) -> Outcome:
        """Have the person told later, for a lawful ground, until an instant within 90 days."""
        return user_notices.carve_out(
            self._instruments,
            self._by,
            known_id(inspection_id),
            ground=member(CarveOutGround, ground),
            reference=_case(reference),
            until=instant(until, what="until"),
        )

    def pending_user_notices(self) -> Sequence[UserNotice]:
        """Return what people are still to be told, due first."""
        return user_notices.pending_user_notices(self._instruments, self._by.tenant)

    def given_user_notices(self, *, days: int = 90) -> Sequence[UserNotice]:
        """Return what people were told in the last days, and when, the last told first."""
        since = days_before(self._instruments.clock.now(), days)
        return user_notices.given_user_notices(self._instruments, self._by.tenant, since=since)

    def pending_alarms(self) -> Sequence[OperatorAlarm]:
        """Return what approvers are still to be told, oldest first; others, and who touched a canary, are not told."""
        found = user_notices.alarms_for(self._instruments, self._by)
        return [alarm for alarm in reversed(found) if alarm.delivered_at is None]

    def alarms(self, *, days: int = 90) -> Sequence[OperatorAlarm]:
        """Return the alarms of the last days, delivered or not, newest first, to those `pending_alarms` tells."""
        since = days_before(self._instruments.clock.now(), days)
        return user_notices.alarms_for(self._instruments, self._by, since=since)

    def deliver_pending(self, deliver: Deliver) -> int:
        """Deliver alarms and notices that wait, each at least once; return how many arrived."""
        return user_notices.deliver_pending(self._instruments, self._by.tenant, deliver)

    def report(self, *, days: int = 30) -> InspectionReport:
        """Return what inspection was used for: counts alone, fit to be published."""
        days_before(self._instruments.clock.now(), days)
        return inspection_rules.report(self._instruments, self._by, days=days)

    def kill_switch(self, *, on: bool | None = None) -> KillSwitch | InspectionRefused:
        """Stop inspection for the tenant and close every grant, or let it go on; with nothing said, tell how it is."""
        if on is None:
            return inspection_rules.kill_switch(self._instruments, self._by.tenant)
        return inspection_rules.set_kill_switch(self._instruments, self._by, on=on)

    def set_reporting_lines(self, lines: Mapping[str, str]) -> dict[str, str] | InspectionRefused:
        """Replace the table of operators and their reporting lines."""
        checked = {identifier(actor, what="actor"): identifier(line, what="line") for actor, line in lines.items()}
        return inspection_rules.set_reporting_lines(self._instruments, self._by, checked)

    def set_reporting_line(self, operator: str, line: str | None) -> dict[str, str] | InspectionRefused:
        """Say along which line one operator reports, or with None that no line is known; the others stay."""
        name = identifier(operator, what="operator")
        along = None if line is None else identifier(line, what="line")
        return inspection_rules.set_reporting_line(self._instruments, self._by, name, along)

    def reporting_lines(self) -> dict[str, str] | InspectionRefused:
        """Return the table of operators and their reporting lines, to those who approve."""
        return inspection_rules.reporting_lines(self._instruments, self._by)

    def set_canaries(self, ids: Sequence[str]) -> tuple[str, ...] | InspectionRefused:
        """Replace the ids whose reading raises an alarm."""
        checked = [identifier(name, what="id") for name in ids]
        return inspection_rules.set_canaries(self._instruments, self._by, checked)

    def set_canary(self, name: str, *, planted: bool) -> tuple[str, ...] | InspectionRefused:
        """Have the reading of one id raise an alarm, or raise none any more; the others stay."""
        return inspection_rules.set_canary(self._instruments, self._by, identifier(name, what="id"), planted=planted)

    def canaries(self) -> tuple[str, ...] | InspectionRefused:
        """Return the ids whose reading raises an alarm, to those who approve."""
        return inspection_rules.canaries(self._instruments, self._by)

    def register_incident_key(self, public_key: str, *, label: str) -> IncidentKey | InspectionRefused:
        """Trust an Ed25519 key, in hex, for incidents of the tenant."""
        name = identifier(label, what="label")
        return incident_keys.register_incident_key(self._instruments, self._by, public_key=public_key, label=name)

    def revoke_incident_key(self, key_id: str) -> IncidentKey | InspectionRefused:
        """Stop trusting a key."""
        return incident_keys.revoke_incident_key(self._instruments, self._by, known_id(key_id))

    def incident_keys(self) -> Sequence[IncidentKey]:
        """Return the keys of the tenant, revoked ones included."""
        return incident_keys.incident_keys(self._instruments, self._by.tenant)


def _case(reference: str) -> str:
    try:
        return _CASE.validate_python(reference, strict=True)
    except ValidationError:
        raise ContractError("reference is the id of a case: letters, digits and . _ ~ : / # -, no space") from None


def _target(given: Mapping[str, Any]) -> InspectionTarget:
    try:
        return InspectionTarget.model_validate(dict(given), strict=False)
    except ValidationError as problem:
        refuse_invalid(problem, what="target")


def _incident(given: Mapping[str, Any]) -> IncidentReference:
    try:
        return IncidentReference.model_validate_json(json.dumps(dict(given)))
    except ValidationError as problem:
        refuse_invalid(problem, what="incident")
