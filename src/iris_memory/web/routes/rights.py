"""Your rights: requests with their state, deadline and what happens next; proving, taking back, appealing, answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import OptOut
from iris_memory.contracts.rights import (
    DeletePayload,
    IdentityLevel,
    Regime,
    RightsFact,
    RightsKind,
    RightsPayload,
    RightsRefused,
    RightsRequest,
    RightsState,
    VerificationMethod,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import ContractError
from iris_memory.front.rights import payload_of
from iris_memory.tables.regimes import REGIMES
from iris_memory.tables.transitions import OPEN
from iris_memory.web.consent_words import OPT_OUTS, consent_words
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, SCOPES, came, left

router = APIRouter()

RequestId = Annotated[str, Path(min_length=1, max_length=128)]
GRACE: Final = timedelta(days=7)

KINDS: Final = {
    RightsKind.ACCESS: "See everything",
    RightsKind.EXPORT: "Take it along",
    RightsKind.DELETE: "Delete",
    RightsKind.RESTRICT: "Set aside",
    RightsKind.OBJECT: "Object to a use",
    RightsKind.RECTIFY: "Put right",
    RightsKind.WITHDRAW_CONSENT: "Take a consent back",
}
OFFERED: Final = {
    RightsKind.ACCESS: "All that is held about you, with what the law wants said beside it.",
    RightsKind.EXPORT: "One signed file that people and programs can read, and that others can take in.",
    RightsKind.DELETE: "What lives in some places or belongs to some categories goes, at once or after a week.",
    RightsKind.RESTRICT: "What you name stays, and is used in no answer.",
    RightsKind.OBJECT: "Uses you do not want stop.",
}
STATES: Final = {
    RightsState.SUBMITTED: "Waits for proof of who you are",
    RightsState.VERIFIED: "Ready to be carried out",
    RightsState.IN_PROGRESS: "Being carried out",
    RightsState.COMPLETED: "Done",
    RightsState.FAILED: "Not granted",
    RightsState.CANCELLED: "Taken back",
    RightsState.EXPIRED: "Closed, its time was over",
    RightsState.APPEALED: "Being decided again",
}
_FACTS: Final = {
    RightsFact.IDENTITY_PROVED: "You proved who you are",
    RightsFact.ON_HOLD: "It waits for something",
    RightsFact.HOLD_ENDED: "It goes on",
    RightsFact.EXTENDED: "The deadline was moved",
    RightsFact.PARTIALLY_FULFILLED: "A part is not granted",
    RightsFact.DENIED: "It was denied",
    RightsFact.DUPLICATE: "You asked for this before",
    RightsFact.SET_ASIDE: "What you named was set aside",
    RightsFact.REACTIVATED: "What was set aside was brought back",
    RightsFact.APPEAL_UPHELD: "The decision stands",
    RightsFact.APPEAL_OVERTURNED: "The decision was overturned",
    RightsFact.RESTRICTION_LIFTED: "What was set aside is in use again",
}
_EVENTS: Final[Mapping[str, str]] = {
    **{state.value: words for state, words in STATES.items()},
    **{fact.value: words for fact, words in _FACTS.items()},
    RightsState.SUBMITTED.value: "You asked",
    RightsState.VERIFIED.value: "It was clear who asked",
}
_LEVELS: Final = {
    IdentityLevel.SESSION: "that you are signed in",
    IdentityLevel.STEP_UP: "a sign-in of the last five minutes",
    IdentityLevel.TWO_FACTORS: "two proofs: a sign-in of the last five minutes, and a code or link that is sent to you",
    IdentityLevel.DECLARATION: (
        "a sign-in of the last five minutes, a code and a link that are sent to you, and your declaration"
    ),
}
_FLAGS: Final = {
    "include_consents": "Consents",
    "include_opt_outs": "What I opted out of",
    "include_notebooks": "Notebooks",
    "include_session_memory": "Memory of sessions",
    "include_scene_memory": "Memory of scenes",
    "include_pose_memory": "Measures of poses, as sums alone",
}


@router.get("/rights")
def index(request: Request, visitor: Visits) -> Response:
    """Show the person's requests, what else can be asked for, and legal holds."""
    rights = visitor.memory.rights
    requests = rights.list()[::-1]
    return render(
        request,
        "rights/index.html",
        visitor,
        open=[one for one in requests if one.state in OPEN],
        closed=[one for one in requests if one.state not in OPEN],
        holds=rights.holds(),
        kinds=KINDS,
        states=STATES,
        offered=OFFERED,
        covers=_covers,
    )


