"""Inspection: the queue, one inspection with its line of steps, and a page for each act of it."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.inspection import (
    CarveOutGround,
    Inspection,
    InspectionDenial,
    InspectionRefused,
    InspectionState,
    KillSwitch,
    ReviewVerdict,
)
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.tables.inspectors import INSPECTORS, SENSITIVE_APPROVERS
from iris_memory.web.choices import Filled, filled
from iris_memory.web.inspection_acts import ACTS, InspectionAct
from iris_memory.web.inspection_queue import ORDERS, SHOWS, is_shown
from iris_memory.web.inspection_words import CLOSED_BY, DENIALS, GROUNDS, INSPECTOR_ROLES, PATHS, STATES, WHY
from iris_memory.web.inspectors import STEPS, approves, inspections, roles_of, step_of
from iris_memory.web.paging import PageNumber, paged
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter(prefix="/operators/inspection")

InspectionId = Annotated[str, Path(min_length=1, max_length=128)]
Form = Annotated[Filled, Depends(filled)]

TOLD_DAYS: Final = 90
TOLD_MOST: Final = 50
_LABELS: Final = {"verdict": "Verdict", "ground": "Ground", "reference": "Reference", "until": "Until the end of"}
VERDICTS: Final = {
    ReviewVerdict.JUSTIFIED.value: "Justified: the person was in danger and there was no time",
    ReviewVerdict.UNJUSTIFIED.value: "Not justified: it should have waited for approval",
}


@router.get("")
def queue(request: Request, visitor: Visits, show: str = "", sort: str = "", page: PageNumber = 1) -> Response:
    """List inspections: what waits for somebody first, then what is open now, then what is over."""
    mine = inspections(visitor)
    found = mine.list()
    show = show if show in SHOWS else "all"
    sort = sort if sort in ORDERS else "left"
    return render(
        request,
        "operators/inspection.html",
        visitor,
        **paged(sorted((one for one in found if is_shown(one, show)), key=ORDERS[sort]), page),
        total=len(found),
        show=show,
        sort=sort,
        query={"show": show, "sort": sort},
        shows=SHOWS,
        counts={name: sum(is_shown(one, name) for one in found) for name in SHOWS},
        alarms=len(mine.alarms(days=7)),
        switch=mine.kill_switch(),
        may_approve=approves(visitor),
        notices=len(mine.pending_user_notices()),
        **_words(),
    )


@router.get("/notices")
def notices(request: Request, visitor: Visits) -> Response:
    """List what people and approvers are to be told and were told, and looks without approval to be reviewed."""
    mine = inspections(visitor)
    return render(
        request,
        "operators/inspection_notices.html",
        visitor,
        notices=mine.pending_user_notices(),
        given=mine.given_user_notices(days=TOLD_DAYS),
        alarms=mine.alarms(days=TOLD_DAYS),
        days=TOLD_DAYS,
        most=TOLD_MOST,
        may_approve=approves(visitor),
        reviews=mine.open_reviews(),
        **_words(),
    )


@router.get("/report")
def report(request: Request, visitor: Visits) -> Response:
    """Show what inspection was used for: counts alone, fit to be published."""
    return render(request, "operators/inspection_report.html", visitor, report=inspections(visitor).report(days=30))


@router.get("/stop")
def ask_to_stop(request: Request, visitor: Visits) -> Response:
    """Show what stopping inspection will do, or letting it go on."""
    mine = inspections(visitor)
    switch = mine.kill_switch()
    if isinstance(switch, KillSwitch) and switch.on:
        visitor.require_fresh()
    open_now = sum(one.state is InspectionState.GRANTED for one in mine.list())
    return render(request, "operators/inspection_stop.html", visitor, switch=switch, open_now=open_now, refused=None)


@router.post("/stop")
def stop(request: Request, visitor: Visits, form: Form) -> Response:
    """Stop inspection for the whole organisation and close every grant, at once; letting it go on opens much."""
    mine = inspections(visitor)
    stops = form.typed.get("on", "") != "no"
    if not stops:
        visitor.require_fresh("/operators/inspection/stop")
    outcome = mine.kill_switch(on=stops)
    if isinstance(outcome, InspectionRefused):
        facts = {"switch": mine.kill_switch(), "open_now": 0, "refused": outcome}
        return render(request, "operators/inspection_stop.html", visitor, status=409, **facts)
    return RedirectResponse("/operators/inspection", SEE_OTHER)


@router.get("/{inspection_id}")
def one(request: Request, visitor: Visits, inspection_id: InspectionId, did: str = "") -> Response:
    """Show one inspection: who asks, why, at what exactly, who approved, how long is left, and what can be done."""
    mine = inspections(visitor)
    inspection = mine.show(inspection_id)
    last = inspection.trail[-1]
    denial = DENIALS[last.reason] if isinstance(last.reason, InspectionDenial) else None
    return render(
        request,
        "operators/inspection_one.html",
        visitor,
        one=inspection,
        steps=STEPS,
        at=step_of(inspection),
        last=last,
        denial=denial,
        denial_code=last.reason.value if denial is not None and last.reason is not None else "",
        acts=[act for act in ACTS.values() if act.is_offered(inspection, visitor.session.user, roles_of(visitor))],
        is_mine=inspection.requester == visitor.session.user,
        may_look=_may_look(visitor, inspection),
        needed=0 if inspection.break_glass else SENSITIVE_APPROVERS if inspection.is_sensitive else 1,
        done=ACTS[did].done if did in ACTS else "You asked. Somebody else has to approve." if did == "asked" else "",
        **_words(),
    )


@router.get("/{inspection_id}/remaining")
def remaining(request: Request, visitor: Visits, inspection_id: InspectionId) -> Response:
    """Say how long a grant still lasts, for the view that shows it; when it is over, send the browser away from it."""
    inspection = inspections(visitor).show(inspection_id)
    if inspection.state is not InspectionState.GRANTED or inspection.grant is None:
        return Response(status_code=204, headers={"HX-Redirect": f"/operators/inspection/{inspection_id}"})
    left = int((inspection.grant.expires_at - visitor.now).total_seconds())
    return render(request, "operators/inspection_remaining.html", visitor, left=left)


@router.get("/{inspection_id}/{name}")
def ask(request: Request, visitor: Visits, inspection_id: InspectionId, name: str) -> Response:
    """Show what an act will do before it is done."""
    act, inspection = _act(visitor, inspection_id, name)
    return _page(request, visitor, act, inspection, Filled())


@router.post("/{inspection_id}/{name}")
def do(request: Request, visitor: Visits, inspection_id: InspectionId, name: str, form: Form) -> Response:
    """Do it, and show the inspection as it stands then; or say which rule is against it."""
    act, inspection = _act(visitor, inspection_id, name)
    wish = _wish(act, form, visitor)
    if not form.is_sound:
        return _page(request, visitor, act, inspection, form, status=422)
    mine = inspections(visitor, wanted=form.typed.get("role", ""))
    try:
        outcome = act.run(mine, inspection_id, wish)
    except ContractError:
        form.mistakes["reference"] = "Use 1 to 128 characters without control characters."
        return _page(request, visitor, act, inspection, form, status=422)
    if isinstance(outcome, InspectionRefused):
        return _page(request, visitor, act, inspection, form, status=409, refused=outcome)
    return RedirectResponse(f"/operators/inspection/{inspection_id}?did={act.name}", SEE_OTHER)


def _act(visitor: Visitor, inspection_id: str, name: str) -> tuple[InspectionAct, Inspection]:
    mine = inspections(visitor)
    act = ACTS.get(name)
    if act is None:
        raise UnknownMemoryError("there is no such act")
    if act.fresh:
        visitor.require_fresh(f"/operators/inspection/{inspection_id}/{name}")
    return act, mine.show(inspection_id)


def _wish(act: InspectionAct, form: Filled, visitor: Visitor) -> dict[str, Any]:
    wish: dict[str, Any] = {}
    if "verdict" in act.fields:
        wish["verdict"] = form.choice("verdict", ReviewVerdict, missing="Choose what you found.")
    if "ground" in act.fields:
        wish["ground"] = form.choice("ground", CarveOutGround, missing="Choose the ground.")
        wish["reference"] = form.text("reference", most=128, missing="Write the case or order.")
        wish["until"] = form.day("until", missing="Choose the day after which the person is told.", after=visitor.now)
    return wish


def _page(
    request: Request,
    visitor: Visitor,
    act: InspectionAct,
    inspection: Inspection,
    form: Filled,
    *,
    status: int = 200,
    refused: InspectionRefused | None = None,
) -> Response:
    roles = roles_of(visitor)
    return render(
        request,
        "operators/inspection_act.html",
        visitor,
        status=status,
        act=act,
        one=inspection,
        form=form,
        labels=_LABELS,
        refused=refused,
        verdicts=VERDICTS,
        my_roles={role.value: INSPECTOR_ROLES[role] for role in roles if INSPECTORS[role].approves},
        grounds={ground.value: word for ground, word in GROUNDS.items()},
        **_words(),
    )


def _words() -> dict[str, Any]:
    return {"paths": PATHS, "why": WHY, "states": STATES, "role_of": INSPECTOR_ROLES, "closed_by": CLOSED_BY}


def _may_look(visitor: Visitor, inspection: Inspection) -> bool:
    mine = inspection.requester == visitor.session.user and inspection.requester_role in roles_of(visitor)
    return mine and inspection.state is InspectionState.GRANTED
