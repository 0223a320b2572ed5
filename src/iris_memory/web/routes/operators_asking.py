"""Asking to look: the request form, and the separate page that breaks the glass."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.inspection import (
    INSPECTED_MOST,
    IncidentReference,
    InspectionReason,
    InspectionRefused,
    InspectionState,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.tables.categories import SAFETY_CRITICAL
from iris_memory.tables.inspectors import (
    APPROVERS,
    GRANT_MINUTES,
    GRANT_MINUTES_MOST,
    NOTICE_WINDOW,
    REASONS,
    REVIEW_WITHIN,
    SENSITIVE_APPROVERS,
)
from iris_memory.web.choices import Filled, day_of, filled
from iris_memory.web.inspection_words import INSPECTOR_ROLES, WHY_BY_PATH
from iris_memory.web.inspectors import inspections, roles_of
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, SCOPES

router = APIRouter(prefix="/operators/inspection")

Form = Annotated[Filled, Depends(filled)]

LABELS: Final = {
    "role": "Your role",
    "user": "Whose memory",
    "reason": "Reason",
    "reference": "Reference",
    "incident": "Signed incident reference",
    "what": "What is looked at",
    "ids": "Ids of memories",
    "scope": "Scope",
    "since": "Changed since",
    "until": "Changed through",
    "most": "At most",
    "minutes": "Minutes",
    "include_sensitive": "Sensitive memory",
    "sure": "Confirmation",
}
_SAFETY: Final = InspectionReason.SAFETY_INCIDENT


@router.get("/ask")
def show_form(request: Request, visitor: Visits) -> Response:
    """Show the request form."""
    return _ask_page(request, visitor, Filled())


@router.post("/ask")
def ask(request: Request, visitor: Visits, form: Form) -> Response:
    """Ask to look; somebody else approves."""
    roles_of(visitor)
    user = form.text("user", most=128, missing="Write the person's id, as your sign-in names them.")
    reason = form.choice("reason", InspectionReason, missing="Choose the reason.")
    reference = form.text("reference", most=128, missing="Write the case, or the id of the data-rights request.")
    target = _target(form)
    incident = _incident(form)
    minutes = _number(form, "minutes", GRANT_MINUTES, GRANT_MINUTES_MOST)
    if not form.is_sound or reason is None:
        return _ask_page(request, visitor, form, status=422)
    wish = {"path": REASONS[reason], "reason": reason, "reference": reference, "incident": incident}
    return _request(request, visitor, form, user, {**wish, "target": target, "minutes": minutes}, _ask_page)


@router.get("/break-glass")
def show_glass(request: Request, visitor: Visits) -> Response:
    """Show who will be told before the glass is broken."""
    roles_of(visitor)
    visitor.require_fresh()
    return _glass_page(request, visitor, Filled())


@router.post("/break-glass")
def break_glass(request: Request, visitor: Visits, form: Form) -> Response:
    """Look without approval, at safety-critical memory alone; everybody who approves is told at once."""
    roles_of(visitor)
    visitor.require_fresh("/operators/inspection/break-glass")
    user = form.text("user", most=128, missing="Write the person's id, as your sign-in names them.")
    reference = form.text("reference", most=128, missing="Write the incident's id.")
    incident = _incident(form)
    if incident is None and "incident" not in form.mistakes:
        form.mistakes["incident"] = "Paste the reference that the incident desk signed."
    chosen = [category.value for category in SAFETY_CRITICAL if form.typed.get(f"category-{category.value}") == "yes"]
    if not chosen:
        form.mistakes["what"] = "Tick what you need to see."
    form.is_ticked("sure", missing="Tick this to say that you know who will be told.")
    if not form.is_sound:
        return _glass_page(request, visitor, form, status=422)
    wish: dict[str, Any] = {
        "path": REASONS[_SAFETY],
        "reason": _SAFETY,
        "reference": reference,
        "incident": incident,
        "target": {"categories": sorted(chosen)},
        "break_glass": True,
    }
    return _request(request, visitor, form, user, wish, _glass_page)


def _request(request: Request, visitor: Visitor, form: Filled, user: str, wish: dict[str, Any], page: Any) -> Response:
    mine = inspections(visitor, wanted=form.typed.get("role", ""))
    try:
        snapshot = mine.consent_snapshot(user)
        outcome = mine.request(user, consent_snapshot_id=snapshot, **wish)
    except UnknownMemoryError:
        form.mistakes["user"] = "Nothing is kept of a person with this id."
    except ContractError as problem:
        # its words name fields and rules, never what was given
        where = "incident" if "incident" in str(problem) else "what" if "target" in str(problem) else "reference"
        form.mistakes[where] = f"{str(problem)[0].upper()}{str(problem)[1:]}."
    else:
        if isinstance(outcome, InspectionRefused):
            refused: Response = page(request, visitor, form, status=409, refused=outcome)
            return refused
        did = "?did=asked" if outcome.state is not InspectionState.DENIED and not outcome.break_glass else ""
        return RedirectResponse(f"/operators/inspection/{outcome.inspection_id}{did}", SEE_OTHER)
    again: Response = page(request, visitor, form, status=422)
    return again


def _target(form: Filled) -> dict[str, Any]:
    """Return what is to be looked at; a mistake is noted where it is nothing, or two things at once."""
    ids = form.typed.get("ids", "").split()
    categories = [category.value for category in Category if form.typed.get(f"category-{category.value}") == "yes"]
    scope = form.typed.get("scope", "")
    target: dict[str, Any] = {"include_sensitive": form.typed.get("include_sensitive") == "yes"}
    for name, extra in (("since", 0), ("until", 1)):
        word = form.typed.get(name, "")
        if word:
            day = day_of(word)
            if day is None:
                form.mistakes[name] = "Write the day as year-month-day, such as 2026-03-31."
            else:
                target[name] = day + timedelta(days=extra)
    if categories:
        target["categories"] = categories
    if scope in set(AdapterScope):
        target["adapter_scopes"] = [scope]
    asks = bool(set(target) - {"include_sensitive"})
    if ids and asks:
        form.mistakes["what"] = "Name memories by id, or by what they are, and not both."
    elif not ids and not asks:
        form.mistakes["what"] = "Say what you need to see: ids, categories, a scope or a time. Everything is no answer."
    if ids:
        target["logical_ids"] = ids
    target["most"] = _number(form, "most", 100, INSPECTED_MOST)
    return target


def _incident(form: Filled) -> IncidentReference | None:
    text = form.typed.get("incident", "").strip()
    if not text:
        return None
    try:
        return IncidentReference.model_validate_json(text)
    except ValidationError:
        form.mistakes["incident"] = "This is not the JSON that the incident desk signed. Paste it whole."
        return None


def _number(form: Filled, name: str, usual: int, most: int) -> int:
    word = form.typed.get(name, "").strip()
    if not word:
        return usual
    if not word.isascii() or not word.isdigit() or not 1 <= int(word[:9]) <= most:
        form.mistakes[name] = f"Write a number between 1 and {most:,}."
        return usual
    return int(word)


def _ask_page(
    request: Request,
    visitor: Visitor,
    form: Filled,
    *,
    status: int = 200,
    refused: InspectionRefused | None = None,
) -> Response:
    return render(
        request,
        "operators/inspection_ask.html",
        visitor,
        status=status,
        form=form,
        labels=LABELS,
        refused=refused,
        my_roles={role.value: INSPECTOR_ROLES[role] for role in roles_of(visitor)},
        reasons=WHY_BY_PATH,
        categories={category.value: word for category, word in CATEGORIES.items()},
        scopes={scope.value: word for scope, word in SCOPES.items()},
        minutes=GRANT_MINUTES,
        minutes_most=GRANT_MINUTES_MOST,
        sensitive_approvers=SENSITIVE_APPROVERS,
        most_of_all=INSPECTED_MOST,
    )


def _glass_page(
    request: Request,
    visitor: Visitor,
    form: Filled,
    *,
    status: int = 200,
    refused: InspectionRefused | None = None,
) -> Response:
    return render(
        request,
        "operators/break_glass.html",
        visitor,
        status=status,
        form=form,
        labels=LABELS,
        refused=refused,
        my_roles={role.value: INSPECTOR_ROLES[role] for role in roles_of(visitor)},
        told=[INSPECTOR_ROLES[role] for role in APPROVERS],
        categories={category.value: CATEGORIES[category] for category in Category if category in SAFETY_CRITICAL},
        notice_hours=int(NOTICE_WINDOW.total_seconds()) // 3_600,
        review_hours=int(REVIEW_WITHIN.total_seconds()) // 3_600,
        minutes=GRANT_MINUTES,
    )
