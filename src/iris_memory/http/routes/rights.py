"""Data rights: the person's requests, and the desk where operators see to them. The actor of a step is the token's."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Body, Path
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.contracts.category import Category
from iris_memory.contracts.disclosure import Disclosure
from iris_memory.contracts.erasure import ForgetPreview
from iris_memory.contracts.rights import (
    DenialGround,
    DeskRow,
    Fingerprint,
    HoldRefused,
    IdentityChallenge,
    LegalHold,
    Reason,
    Regime,
    RightsPayload,
    RightsRefused,
    RightsRequest,
    VerificationMethod,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Storable
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Auditor, Caller
from iris_memory.http.listing import Cursor, Limit, part
from iris_memory.http.once import OnlyOnce
from iris_memory.http.problems import StepRefusedError, documented

router = APIRouter(prefix="/v1", tags=["data rights"])

RequestId = Annotated[str, Path(description="the id of a request", min_length=1, max_length=128)]
HoldId = Annotated[str, Path(description="the id of a legal hold", min_length=1, max_length=128)]
Reference = Annotated[str, Field(min_length=1, max_length=200), Storable]


class SubmitBody(Contract):
    """What is asked for, and whose law sets the deadline."""

    payload: RightsPayload
    regime: Regime = Regime.DEFAULT


class Requests(Contract):
    """The person's requests, oldest first."""

    requests: tuple[RightsRequest, ...]


class Holds(Contract):
    """Legal holds, oldest first."""

    holds: tuple[LegalHold, ...]


class Desk(Contract):
    """The tenant's requests, those due first: no content and no name. `total` counts all that were asked for."""

    requests: tuple[DeskRow, ...]
    total: Count
    next_cursor: str | None


class DeskHolds(Contract):
    """Legal holds of the tenant, oldest first: `total` counts all there are."""

    holds: tuple[LegalHold, ...]
    total: Count
    next_cursor: str | None


class VerifyStep(Contract):
    """Prove who asks: by the session of the token, or with the secret of a challenge."""

    step: Literal["verify"]
    method: VerificationMethod = VerificationMethod.SESSION_TOKEN
    secret: Annotated[str, Field(min_length=1, max_length=200), Storable] | None = None
    declared: bool = False


class CancelStep(Contract):
    """Take the request back."""

    step: Literal["cancel"]


class ReactivateStep(Contract):
    """Take a soft deletion back within its grace."""

    step: Literal["reactivate"]


class LiftStep(Contract):
    """Let back what a restriction set aside."""

    step: Literal["lift-restriction"]


class AppealStep(Contract):
    """Ask for another decision."""

    step: Literal["appeal"]
    reason: Reason


OwnStep = Annotated[VerifyStep | CancelStep | ReactivateStep | LiftStep | AppealStep, Field(discriminator="step")]


class SignOffStep(Contract):
    """Record that an operator looked at who asks, or that a court ordered it."""

    step: Literal["sign-off"]
    method: VerificationMethod
    declared: bool = False


class PlainStep(Contract):
    """Take a request up, go on with one on hold, or carry one out."""

    step: Literal["start", "resume", "fulfil"]


class ExtendStep(Contract):
    """Move the deadline, once; the person is told the reason."""

    step: Literal["extend"]
    reason: Reason


class WaitStep(Contract):
    """Wait for something."""

    step: Literal["hold"]
    reason: Reason
    until: Instant | None = None


class DenyStep(Contract):
    """Deny a request, or with `partial` the things named."""

    step: Literal["deny"]
    ground: DenialGround
    legal_reference: Reference
    items: dict[Identifier, DenialGround] = Field(default_factory=dict, max_length=1_000)
    partial: bool = False


class CompleteStep(Contract):
    """Complete a request that was carried out elsewhere."""

    step: Literal["complete"]
    result_fingerprint: Fingerprint | None = None


class FailStep(Contract):
    """Note that a request could not be carried out."""

    step: Literal["fail"]
    reason: Reason


