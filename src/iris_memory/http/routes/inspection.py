"""Operator inspection: requested, granted by others, read from a frozen set, told to the person.

Who acts, and in which role, comes from the token. Whoever has no operator role finds nothing under an id.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

from fastapi import APIRouter, Body, Depends, Path, Query

from iris_memory.contracts.inspection import (
    IncidentKey,
    Inspection,
    InspectionPage,
    InspectionRefused,
    InspectionReport,
    KillSwitch,
    OperatorRole,
)
from iris_memory.contracts.shape import Identifier
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.inspection import Inspections
from iris_memory.http import inspection_bodies as bodies
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Caller, FreshCaller
from iris_memory.http.listing import Cursor, Limit, part
from iris_memory.http.once import OnlyOnce
from iris_memory.http.problems import NotPermittedError, StepRefusedError, documented

router = APIRouter(prefix="/v1", tags=["inspection"])
T = TypeVar("T")

InspectionId = Annotated[str, Path(min_length=1, max_length=128, description="The id of an inspection.")]
AsRole = Annotated[
    OperatorRole | None, Query(description="The role to act in, for a token with more than one operator role.")
]


def _bound(caller: Asking, as_role: OperatorRole | None) -> Inspections | None:
    held = {OperatorRole(role.value) for role in caller.holder.roles if role.value in set(OperatorRole)}
    if not held:
        return None
    if as_role is None and len(held) > 1:
        raise ContractError("the token has several operator roles; name one with as_role")
    role = as_role or next(iter(held))
    if role not in held:
        raise NotPermittedError
    return caller.iris.inspections(tenant=caller.holder.tenant, actor=caller.holder.user, role=role)


def _operator(caller: Caller, as_role: AsRole = None) -> Inspections:
    bound = _bound(caller, as_role)
    if bound is None:
        raise NotPermittedError
    return bound


def _fresh_operator(caller: FreshCaller, as_role: AsRole = None) -> Inspections:
    return _operator(caller, as_role)


def _named(caller: Caller, as_role: AsRole = None) -> Inspections:
    bound = _bound(caller, as_role)
    if bound is None:  # under an id there is nothing for them, whether it is one or not
        raise UnknownMemoryError("there is no such inspection, or nothing is known of the person")
    return bound


def _fresh_named(caller: FreshCaller, as_role: AsRole = None) -> Inspections:
    return _named(caller, as_role)


Operator = Annotated[Inspections, Depends(_operator)]
FreshOperator = Annotated[Inspections, Depends(_fresh_operator)]
NamedOperator = Annotated[Inspections, Depends(_named)]
FreshNamedOperator = Annotated[Inspections, Depends(_fresh_named)]


@router.get("/access-log", summary="See who looked at your memory", responses=documented())
def show_access_log(caller: Caller) -> bodies.AccessLog:
    """Every look by an operator, newest first: in which role, why, when, at what. A lawful delay ends by itself."""
    me = caller.memory()
    return bodies.AccessLog(entries=tuple(me.looked()), notices=tuple(me.notices()))


@router.get("/inspections", summary="List inspections", responses=documented(403))
def list_inspections(operator: Operator, limit: Limit = 50, cursor: Cursor = None) -> bodies.InspectionList:
    """Inspections of the tenant as they stand now, oldest first. No memory is shown."""
    found = operator.list()
    page, more = part(found, lambda one: (one.requested_at, one.inspection_id), limit=limit, cursor=cursor)
    return bodies.InspectionList(inspections=page, total=len(found), next_cursor=more)


@router.post("/inspections", status_code=201, summary="Ask to inspect", responses=documented(403, 404, 409, 415, 507))
def request_inspection(
    operator: FreshOperator,
    wish: Annotated[
        bodies.RequestInspectionBody, as_json(bodies.RequestInspectionBody), Body(openapi_examples=bodies.REQUEST)
    ],
    once: OnlyOnce,
) -> Inspection:
    """It waits for others. A break-glass is decided at once, and its answer may be a denial."""
    given = {name: getattr(wish, name) for name in type(wish).model_fields if name != "of_user"}
    outcome: Inspection | InspectionRefused = once.make(
        wish,
        lambda: operator.request(wish.of_user, **given),
        name=lambda made: made.inspection_id if isinstance(made, Inspection) else None,
        again=operator.show,
    )
    return _ruled(outcome)


@router.get("/inspections/{inspection_id}", summary="Show an inspection", responses=documented(403, 404))
def show_inspection(operator: NamedOperator, inspection_id: InspectionId) -> Inspection:
    """Its state, trail, approvals and grant, as they stand now."""
    return operator.show(inspection_id)


@router.post(
    "/inspections/{inspection_id}/steps",
    summary="Approve, deny, close or review",
    responses=documented(403, 404, 409, 415, 507),
)
def step_inspection(
    operator: FreshNamedOperator,
    inspection_id: InspectionId,
    wish: Annotated[bodies.InspectionStepBody, as_json(bodies.InspectionStepBody), Body(openapi_examples=bodies.STEP)],
) -> Inspection:
    """An approval that is the last one needed has the gate decide: the answer is granted, or denied with its reason."""
    if wish.step == "review" and wish.verdict is not None:
        return _ruled(operator.review(inspection_id, wish.verdict))
    act = {"approve": operator.approve, "deny": operator.deny, "close": operator.close}[wish.step]
    return _ruled(act(inspection_id))


@router.post(
    "/inspections/{inspection_id}/read",
    summary="Read under a grant",
    responses=documented(403, 404, 409, 415, 429, 507),
)
def read_inspection(
    operator: FreshNamedOperator,
    inspection_id: InspectionId,
    wish: Annotated[bodies.LookBody, as_json(bodies.LookBody), Body(openapi_examples=bodies.LOOK)],
) -> InspectionPage:
    """A part of the frozen set. The audit chain and the person's access log are told first."""
    return _ruled(operator.read(inspection_id, offset=wish.offset, limit=wish.limit))