@router.get("/rights/new")
def show_new(request: Request, visitor: Visits, kind: str = "") -> Response:
    """Show what a request of one kind can say."""
    if kind not in {one.value for one in OFFERED}:
        return RedirectResponse("/rights", SEE_OTHER)
    if kind == RightsKind.DELETE.value:
        visitor.require_fresh()  # before anything is filled in, so that nothing is lost
    return _new_page(request, visitor, RightsKind(kind))


@router.post("/rights/new")
def submit(
    request: Request,
    visitor: Visits,
    kind: Annotated[RightsKind, Form()],
    regime: Annotated[Regime, Form()] = Regime.DEFAULT,
    scopes: Annotated[list[AdapterScope] | None, Form()] = None,
    categories: Annotated[list[Category] | None, Form()] = None,
    purposes: Annotated[list[OptOut] | None, Form()] = None,
    include: Annotated[list[str] | None, Form()] = None,
    format: Annotated[str, Form()] = "json",
    encrypted: Annotated[bool, Form()] = False,
    mode: Annotated[str, Form()] = "soft",
) -> Response:
    """Submit a request; what the session proves is noted at once, and what needs no more is carried out."""
    wishes: dict[str, Any] = {}
    if kind in {RightsKind.ACCESS, RightsKind.EXPORT, RightsKind.DELETE, RightsKind.RESTRICT}:
        wishes["scopes"] = scopes or []
    if kind in {RightsKind.DELETE, RightsKind.RESTRICT}:
        wishes["categories"] = categories or []
        if not (scopes or categories):
            wrong = [("named", "Choose at least one place or category.")]
            return _new_page(request, visitor, kind, wrong, status=422)
    if kind is RightsKind.OBJECT:
        wishes["purposes"] = purposes or []
        if not purposes:
            wrong = [("named", "Choose at least one use you object to.")]
            return _new_page(request, visitor, kind, wrong, status=422)
    if kind is RightsKind.EXPORT:
        wishes |= {name: name in (include or ()) for name in _FLAGS}
        wishes |= {"format": format, "encrypted": encrypted}
    if kind is RightsKind.DELETE:
        visitor.require_fresh("/rights/new?kind=delete")
        wishes |= {"mode": mode, "retention_grace_ms": int(GRACE / timedelta(milliseconds=1)) if mode == "soft" else 0}
    try:
        made = carried_out(visitor, payload_of(kind.value, wishes), regime=regime)
    except ContractError as problem:
        return _new_page(request, visitor, kind, [("", f"{str(problem).capitalize()}.")], status=422)
    return RedirectResponse(f"/rights/{made.request_id}?done=asked", SEE_OTHER)


@router.get("/rights/{request_id}")
def show(request: Request, visitor: Visits, request_id: RequestId) -> Response:
    """Show one request: where it stands, its deadline, what happens next, and all that happened."""
    return _page(request, visitor, visitor.memory.rights.show(request_id))


@router.post("/rights/{request_id}/prove")
def prove(
    request: Request,
    visitor: Visits,
    request_id: RequestId,
    method: Annotated[VerificationMethod, Form()] = VerificationMethod.SESSION_TOKEN,
    secret: Annotated[str, Form(max_length=200)] = "",
    declared: Annotated[bool, Form()] = False,
) -> Response:
    """Take a proof of who asks: the session, freshly signed in, or what was sent to the person."""
    rights = visitor.memory.rights
    if method is VerificationMethod.SESSION_TOKEN:
        visitor.require_fresh(f"/rights/{request_id}")
    elif not secret.strip():
        asked = rights.show(request_id)
        return _page(request, visitor, asked, [("secret", "Type the code, or the last part of the link.")], status=422)
    signed_in = visitor.session.signed_in_at if method is VerificationMethod.SESSION_TOKEN else None
    done = rights.verify(request_id, method, secret=secret.strip() or None, signed_in_at=signed_in, declared=declared)
    if isinstance(done, RightsRefused):
        wrong = [
            ("secret", "That is not the code that was sent, or its time is over. Type it again, or ask for another.")
        ]
        return _page(request, visitor, rights.show(request_id), wrong, status=422)
    return _to(request_id, done, "proved")


