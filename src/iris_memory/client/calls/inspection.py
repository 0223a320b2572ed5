"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.inspection import (
    AccessLog,
    CanariesBody,
    CanaryBody,
    CarveOutBody,
    ConsentSnapshot,
    Given,
    IncidentKeyBody,
    IncidentKeyList,
    InspectionList,
    InspectionStepBody,
    KillSwitchBody,
    LookBody,
    Pending,
    ReportingLineBody,
    ReportingLinesBody,
    RequestInspectionBody,
    RevokeKeyBody,
)
from iris_memory.contracts.inspection import (
    CarveOutGround,
    IncidentKey,
    IncidentReference,
    Inspection,
    InspectionPage,
    InspectionPath,
    InspectionReason,
    InspectionReport,
    InspectionTarget,
    KillSwitch,
    OperatorRole,
    ReviewVerdict,
)

_SHOW_ACCESS_LOG: Final[Operation[AccessLog]] = Operation("GET", "/v1/access-log", AccessLog)
_LIST_INSPECTIONS: Final[Operation[InspectionList]] = Operation("GET", "/v1/inspections", InspectionList)
_REQUEST_INSPECTION: Final[Operation[Inspection]] = Operation("POST", "/v1/inspections", Inspection)
_SHOW_INSPECTION: Final[Operation[Inspection]] = Operation("GET", "/v1/inspections/{inspection_id}", Inspection)
_STEP_INSPECTION: Final[Operation[Inspection]] = Operation("POST", "/v1/inspections/{inspection_id}/steps", Inspection)
_READ_INSPECTION: Final[Operation[InspectionPage]] = Operation(
    "POST", "/v1/inspections/{inspection_id}/read", InspectionPage
)
_REPLAY_INSPECTION: Final[Operation[InspectionPage]] = Operation(
    "POST", "/v1/inspections/{inspection_id}/replay", InspectionPage
)
_CARVE_OUT_INSPECTION: Final[Operation[Inspection]] = Operation(
    "POST", "/v1/inspections/{inspection_id}/carve-out", Inspection
)
_LIST_PENDING: Final[Operation[Pending]] = Operation("GET", "/v1/inspection-rules/pending", Pending)
_LIST_GIVEN: Final[Operation[Given]] = Operation("GET", "/v1/inspection-rules/given", Given)
_REPORT_INSPECTIONS: Final[Operation[InspectionReport]] = Operation(
    "GET", "/v1/inspection-rules/report", InspectionReport
)
_SHOW_CONSENT_SNAPSHOT: Final[Operation[ConsentSnapshot]] = Operation(
    "GET", "/v1/inspection-rules/consent-snapshot", ConsentSnapshot
)
_SHOW_KILL_SWITCH: Final[Operation[KillSwitch]] = Operation("GET", "/v1/inspection-rules/kill-switch", KillSwitch)
_SET_KILL_SWITCH: Final[Operation[KillSwitch]] = Operation("POST", "/v1/inspection-rules/kill-switch", KillSwitch)
_SET_REPORTING_LINES: Final[Operation[ReportingLinesBody]] = Operation(
    "POST", "/v1/inspection-rules/reporting-lines", ReportingLinesBody
)
_SHOW_REPORTING_LINES: Final[Operation[ReportingLinesBody]] = Operation(
    "GET", "/v1/inspection-rules/reporting-lines", ReportingLinesBody
)
_SET_REPORTING_LINE: Final[Operation[ReportingLinesBody]] = Operation(
    "POST", "/v1/inspection-rules/reporting-lines/one", ReportingLinesBody
)
_SET_CANARY: Final[Operation[CanariesBody]] = Operation("POST", "/v1/inspection-rules/canaries/one", CanariesBody)
_SHOW_CANARIES: Final[Operation[CanariesBody]] = Operation("GET", "/v1/inspection-rules/canaries", CanariesBody)
_SET_CANARIES: Final[Operation[CanariesBody]] = Operation("POST", "/v1/inspection-rules/canaries", CanariesBody)
_LIST_INCIDENT_KEYS: Final[Operation[IncidentKeyList]] = Operation(
    "GET", "/v1/inspection-rules/incident-keys", IncidentKeyList
)
_REGISTER_INCIDENT_KEY: Final[Operation[IncidentKey]] = Operation(
    "POST", "/v1/inspection-rules/incident-keys", IncidentKey
)
_REVOKE_INCIDENT_KEY: Final[Operation[IncidentKey]] = Operation(
    "POST", "/v1/inspection-rules/incident-keys/revoke", IncidentKey
)