@router.post(
    "/inspections/{inspection_id}/replay",
    summary="Replay what a grant showed",
    responses=documented(403, 404, 409, 415, 429, 507),
)
def replay_inspection(
    operator: FreshNamedOperator,
    inspection_id: InspectionId,
    wish: Annotated[bodies.LookBody, as_json(bodies.LookBody), Body(openapi_examples=bodies.LOOK)],
) -> InspectionPage:
    """For a review of it. What was forgotten since comes as erased, with the proof. It is a look like any other."""
    return _ruled(operator.replay_granted_snapshot(inspection_id, offset=wish.offset, limit=wish.limit))


@router.post(
    "/inspections/{inspection_id}/carve-out",
    summary="Tell the person later",
    responses=documented(403, 404, 409, 415, 507),
)
def carve_out_inspection(
    operator: FreshNamedOperator,
    inspection_id: InspectionId,
    wish: Annotated[bodies.CarveOutBody, as_json(bodies.CarveOutBody), Body(openapi_examples=bodies.CARVE_OUT)],
) -> Inspection:
    """For a lawful ground, within 90 days; it ends by itself. Legal or t&s may, and not the one who looks."""
    return _ruled(operator.carve_out(inspection_id, ground=wish.ground, reference=wish.reference, until=wish.until))


@router.get("/inspection-rules/pending", summary="List what is still to be told", responses=documented(403))
def list_pending(operator: Operator) -> bodies.Pending:
    """Notices to people, alarms to approvers, and break-glass looks that wait for their review."""
    return bodies.Pending(
        notices=tuple(operator.pending_user_notices()),
        alarms=tuple(operator.pending_alarms()),
        reviews=tuple(operator.open_reviews()),
    )


@router.get("/inspection-rules/given", summary="List what was told", responses=documented(403))
def list_given(operator: Operator, days: Annotated[int, Query(ge=1, le=366)] = 90) -> bodies.Given:
    """Notices people were given, and when; and alarms, to those who approve and did not touch the canary themselves."""
    return bodies.Given(notices=tuple(operator.given_user_notices(days=days)), alarms=tuple(operator.alarms(days=days)))


@router.get("/inspection-rules/report", summary="Report what inspection was used for", responses=documented(403))
def report_inspections(operator: Operator, days: Annotated[int, Query(ge=1, le=366)] = 30) -> InspectionReport:
    """Counts alone, fit to be published."""
    return operator.report(days=days)


@router.get(
    "/inspection-rules/consent-snapshot",
    summary="Show the head of a person's consent chain",
    responses=documented(403, 404),
)
def show_consent_snapshot(operator: Operator, of_user: Annotated[Identifier, Query()]) -> bodies.ConsentSnapshot:
    """What a request for sensitive memory names, so that it is granted on consents that are current."""
    return bodies.ConsentSnapshot(consent_snapshot_id=operator.consent_snapshot(of_user))


@router.get("/inspection-rules/kill-switch", summary="Say whether inspection is stopped", responses=documented(403))
def show_kill_switch(operator: Operator) -> KillSwitch:
    """Whether, since when and by whom."""
    return _ruled(operator.kill_switch())