class DecideStep(Contract):
    """Decide an appeal."""

    step: Literal["decide-appeal"]
    overturned: bool
    reason: Reason


DeskStep = Annotated[
    SignOffStep | PlainStep | ExtendStep | WaitStep | DenyStep | CompleteStep | FailStep | DecideStep,
    Field(discriminator="step"),
]


class ChallengeBody(Contract):
    """By which way the secret will reach the person."""

    method: Literal[VerificationMethod.EMAIL_LINK, VerificationMethod.PHONE_OTP]


class PlaceHoldBody(Contract):
    """What is held: with nothing named, everything of the person."""

    of_user: Identifier
    reference: Reference
    reason: Reason
    expires_at: Instant
    review_at: Instant | None = None
    scopes: Annotated[tuple[AdapterScope, ...], Field(strict=False)] = ()
    categories: Annotated[tuple[Category, ...], Field(strict=False)] = ()
    logical_ids: Annotated[tuple[Identifier, ...], Field(strict=False)] = ()
    is_sealed: bool = False


class HoldStep(Contract):
    """Confirm a hold as a second person, note that it was reviewed, or end it."""

    step: Literal["confirm", "review", "release"]
    review_at: Instant | None = None


def _example(summary: str, value: object) -> Example:
    return {"summary": summary, "value": value}


_SUBMIT: Final[dict[str, Example]] = {
    "access": _example("Everything that is held", {"payload": {"kind": "access"}, "regime": "gdpr"}),
    "delete": _example(
        "A category, with two weeks in which it can be taken back",
        {
            "payload": {
                "kind": "delete",
                "mode": "soft",
                "categories": ["work"],
                "retention_grace_ms": 1_209_600_000,
            }
        },
    ),
}
_OWN: Final[dict[str, Example]] = {"cancel": _example("Taken back", {"step": "cancel"})}
_DESK: Final[dict[str, Example]] = {
    "start": _example("Taken up", {"step": "start"}),
    "extend": _example("More time", {"step": "extend", "reason": "Several archives have to be searched."}),
    "deny": _example(
        "Denied", {"step": "deny", "ground": "manifestly-unfounded", "legal_reference": "GDPR Art. 12(5)(b)"}
    ),
}
_CHALLENGE: Final[dict[str, Example]] = {"link": _example("A link by mail", {"method": "email-link"})}
_PLACE: Final[dict[str, Example]] = {
    "category": _example(
        "A category, for a case",
        {
            "of_user": "me",
            "reference": "case 2031-17",
            "reason": "A court asked to keep it.",
            "expires_at": "2999-01-01T00:00:00Z",
            "categories": ["work"],
        },
    )
}
_HOLD: Final[dict[str, Example]] = {"release": _example("Ended", {"step": "release"})}


@router.post(
    "/rights", status_code=201, summary="Submit a data-rights request", responses=documented(404, 409, 415, 507)
)
def submit_rights_request(
    caller: Caller, wish: Annotated[SubmitBody, as_json(SubmitBody), Body(openapi_examples=_SUBMIT)], once: OnlyOnce
) -> RightsRequest:
    """Access, export, delete, rectify, restrict, object or withdraw-consent; the answer says by when it is due."""
    rights = caller.memory().rights
    return once.make(
        wish,
        lambda: rights.submit(wish.payload, regime=wish.regime),
        name=lambda made: made.request_id,
        again=rights.show,
    )


@router.get("/rights", summary="List the person's requests", responses=documented())
def list_rights_requests(caller: Caller) -> Requests:
    """Oldest first, each with its trail and what the person was told."""
    return Requests(requests=tuple(caller.memory().rights.list()))


@router.get("/rights/{request_id}", summary="Show one request", responses=documented(404))
def show_rights_request(caller: Caller, request_id: RequestId) -> RightsRequest:
    """With its trail, its deadline and what the person was told."""
    return caller.memory().rights.show(request_id)


