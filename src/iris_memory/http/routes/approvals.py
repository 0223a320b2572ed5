"""Approvals of reviewed scopes, and the notices consents are asked with: for those who look after a tenant.

Who acts is the holder of the token, never a name in a request; the one who asks never grants.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Body, Path

from iris_memory.contracts.consent import ApprovalRequest
from iris_memory.contracts.write import Refused
from iris_memory.front.governance import Governance
from iris_memory.http import consent_bodies as bodies
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Auditor
from iris_memory.http.once import OnlyOnce
from iris_memory.http.problems import RefusedError, documented

router = APIRouter(prefix="/v1", tags=["governance"])

RequestId = Annotated[str, Path(min_length=1, max_length=128, description="The id of a request for an approval.")]


@router.get("/approvals", summary="List approvals and requests for them", responses=documented(403))
def list_approvals(caller: Auditor) -> bodies.Approvals:
    """Every request as it stands now, oldest first, and what is in force."""
    governance = _of(caller)
    return bodies.Approvals(requests=tuple(governance.requests()), approvals=tuple(governance.approvals()))


@router.post("/approvals", status_code=201, summary="Ask for an approval", responses=documented(403, 409, 415, 507))
def ask_approval(
    caller: Auditor,
    wish: Annotated[
        bodies.AskApprovalBody, as_json(bodies.AskApprovalBody), Body(openapi_examples=bodies.ASK_APPROVAL)
    ],
    once: OnlyOnce,
) -> ApprovalRequest:
    """Leave to use a scope that needs governance review; it waits for somebody else's word."""
    until = caller.iris.instruments.clock.now() + timedelta(days=wish.for_days)
    governance, asked_by = _of(caller), caller.holder.user
    return once.make(
        wish,
        lambda: governance.ask(wish.adapter_scope, asked_by=asked_by, reason=wish.reason, until=until),
        name=lambda made: made.request_id,
        again=lambda name: next(one for one in governance.requests() if one.request_id == name),
    )


@router.post("/approvals/{request_id}", summary="Decide a request", responses=documented(403, 404, 409, 415, 507))
def decide_approval(
    caller: Auditor,
    request_id: RequestId,
    wish: Annotated[
        bodies.DecideApprovalBody, as_json(bodies.DecideApprovalBody), Body(openapi_examples=bodies.DECIDE_APPROVAL)
    ],
) -> ApprovalRequest:
    """Grant what another asked for, or take back a request or the leave that was given on it."""
    governance, actor = _of(caller), caller.holder.user
    outcome = (
        governance.grant(request_id, granted_by=actor)
        if wish.decision == "grant"
        else governance.withdraw(request_id, withdrawn_by=actor)
    )
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome


@router.get("/notices", summary="List the notices that are shown", responses=documented(403))
def list_notices(caller: Auditor) -> bodies.Notices:
    """By consent and language: the hash of each text, its version, and since when."""
    return bodies.Notices(notices=tuple(_of(caller).notices()))


@router.put("/notices", summary="Change the notice of some consents", responses=documented(403, 415, 507))
def put_notices(
    caller: Auditor,
    wish: Annotated[bodies.NoticeBody, as_json(bodies.NoticeBody), Body(openapi_examples=bodies.NOTICE)],
) -> bodies.Notices:
    """Whoever agreed to another text is due for asking from then on; what they agreed to stays in force until then."""
    done = _of(caller).publish_notice(*wish.names, terms=wish.terms, language=wish.terms_language)
    return bodies.Notices(notices=tuple(done))


def _of(caller: Asking) -> Governance:
    return caller.iris.governance(tenant=caller.holder.tenant)