class InspectionCalls(Calls):
    """Calls of `inspection`."""

    def show_access_log(self) -> AccessLog:
        """See who looked at your memory."""
        return self._call(_SHOW_ACCESS_LOG)

    def list_inspections(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset | None = UNSET,
        as_role: OperatorRole | Unset | None = UNSET,
    ) -> InspectionList:
        """List inspections."""
        return self._call(_LIST_INSPECTIONS, query={"limit": limit, "cursor": cursor, "as_role": as_role})

    def request_inspection(
        self,
        *,
        of_user: str,
        path: InspectionPath,
        reason: InspectionReason,
        reference: str,
        target: InspectionTarget,
        as_role: OperatorRole | Unset | None = UNSET,
        idempotency_key: str | Unset | None = UNSET,
        consent_snapshot_id: str | Unset | None = UNSET,
        incident: IncidentReference | Unset | None = UNSET,
        break_glass: bool | Unset = UNSET,
        minutes: int | Unset = UNSET,
    ) -> Inspection:
        """Ask to inspect."""
        return self._call(
            _REQUEST_INSPECTION,
            query={"as_role": as_role},
            headers={"Idempotency-Key": idempotency_key},
            body=RequestInspectionBody.of(
                of_user=of_user,
                path=path,
                reason=reason,
                reference=reference,
                target=target,
                consent_snapshot_id=consent_snapshot_id,
                incident=incident,
                break_glass=break_glass,
                minutes=minutes,
            ),
        )

    def show_inspection(self, inspection_id: str, *, as_role: OperatorRole | Unset | None = UNSET) -> Inspection:
        """Show an inspection."""
        return self._call(_SHOW_INSPECTION, path={"inspection_id": inspection_id}, query={"as_role": as_role})

    def step_inspection(
        self,
        inspection_id: str,
        *,
        step: Literal["approve", "deny", "close", "review"],
        as_role: OperatorRole | Unset | None = UNSET,
        verdict: ReviewVerdict | Unset | None = UNSET,
    ) -> Inspection:
        """Approve, deny, close or review."""
        return self._call(
            _STEP_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=InspectionStepBody.of(step=step, verdict=verdict),
        )

    def read_inspection(
        self,
        inspection_id: str,
        *,
        as_role: OperatorRole | Unset | None = UNSET,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> InspectionPage:
        """Read under a grant."""
        return self._call(
            _READ_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=LookBody.of(offset=offset, limit=limit),
        )

    def replay_inspection(
        self,
        inspection_id: str,
        *,
        as_role: OperatorRole | Unset | None = UNSET,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> InspectionPage:
        """Replay what a grant showed."""
        return self._call(
            _REPLAY_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=LookBody.of(offset=offset, limit=limit),
        )

    def carve_out_inspection(
        self,
        inspection_id: str,
        *,
        ground: CarveOutGround,
        reference: str,
        until: datetime,
        as_role: OperatorRole | Unset | None = UNSET,
    ) -> Inspection:
        """Tell the person later."""
        return self._call(
            _CARVE_OUT_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=CarveOutBody.of(ground=ground, reference=reference, until=until),
        )

    def list_pending(self, *, as_role: OperatorRole | Unset | None = UNSET) -> Pending:
        """List what is still to be told."""
        return self._call(_LIST_PENDING, query={"as_role": as_role})

    def list_given(self, *, days: int | Unset = UNSET, as_role: OperatorRole | Unset | None = UNSET) -> Given:
        """List what was told."""
        return self._call(_LIST_GIVEN, query={"days": days, "as_role": as_role})

    def report_inspections(
        self, *, days: int | Unset = UNSET, as_role: OperatorRole | Unset | None = UNSET
    ) -> InspectionReport:
        """Report what inspection was used for."""
        return self._call(_REPORT_INSPECTIONS, query={"days": days, "as_role": as_role})

    def show_consent_snapshot(self, *, of_user: str, as_role: OperatorRole | Unset | None = UNSET) -> ConsentSnapshot:
        """Show the head of a person's consent chain."""
        return self._call(_SHOW_CONSENT_SNAPSHOT, query={"of_user": of_user, "as_role": as_role})

    def show_kill_switch(self, *, as_role: OperatorRole | Unset | None = UNSET) -> KillSwitch:
        """Say whether inspection is stopped."""
        return self._call(_SHOW_KILL_SWITCH, query={"as_role": as_role})

    def set_kill_switch(self, *, on: bool, as_role: OperatorRole | Unset | None = UNSET) -> KillSwitch:
        """Stop inspection, or let it go on."""
        return self._call(_SET_KILL_SWITCH, query={"as_role": as_role}, body=KillSwitchBody.of(on=on))

    def set_reporting_lines(
        self, *, lines: dict[str, str], as_role: OperatorRole | Unset | None = UNSET
    ) -> ReportingLinesBody:
        """Say who reports along which line."""
        return self._call(_SET_REPORTING_LINES, query={"as_role": as_role}, body=ReportingLinesBody.of(lines=lines))

    def show_reporting_lines(self, *, as_role: OperatorRole | Unset | None = UNSET) -> ReportingLinesBody:
        """Show who reports along which line."""
        return self._call(_SHOW_REPORTING_LINES, query={"as_role": as_role})

    def set_reporting_line(
        self, *, operator: str, line: str | None, as_role: OperatorRole | Unset | None = UNSET
    ) -> ReportingLinesBody:
        """Say along which line one operator reports."""
        return self._call(
            _SET_REPORTING_LINE, query={"as_role": as_role}, body=ReportingLineBody.of(operator=operator, line=line)
        )

    def set_canary(self, *, id: str, planted: bool, as_role: OperatorRole | Unset | None = UNSET) -> CanariesBody:
        """Plant or remove one canary."""
        return self._call(_SET_CANARY, query={"as_role": as_role}, body=CanaryBody.of(id=id, planted=planted))

    def show_canaries(self, *, as_role: OperatorRole | Unset | None = UNSET) -> CanariesBody:
        """Show the canaries."""
        return self._call(_SHOW_CANARIES, query={"as_role": as_role})

    def set_canaries(self, *, ids: tuple[str, ...], as_role: OperatorRole | Unset | None = UNSET) -> CanariesBody:
        """Mark canaries."""
        return self._call(_SET_CANARIES, query={"as_role": as_role}, body=CanariesBody.of(ids=ids))

    def list_incident_keys(self, *, as_role: OperatorRole | Unset | None = UNSET) -> IncidentKeyList:
        """List incident keys."""
        return self._call(_LIST_INCIDENT_KEYS, query={"as_role": as_role})

    def register_incident_key(
        self, *, public_key: str, label: str, as_role: OperatorRole | Unset | None = UNSET
    ) -> IncidentKey:
        """Register an incident key."""
        return self._call(
            _REGISTER_INCIDENT_KEY,
            query={"as_role": as_role},
            body=IncidentKeyBody.of(public_key=public_key, label=label),
        )

    def revoke_incident_key(self, *, key_id: str, as_role: OperatorRole | Unset | None = UNSET) -> IncidentKey:
        """Revoke an incident key."""
        return self._call(_REVOKE_INCIDENT_KEY, query={"as_role": as_role}, body=RevokeKeyBody.of(key_id=key_id))


class AsyncInspectionCalls(AsyncCalls):
    """Calls of `inspection`, awaited."""

    async def show_access_log(self) -> AccessLog:
        """See who looked at your memory."""
        return await self._call(_SHOW_ACCESS_LOG)

    async def list_inspections(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset | None = UNSET,
        as_role: OperatorRole | Unset | None = UNSET,
    ) -> InspectionList:
        """List inspections."""
        return await self._call(_LIST_INSPECTIONS, query={"limit": limit, "cursor": cursor, "as_role": as_role})

    async def request_inspection(
        self,
        *,
        of_user: str,
        path: InspectionPath,
        reason: InspectionReason,
        reference: str,
        target: InspectionTarget,
        as_role: OperatorRole | Unset | None = UNSET,
        idempotency_key: str | Unset | None = UNSET,
        consent_snapshot_id: str | Unset | None = UNSET,
        incident: IncidentReference | Unset | None = UNSET,
        break_glass: bool | Unset = UNSET,
        minutes: int | Unset = UNSET,
    ) -> Inspection:
        """Ask to inspect."""
        return await self._call(
            _REQUEST_INSPECTION,
            query={"as_role": as_role},
            headers={"Idempotency-Key": idempotency_key},
            body=RequestInspectionBody.of(
                of_user=of_user,
                path=path,
                reason=reason,
                reference=reference,
                target=target,
                consent_snapshot_id=consent_snapshot_id,
                incident=incident,
                break_glass=break_glass,
                minutes=minutes,
            ),
        )

    async def show_inspection(self, inspection_id: str, *, as_role: OperatorRole | Unset | None = UNSET) -> Inspection:
        """Show an inspection."""
        return await self._call(_SHOW_INSPECTION, path={"inspection_id": inspection_id}, query={"as_role": as_role})

    async def step_inspection(
        self,
        inspection_id: str,
        *,
        step: Literal["approve", "deny", "close", "review"],
        as_role: OperatorRole | Unset | None = UNSET,
        verdict: ReviewVerdict | Unset | None = UNSET,
    ) -> Inspection:
        """Approve, deny, close or review."""
        return await self._call(
            _STEP_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=InspectionStepBody.of(step=step, verdict=verdict),
        )

    async def read_inspection(
        self,
        inspection_id: str,
        *,
        as_role: OperatorRole | Unset | None = UNSET,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> InspectionPage:
        """Read under a grant."""
        return await self._call(
            _READ_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=LookBody.of(offset=offset, limit=limit),
        )

    async def replay_inspection(
        self,
        inspection_id: str,
        *,
        as_role: OperatorRole | Unset | None = UNSET,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> InspectionPage:
        """Replay what a grant showed."""
        return await self._call(
            _REPLAY_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=LookBody.of(offset=offset, limit=limit),
        )

    async def carve_out_inspection(
        self,
        inspection_id: str,
        *,
        ground: CarveOutGround,
        reference: str,
        until: datetime,
        as_role: OperatorRole | Unset | None = UNSET,
    ) -> Inspection:
        """Tell the person later."""
        return await self._call(
            _CARVE_OUT_INSPECTION,
            path={"inspection_id": inspection_id},
            query={"as_role": as_role},
            body=CarveOutBody.of(ground=ground, reference=reference, until=until),
        )

    async def list_pending(self, *, as_role: OperatorRole | Unset | None = UNSET) -> Pending:
        """List what is still to be told."""
        return await self._call(_LIST_PENDING, query={"as_role": as_role})

    async def list_given(self, *, days: int | Unset = UNSET, as_role: OperatorRole | Unset | None = UNSET) -> Given:
        """List what was told."""
        return await self._call(_LIST_GIVEN, query={"days": days, "as_role": as_role})

    async def report_inspections(
        self, *, days: int | Unset = UNSET, as_role: OperatorRole | Unset | None = UNSET
    ) -> InspectionReport:
        """Report what inspection was used for."""
        return await self._call(_REPORT_INSPECTIONS, query={"days": days, "as_role": as_role})

    async def show_consent_snapshot(
        self, *, of_user: str, as_role: OperatorRole | Unset | None = UNSET
    ) -> ConsentSnapshot:
        """Show the head of a person's consent chain."""
        return await self._call(_SHOW_CONSENT_SNAPSHOT, query={"of_user": of_user, "as_role": as_role})

    async def show_kill_switch(self, *, as_role: OperatorRole | Unset | None = UNSET) -> KillSwitch:
        """Say whether inspection is stopped."""
        return await self._call(_SHOW_KILL_SWITCH, query={"as_role": as_role})

    async def set_kill_switch(self, *, on: bool, as_role: OperatorRole | Unset | None = UNSET) -> KillSwitch:
        """Stop inspection, or let it go on."""
        return await self._call(_SET_KILL_SWITCH, query={"as_role": as_role}, body=KillSwitchBody.of(on=on))

    async def set_reporting_lines(
        self, *, lines: dict[str, str], as_role: OperatorRole | Unset | None = UNSET
    ) -> ReportingLinesBody:
        """Say who reports along which line."""
        return await self._call(
            _SET_REPORTING_LINES, query={"as_role": as_role}, body=ReportingLinesBody.of(lines=lines)
        )

    async def show_reporting_lines(self, *, as_role: OperatorRole | Unset | None = UNSET) -> ReportingLinesBody:
        """Show who reports along which line."""
        return await self._call(_SHOW_REPORTING_LINES, query={"as_role": as_role})

    async def set_reporting_line(
        self, *, operator: str, line: str | None, as_role: OperatorRole | Unset | None = UNSET
    ) -> ReportingLinesBody:
        """Say along which line one operator reports."""
        return await self._call(
            _SET_REPORTING_LINE, query={"as_role": as_role}, body=ReportingLineBody.of(operator=operator, line=line)
        )

    async def set_canary(self, *, id: str, planted: bool, as_role: OperatorRole | Unset | None = UNSET) -> CanariesBody:
        """Plant or remove one canary."""
        return await self._call(_SET_CANARY, query={"as_role": as_role}, body=CanaryBody.of(id=id, planted=planted))

    async def show_canaries(self, *, as_role: OperatorRole | Unset | None = UNSET) -> CanariesBody:
        """Show the canaries."""
        return await self._call(_SHOW_CANARIES, query={"as_role": as_role})

    async def set_canaries(self, *, ids: tuple[str, ...], as_role: OperatorRole | Unset | None = UNSET) -> CanariesBody:
        """Mark canaries."""
        return await self._call(_SET_CANARIES, query={"as_role": as_role}, body=CanariesBody.of(ids=ids))

    async def list_incident_keys(self, *, as_role: OperatorRole | Unset | None = UNSET) -> IncidentKeyList:
        """List incident keys."""
        return await self._call(_LIST_INCIDENT_KEYS, query={"as_role": as_role})

    async def register_incident_key(
        self, *, public_key: str, label: str, as_role: OperatorRole | Unset | None = UNSET
    ) -> IncidentKey:
        """Register an incident key."""
        return await self._call(
            _REGISTER_INCIDENT_KEY,
            query={"as_role": as_role},
            body=IncidentKeyBody.of(public_key=public_key, label=label),
        )

    async def revoke_incident_key(self, *, key_id: str, as_role: OperatorRole | Unset | None = UNSET) -> IncidentKey:
        """Revoke an incident key."""
        return await self._call(_REVOKE_INCIDENT_KEY, query={"as_role": as_role}, body=RevokeKeyBody.of(key_id=key_id))