@router.post(
    "/inspection-rules/kill-switch", summary="Stop inspection, or let it go on", responses=documented(403, 415, 507)
)
def set_kill_switch(
    caller: Caller,
    operator: Operator,
    wish: Annotated[bodies.KillSwitchBody, as_json(bodies.KillSwitchBody), Body(openapi_examples=bodies.KILL_SWITCH)],
) -> KillSwitch:
    """Stopping closes every grant of the tenant at once, and what was closed stays closed.

    Anybody who approves stops at any time; letting it go on takes a fresh sign-in.
    """
    if not wish.on:
        caller.require_fresh()
    return _ruled(operator.kill_switch(on=wish.on))


@router.post(
    "/inspection-rules/reporting-lines",
    summary="Say who reports along which line",
    responses=documented(403, 415, 507),
)
def set_reporting_lines(
    operator: FreshOperator,
    wish: Annotated[bodies.ReportingLinesBody, as_json(bodies.ReportingLinesBody), Body(openapi_examples=bodies.LINES)],
) -> bodies.ReportingLinesBody:
    """Replaces the table. Two operators of one line never approve for each other."""
    return bodies.ReportingLinesBody(lines=_ruled(operator.set_reporting_lines(wish.lines)))


@router.post(
    "/inspection-rules/reporting-lines/one",
    summary="Say along which line one operator reports",
    responses=documented(403, 415, 507),
)
def set_reporting_line(
    operator: FreshOperator,
    wish: Annotated[bodies.ReportingLineBody, as_json(bodies.ReportingLineBody), Body(openapi_examples=bodies.LINE)],
) -> bodies.ReportingLinesBody:
    """The others stay as they are, however many set one at the same time."""
    return bodies.ReportingLinesBody(lines=_ruled(operator.set_reporting_line(wish.operator, wish.line)))


@router.get("/inspection-rules/reporting-lines", summary="Show who reports along which line", responses=documented(403))
def show_reporting_lines(operator: Operator) -> bodies.ReportingLinesBody:
    """For those who approve."""
    return bodies.ReportingLinesBody(lines=_ruled(operator.reporting_lines()))


@router.post(
    "/inspection-rules/canaries/one", summary="Plant or remove one canary", responses=documented(403, 415, 507)
)
def set_canary(
    operator: FreshOperator,
    wish: Annotated[bodies.CanaryBody, as_json(bodies.CanaryBody), Body(openapi_examples=bodies.CANARY)],
) -> bodies.CanariesBody:
    """The others stay as they are, however many change one at the same time."""
    return bodies.CanariesBody(ids=_ruled(operator.set_canary(wish.id, planted=wish.planted)))


@router.get("/inspection-rules/canaries", summary="Show the canaries", responses=documented(403))
def show_canaries(operator: FreshOperator) -> bodies.CanariesBody:
    """For those who approve, with a fresh sign-in."""
    return bodies.CanariesBody(ids=_ruled(operator.canaries()))


@router.post("/inspection-rules/canaries", summary="Mark canaries", responses=documented(403, 415, 507))
def set_canaries(
    operator: FreshOperator,
    wish: Annotated[bodies.CanariesBody, as_json(bodies.CanariesBody), Body(openapi_examples=bodies.CANARIES)],
) -> bodies.CanariesBody:
    """Replaces the ids whose reading raises an alarm. Readers are not told."""
    return bodies.CanariesBody(ids=_ruled(operator.set_canaries(wish.ids)))


@router.get("/inspection-rules/incident-keys", summary="List incident keys", responses=documented(403))
def list_incident_keys(operator: Operator) -> bodies.IncidentKeyList:
    """Whose signature vouches for incidents, revoked ones included."""
    return bodies.IncidentKeyList(keys=tuple(operator.incident_keys()))


@router.post(
    "/inspection-rules/incident-keys",
    status_code=201,
    summary="Register an incident key",
    responses=documented(403, 409, 415, 507),
)
def register_incident_key(
    operator: FreshOperator,
    wish: Annotated[bodies.IncidentKeyBody, as_json(bodies.IncidentKeyBody), Body(openapi_examples=bodies.KEY)],
) -> IncidentKey:
    """An Ed25519 key. One that was revoked never comes back."""
    return _ruled(operator.register_incident_key(wish.public_key, label=wish.label))


@router.post(
    "/inspection-rules/incident-keys/revoke",
    summary="Revoke an incident key",
    responses=documented(403, 404, 415, 507),
)
def revoke_incident_key(
    operator: FreshOperator,
    wish: Annotated[bodies.RevokeKeyBody, as_json(bodies.RevokeKeyBody), Body(openapi_examples=bodies.REVOKE)],
) -> IncidentKey:
    """From now on nothing it signed opens anything."""
    return _ruled(operator.revoke_incident_key(wish.key_id))


def _ruled(outcome: T | InspectionRefused) -> T:
    if isinstance(outcome, InspectionRefused):
        raise StepRefusedError(outcome)
    return outcome
