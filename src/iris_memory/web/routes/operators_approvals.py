"""Approvals: leave to use a scope that needs governance review, asked for by one operator and given by another."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.consent import ApprovalRequest, ApprovalState
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.governance import Governance
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.limits import APPROVAL_LIFETIME_MOST
from iris_memory.web.choices import Filled, filled
from iris_memory.web.doors import Door, opened
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import SCOPES

router = APIRouter(prefix="/operators/approvals")

RequestId = Annotated[str, Path(min_length=1, max_length=128)]
Form = Annotated[Filled, Depends(filled)]

LABELS: Final = {"scope": "Scope", "reason": "Reason", "until": "Until the end of"}
REVIEWED: Final = {scope.value: SCOPES[scope] for scope, row in ADAPTER_SCOPES.items() if row.needs_governance_review}
_VERBS: Final = {
    "grant": (
        "Give leave",
        "The scope opens for everybody in this organisation whose consents are in order, until the day asked for.",
    ),
    "withdraw": ("Take it back", "The scope closes for everybody in this organisation at once."),
}
_DONE: Final = {
    "ask": "You asked for leave. Somebody else has to give it.",
    "grant": "Leave was given.",
    "withdraw": "It was taken back.",
}


@router.get("")
def approvals(request: Request, visitor: Visits, did: str = "") -> Response:
    """List what was asked for, what waits first."""
    opened(visitor, Door.APPROVALS)
    order = list(ApprovalState)
    found = sorted(_governance(visitor).requests(), key=lambda one: (order.index(one.state), one.wanted_until))
    return render(
        request,
        "operators/approvals.html",
        visitor,
        requests=found,
        in_force=sum(one.state is ApprovalState.GRANTED for one in found),
        done=_DONE.get(did, ""),
    )


@router.get("/ask")
def show_form(request: Request, visitor: Visits) -> Response:
    """Show the form of a new request."""
    opened(visitor, Door.APPROVALS)
    return _ask_page(request, visitor, Filled())


@router.post("/ask")
def ask(request: Request, visitor: Visits, form: Form) -> Response:
    """Ask for leave."""
    opened(visitor, Door.APPROVALS)
    scope = form.typed.get("scope", "")
    if scope not in REVIEWED:
        form.mistakes["scope"] = "Choose the scope."
    reason = form.text("reason", most=500, missing="Write what it is needed for.")
    until = form.day("until", missing="Choose the day after which leave ends.", after=visitor.now)
    if until is not None and until > visitor.now + APPROVAL_LIFETIME_MOST:
        form.mistakes["until"] = f"Choose a day within {APPROVAL_LIFETIME_MOST.days} days."
    if not form.is_sound or until is None:
        return _ask_page(request, visitor, form, status=422)
    try:
        _governance(visitor).ask(scope, asked_by=visitor.session.user, reason=reason, until=until)
    except ContractError:
        form.mistakes["reason"] = "These words cannot be kept: use plain text without control characters."
        return _ask_page(request, visitor, form, status=422)
    return RedirectResponse("/operators/approvals?did=ask", SEE_OTHER)


@router.get("/{request_id}/{verb}")
def show(request: Request, visitor: Visits, request_id: RequestId, verb: str) -> Response:
    """Show what giving leave, or taking it back, will do."""
    _let(visitor)
    return _act_page(request, visitor, _one(visitor, request_id), verb)


@router.post("/{request_id}/{verb}")
def do(request: Request, visitor: Visits, request_id: RequestId, verb: str) -> Response:
    """Give leave or take it back."""
    _let(visitor)
    one = _one(visitor, request_id)
    actor = visitor.session.user
    if verb == "grant":
        outcome = _governance(visitor).grant(request_id, granted_by=actor)
    elif verb == "withdraw":
        outcome = _governance(visitor).withdraw(request_id, withdrawn_by=actor)
    else:
        raise UnknownMemoryError("there is no such act")
    if isinstance(outcome, Refused):
        return _act_page(request, visitor, one, verb, status=409, refused=outcome)
    return RedirectResponse(f"/operators/approvals?did={verb}", SEE_OTHER)


def _let(visitor: Visitor) -> None:
    opened(visitor, Door.APPROVALS)
    visitor.require_fresh()


def _governance(visitor: Visitor) -> Governance:
    return visitor.iris.governance(tenant=visitor.session.tenant)


def _one(visitor: Visitor, request_id: str) -> ApprovalRequest:
    found = next((one for one in _governance(visitor).requests() if one.request_id == request_id), None)
    if found is None:
        raise UnknownMemoryError("there is no such request")
    return found


def _ask_page(request: Request, visitor: Visitor, form: Filled, *, status: int = 200) -> Response:
    latest = (visitor.now + APPROVAL_LIFETIME_MOST - timedelta(days=1)).date()
    return render(
        request,
        "operators/approval_ask.html",
        visitor,
        status=status,
        form=form,
        labels=LABELS,
        reviewed=REVIEWED,
        latest=latest,
    )


def _act_page(
    request: Request,
    visitor: Visitor,
    one: ApprovalRequest,
    verb: str,
    *,
    status: int = 200,
    refused: Refused | None = None,
) -> Response:
    if verb not in _VERBS:
        raise UnknownMemoryError("there is no such act")
    word, reach = _VERBS[verb]
    return render(
        request,
        "operators/approval_act.html",
        visitor,
        status=status,
        one=one,
        verb=verb,
        word=word,
        reach=reach,
        refused=refused,
    )
