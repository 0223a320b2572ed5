"""Legal holds: what must be kept for now, placed by one operator and confirmed by another."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.rights import HoldRefused, HoldState, LegalHold
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.rights import RightsDesk
from iris_memory.web.choices import Filled, filled
from iris_memory.web.doors import Door, opened
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, SCOPES

router = APIRouter(prefix="/operators/holds")

HoldId = Annotated[str, Path(min_length=1, max_length=128)]
Form = Annotated[Filled, Depends(filled)]

LABELS: Final = {
    "user": "Whose memory",
    "reference": "Case or order",
    "reason": "Reason",
    "expires_at": "Ends after",
    "scope": "Scope",
    "category": "Category",
    "review_at": "Look again on",
}
_VERBS: Final = {
    "confirm": (
        "Confirm this hold",
        "From now on nothing it covers is destroyed, until it is released or ends by itself.",
    ),
    "review": ("Keep it, and look again", "The hold goes on. Somebody has to look again on the day you choose."),
    "release": (
        "Release this hold",
        "The hold ends. Whatever was to be destroyed and waited for it is destroyed at once; nothing brings it back.",
    ),
}
_DONE: Final = {"place": "The hold was placed. It holds nothing until somebody else confirms it."} | {
    "confirm": "The hold is in force.",
    "review": "The hold goes on.",
    "release": "The hold ended. What had waited for it was destroyed.",
}


@router.get("")
def holds(request: Request, visitor: Visits, did: str = "") -> Response:
    """List every hold of the tenant, those in force first."""
    opened(visitor, Door.HOLDS)
    order = [HoldState.PLACED, HoldState.IN_FORCE, HoldState.RELEASED, HoldState.EXPIRED]
    found = sorted(_desk(visitor).holds(), key=lambda hold: (order.index(hold.state), hold.expires_at))
    return render(request, "operators/holds.html", visitor, holds=found, done=_DONE.get(did, ""))


@router.get("/place")
def ask_to_place(request: Request, visitor: Visits) -> Response:
    """Show the form of a new hold."""
    _let(visitor)
    return _place_page(request, visitor, Filled())


@router.post("/place")
def place(request: Request, visitor: Visits, form: Form) -> Response:
    """Place a hold; it holds nothing until somebody else confirms it."""
    _let(visitor)
    user = form.text("user", most=128, missing="Write the person's id, as your sign-in names them.")
    reference = form.text("reference", most=200, missing="Write which case or order it is for.")
    reason = form.text("reason", most=1_000, missing="Write why it must be kept.")
    ends = form.day("expires_at", missing="Choose the day after which it ends by itself.", after=visitor.now)
    scope, category = form.typed.get("scope", ""), form.typed.get("category", "")
    if not form.is_sound or ends is None:
        return _place_page(request, visitor, form, status=422)
    try:
        _desk(visitor).place_hold(
            user=user,
            actor=visitor.session.user,
            reference=reference,
            reason=reason,
            expires_at=ends,
            scopes=[scope] if scope in set(AdapterScope) else [],
            categories=[category] if category in set(Category) else [],
            is_sealed=form.is_ticked("is_sealed"),
        )
    except UnknownMemoryError:
        form.mistakes["user"] = "Nothing is kept of a person with this id."
        return _place_page(request, visitor, form, status=422)
    except ContractError:
        form.mistakes["reason"] = "These words cannot be kept: use plain text without control characters."
        return _place_page(request, visitor, form, status=422)
    return RedirectResponse("/operators/holds?did=place", SEE_OTHER)


@router.get("/{hold_id}/{verb}")
def ask(request: Request, visitor: Visits, hold_id: HoldId, verb: str) -> Response:
    """Show what confirming, reviewing or releasing a hold will do."""
    _let(visitor)
    return _act_page(request, visitor, _hold(visitor, hold_id), verb, Filled())


@router.post("/{hold_id}/{verb}")
def do(request: Request, visitor: Visits, hold_id: HoldId, verb: str, form: Form) -> Response:
    """Confirm, review or release a hold."""
    _let(visitor)
    hold = _hold(visitor, hold_id)
    actor, desk = visitor.session.user, _desk(visitor)
    outcome: LegalHold | HoldRefused
    if verb == "confirm":
        outcome = desk.confirm_hold(hold_id, actor=actor)
    elif verb == "release":
        outcome = desk.release_hold(hold_id, actor=actor)
    else:
        again = form.day("review_at", missing="Choose the day to look again.", after=visitor.now)
        if again is not None and again > hold.expires_at:
            form.mistakes["review_at"] = "Choose a day before the hold ends by itself."
        if again is None or not form.is_sound:
            return _act_page(request, visitor, hold, verb, form, status=422)
        outcome = desk.review_hold(hold_id, actor=actor, review_at=again)
    if isinstance(outcome, HoldRefused):
        return _act_page(request, visitor, hold, verb, form, status=409, refused=outcome)
    return RedirectResponse(f"/operators/holds?did={verb}", SEE_OTHER)


def _let(visitor: Visitor) -> None:
    opened(visitor, Door.HOLDS)
    visitor.require_fresh()


def _desk(visitor: Visitor) -> RightsDesk:
    return visitor.iris.rights_desk(visitor.session.tenant)


def _hold(visitor: Visitor, hold_id: str) -> LegalHold:
    found = next((hold for hold in _desk(visitor).holds() if hold.hold_id == hold_id), None)
    if found is None:
        raise UnknownMemoryError("there is no such hold")
    return found


def _place_page(request: Request, visitor: Visitor, form: Filled, *, status: int = 200) -> Response:
    return render(
        request,
        "operators/hold_place.html",
        visitor,
        status=status,
        form=form,
        labels=LABELS,
        scopes={scope.value: word for scope, word in SCOPES.items()},
        categories={category.value: word for category, word in CATEGORIES.items()},
        tomorrow=(visitor.now + timedelta(days=1)).date().isoformat(),
    )


def _act_page(
    request: Request,
    visitor: Visitor,
    hold: LegalHold,
    verb: str,
    form: Filled,
    *,
    status: int = 200,
    refused: HoldRefused | None = None,
) -> Response:
    if verb not in _VERBS:
        raise UnknownMemoryError("there is no such act")
    word, reach = _VERBS[verb]
    return render(
        request,
        "operators/hold_act.html",
        visitor,
        status=status,
        hold=hold,
        verb=verb,
        word=word,
        reach=reach,
        form=form,
        labels=LABELS,
        refused=refused,
    )