@router.get("/rights/{request_id}/reach", summary="Count what a deletion would reach", responses=documented(404, 422))
def show_rights_reach(caller: Caller, request_id: RequestId) -> ForgetPreview:
    """Now, before it is carried out; nothing is changed."""
    return caller.memory().rights.reach(request_id)


@router.post("/rights/{request_id}/steps", summary="Take a step of one's own", responses=documented(403, 404, 409, 415))
def step_rights_request(
    caller: Caller,
    request_id: RequestId,
    wish: Annotated[OwnStep, as_json(OwnStep), Body(openapi_examples=_OWN)],
) -> RightsRequest:
    """Prove who asks, take it back, bring back what was set aside, or appeal."""
    rights = caller.memory().rights
    match wish:
        case VerifyStep():
            signed_in_at = caller.holder.signed_in_at
            if caller.holder.always_fresh:
                signed_in_at = caller.iris.instruments.clock.now()
            return _done(
                rights.verify(
                    request_id,
                    wish.method,
                    secret=wish.secret,
                    signed_in_at=signed_in_at,
                    declared=wish.declared,
                )
            )
        case CancelStep():
            return _done(rights.cancel(request_id))
        case ReactivateStep():
            return _done(rights.reactivate(request_id))
        case LiftStep():
            return _done(rights.lift_restriction(request_id))
    return _done(rights.appeal(request_id, reason=wish.reason))


@router.get(
    "/rights/{request_id}/answer", summary="Read the answer to an access request", responses=documented(404, 409)
)
def read_rights_answer(caller: Caller, request_id: RequestId) -> Disclosure:
    """Everything that is held, with what GDPR Art. 15(1) wants said, for thirty days after it was granted."""
    told = caller.memory().rights.answer(request_id)
    if isinstance(told, RightsRefused):
        raise StepRefusedError(told)
    return told


@router.get("/legal-holds", summary="List the legal holds on the person's memory", responses=documented())
def list_own_holds(caller: Caller) -> Holds:
    """Those that are in force or over, and not sealed."""
    return Holds(holds=tuple(caller.memory().rights.holds()))


@router.get("/desk/rights", summary="List the tenant's requests", responses=documented(403))
def list_desk(auditor: Auditor, open_only: bool = False, limit: Limit = 50, cursor: Cursor = None) -> Desk:
    """Those due first: pseudonym, kind, state and deadline. One whose deadline is moved may be met twice."""
    found = auditor.iris.rights_desk(auditor.holder.tenant).list(open_only=open_only)
    page, more = part(found, lambda row: (row.deadline, row.request_id), limit=limit, cursor=cursor)
    return Desk(requests=page, total=len(found), next_cursor=more)


@router.post(
    "/desk/rights/{request_id}/challenges",
    status_code=201,
    summary="Make a challenge to be sent to the person",
    responses=documented(403, 404, 409, 415),
)
def make_challenge(
    auditor: Auditor,
    request_id: RequestId,
    wish: Annotated[ChallengeBody, as_json(ChallengeBody), Body(openapi_examples=_CHALLENGE)],
) -> IdentityChallenge:
    """The secret is told once. It works once, for a while, and a few wrong answers end it."""
    made = auditor.iris.rights_desk(auditor.holder.tenant).challenge(request_id, wish.method)
    if isinstance(made, RightsRefused):
        raise StepRefusedError(made)
    return made


@router.post(
    "/desk/rights/{request_id}/steps", summary="Take a step of a request", responses=documented(403, 404, 409, 415)
)
def step_desk(
    auditor: Auditor,
    request_id: RequestId,
    wish: Annotated[DeskStep, as_json(DeskStep), Body(openapi_examples=_DESK)],
) -> DeskRow:
    """Start, extend, hold, deny, fulfil, complete, or decide an appeal. No content comes back."""
    return _step_of_desk(auditor, request_id, wish)


@router.get("/desk/legal-holds", summary="List the tenant's legal holds", responses=documented(403))
def list_desk_holds(auditor: Auditor, limit: Limit = 50, cursor: Cursor = None) -> DeskHolds:
    """Sealed ones included."""
    found = auditor.iris.rights_desk(auditor.holder.tenant).holds()
    page, more = part(found, lambda hold: (hold.placed_at, hold.hold_id), limit=limit, cursor=cursor)
    return DeskHolds(holds=page, total=len(found), next_cursor=more)