@router.post("/rights/{request_id}/carry-out")
def carry_out(visitor: Visits, request_id: RequestId) -> Response:
    """Carry a verified request out."""
    asked = visitor.memory.rights.show(request_id)
    if asked.kind in {RightsKind.DELETE, RightsKind.EXPORT, RightsKind.ACCESS}:
        visitor.require_fresh(f"/rights/{request_id}")
    return _to(request_id, visitor.memory.rights.carry_out(request_id), "asked")


@router.post("/rights/{request_id}/cancel")
def cancel(visitor: Visits, request_id: RequestId) -> Response:
    """Take a request back."""
    return _to(request_id, visitor.memory.rights.cancel(request_id), "cancelled")


@router.post("/rights/{request_id}/bring-back")
def bring_back(visitor: Visits, request_id: RequestId) -> Response:
    """Bring back what a soft deletion set aside, within its grace."""
    return _to(request_id, visitor.memory.rights.reactivate(request_id), "back")


@router.post("/rights/{request_id}/lift")
def lift(visitor: Visits, request_id: RequestId) -> Response:
    """Take what a restriction set aside back into use."""
    return _to(request_id, visitor.memory.rights.lift_restriction(request_id), "lifted")


@router.post("/rights/{request_id}/appeal")
def appeal(
    request: Request, visitor: Visits, request_id: RequestId, reason: Annotated[str, Form(max_length=4_000)] = ""
) -> Response:
    """Ask for another decision, by somebody else."""
    said = reason.strip()
    if not 0 < len(said) <= 1_000:
        wrong = [("reason", "Say why you do not agree, in 1,000 characters at most.")]
        return _page(request, visitor, visitor.memory.rights.show(request_id), wrong, reason=said, status=422)
    return _to(request_id, visitor.memory.rights.appeal(request_id, reason=said), "appealed")


@router.get("/rights/{request_id}/answer")
def answer(request: Request, visitor: Visits, request_id: RequestId) -> Response:
    """Show the answer to a request to see everything."""
    visitor.require_fresh()
    found = visitor.memory.rights.answer(request_id)
    if isinstance(found, RightsRefused):
        return RedirectResponse(f"/rights/{request_id}?done=refused", SEE_OTHER)
    titles = {event.type: consent_words(event.type).title for event in found.consents}
    return render(request, "rights/answer.html", visitor, told=found, titles=titles, opt_out_words=OPT_OUTS)


def carried_out(visitor: Visitor, payload: RightsPayload, *, regime: Regime = Regime.DEFAULT) -> RightsRequest:
    """Submit a request, note what the session proves and, where that is enough, carry it out; return where it stands.

    An export is made from its own page, which shows how far it is; and what nothing brings back is not done before its
    reach was shown.
    """
    rights = visitor.memory.rights
    made = rights.submit(payload, regime=regime)
    if made.state is not RightsState.SUBMITTED:
        return made
    proved = rights.verify(made.request_id, signed_in_at=visitor.session.signed_in_at)
    if (
        isinstance(proved, RightsRequest)
        and proved.state is RightsState.VERIFIED
        and made.kind is not RightsKind.EXPORT
        and not _is_final(made)
    ):
        rights.carry_out(made.request_id)
    return rights.show(made.request_id)


def _is_final(asked: RightsRequest) -> bool:
    return isinstance(asked.payload, DeletePayload) and not asked.payload.retention_grace_ms


def _to(request_id: str, done: RightsRequest | RightsRefused, code: str) -> Response:
    said = "refused" if isinstance(done, RightsRefused) else code
    return RedirectResponse(f"/rights/{request_id}?done={said}", SEE_OTHER)