@router.post(
    "/desk/legal-holds", status_code=201, summary="Place a legal hold", responses=documented(403, 404, 409, 415, 507)
)
def place_hold(
    auditor: Auditor,
    wish: Annotated[PlaceHoldBody, as_json(PlaceHoldBody), Body(openapi_examples=_PLACE)],
    once: OnlyOnce,
) -> LegalHold:
    """It holds nothing until somebody else confirms it."""
    desk = auditor.iris.rights_desk(auditor.holder.tenant)

    def place() -> LegalHold:
        return desk.place_hold(
            user=wish.of_user,
            actor=auditor.holder.user,
            reference=wish.reference,
            reason=wish.reason,
            expires_at=wish.expires_at,
            review_at=wish.review_at,
            scopes=wish.scopes,
            categories=wish.categories,
            logical_ids=wish.logical_ids,
            is_sealed=wish.is_sealed,
        )

    return once.make(
        wish,
        place,
        name=lambda made: made.hold_id,
        again=lambda name: next(one for one in desk.holds() if one.hold_id == name),
    )


@router.post(
    "/desk/legal-holds/{hold_id}/steps", summary="Take a step of a hold", responses=documented(403, 404, 409, 415)
)
def step_hold(
    auditor: Auditor,
    hold_id: HoldId,
    wish: Annotated[HoldStep, as_json(HoldStep), Body(openapi_examples=_HOLD)],
) -> LegalHold:
    """Confirmed by a second person it holds; released, what waited goes on."""
    desk, actor = auditor.iris.rights_desk(auditor.holder.tenant), auditor.holder.user
    done: LegalHold | HoldRefused
    if wish.step == "confirm":
        done = desk.confirm_hold(hold_id, actor=actor)
    elif wish.step == "release":
        done = desk.release_hold(hold_id, actor=actor)
    else:
        again = wish.review_at or auditor.iris.instruments.clock.now()
        done = desk.review_hold(hold_id, actor=actor, review_at=again)
    if isinstance(done, HoldRefused):
        raise StepRefusedError(done)
    return done


def _step_of_desk(auditor: Asking, request_id: str, wish: DeskStep) -> DeskRow:
    desk, actor = auditor.iris.rights_desk(auditor.holder.tenant), auditor.holder.user
    match wish:
        case SignOffStep():
            done = desk.sign_off(request_id, wish.method, actor=actor, declared=wish.declared)
        case ExtendStep():
            done = desk.extend(request_id, actor=actor, reason=wish.reason)
        case WaitStep():
            done = desk.hold(request_id, actor=actor, reason=wish.reason, until=wish.until)
        case DenyStep(partial=True):
            done = desk.deny_in_part(request_id, actor=actor, items=wish.items, legal_reference=wish.legal_reference)
        case DenyStep():
            done = desk.deny(
                request_id,
                actor=actor,
                ground=wish.ground,
                legal_reference=wish.legal_reference,
                items=wish.items,
            )
        case CompleteStep():
            done = desk.complete(request_id, actor=actor, result_fingerprint=wish.result_fingerprint)
        case FailStep():
            done = desk.fail(request_id, actor=actor, reason=wish.reason)
        case DecideStep():
            done = desk.decide_appeal(request_id, actor=actor, overturned=wish.overturned, reason=wish.reason)
        case PlainStep(step="start"):
            done = desk.start(request_id, actor=actor)
        case PlainStep(step="resume"):
            done = desk.resume(request_id, actor=actor)
        case _:
            done = desk.fulfil(request_id, actor=actor)
    _done(done)
    return next(row for row in desk.list() if row.request_id == request_id)


def _done(step: RightsRequest | RightsRefused) -> RightsRequest:
    if isinstance(step, RightsRefused):
        raise StepRefusedError(step)
    return step