def _page(
    request: Request,
    visitor: Visitor,
    asked: RightsRequest,
    mistakes: list[tuple[str, str]] | None = None,
    *,
    reason: str = "",
    status: int = 200,
) -> Response:
    proved = {proof.method for proof in asked.proofs}
    missing = [one for one in (VerificationMethod.EMAIL_LINK, VerificationMethod.PHONE_OTP) if one not in proved]
    fresh = any(proof.method is VerificationMethod.SESSION_TOKEN and proof.fresh for proof in asked.proofs)
    return render(
        request,
        "rights/one.html",
        visitor,
        status=status,
        asked=asked,
        title=KINDS[asked.kind],
        state=STATES[asked.state],
        covers=_covers(asked),
        next=_next(visitor, asked),
        law=REGIMES[asked.regime].law,
        reached=visitor.memory.rights.reach(asked.request_id) if _waits_to_destroy(asked) else None,
        came=came(asked.result.counts if asked.result is not None else {}),
        events=_EVENTS,
        level=_LEVELS[asked.level_needed],
        needs_session=not fresh,
        needs_codes=missing if asked.level_needed in {IdentityLevel.TWO_FACTORS, IdentityLevel.DECLARATION} else [],
        needs_declaration=asked.level_needed is IdentityLevel.DECLARATION,
        is_open=asked.state in OPEN,
        is_in_grace=asked.grace_ends_at is not None and asked.state is RightsState.IN_PROGRESS,
        can_appeal=asked.appeal is None and asked.state in {RightsState.FAILED, RightsState.COMPLETED},
        can_lift=asked.kind is RightsKind.RESTRICT
        and asked.state is RightsState.COMPLETED
        and all(event.event is not RightsFact.RESTRICTION_LIFTED for event in asked.trail),
        mistakes=mistakes or [],
        reason=reason,
    )


def _waits_to_destroy(asked: RightsRequest) -> bool:
    return asked.kind is RightsKind.DELETE and asked.state is RightsState.VERIFIED


def _next(visitor: Visitor, asked: RightsRequest) -> str:
    now = visitor.now
    if asked.pending is not None:
        return f"It waits. The reason: {asked.pending.reason}"
    match asked.state:
        case RightsState.SUBMITTED:
            return f"Nothing happens until it is clear who asks. What is needed: {_LEVELS[asked.level_needed]}."
        case RightsState.VERIFIED:
            return "It can be carried out now. You can do that yourself, below."
        case RightsState.IN_PROGRESS if asked.grace_ends_at is not None:
            return f"What you named is set aside. It is forgotten for good in {left(asked.grace_ends_at, now)}."
        case RightsState.IN_PROGRESS:
            return f"It is being carried out. You have the answer in {left(asked.deadline, now)} at the latest."
        case RightsState.COMPLETED:
            return "Nothing more happens."
        case RightsState.FAILED:
            return asked.denial.remedy if asked.denial is not None else REGIMES[asked.regime].remedy
        case RightsState.APPEALED:
            return "Somebody else than the one who decided decides again."
        case _:
            return "Nothing more happens. You can ask again at any time."


def _covers(asked: RightsRequest) -> str:
    payload: Any = asked.payload
    scopes, categories = getattr(payload, "scopes", ()), getattr(payload, "categories", ())
    named = [SCOPES[one] for one in scopes] if len(scopes) < len(AdapterScope) else ["everything"]
    named += [CATEGORIES[one] for one in categories]
    named += [OPT_OUTS[one] for one in getattr(payload, "purposes", ())]
    named += [consent_words(one).title for one in getattr(payload, "consents", ())]
    count = len(getattr(payload, "logical_ids", ())) + (1 if asked.kind is RightsKind.RECTIFY else 0)
    named += ["one memory" if count == 1 else f"{count} memories"] if count else []
    return ", ".join(named) or "everything"


def _new_page(
    request: Request,
    visitor: Visitor,
    kind: RightsKind,
    mistakes: list[tuple[str, str]] | None = None,
    *,
    status: int = 200,
) -> Response:
    return render(
        request,
        "rights/new.html",
        visitor,
        status=status,
        kind=kind,
        title=KINDS[kind],
        about=OFFERED[kind],
        scopes=SCOPES,
        categories=CATEGORIES,
        opt_outs=OPT_OUTS,
        flags=_FLAGS,
        regimes={one: REGIMES[one].law for one in Regime},
        days=GRACE.days,
        mistakes=mistakes or [],
    )
