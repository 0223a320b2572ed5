"""The rules of inspection: whose signature vouches for incidents, who reports along which line, which ids are canaries.

Those who approve see and change them. Canaries lie on a page of their own behind a fresh sign-in: who looks at memory
is not told of them.
"""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.inspection import AlarmKind, IncidentKey, InspectionRefused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.inspection import Inspections
from iris_memory.web.choices import Filled, filled
from iris_memory.web.doors import Door, opened
from iris_memory.web.inspectors import inspections
from iris_memory.web.paging import PAGE, PageNumber, paged
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter(prefix="/operators/rules")

HERE: Final = "/operators/rules"
CANARIES: Final = f"{HERE}/canaries"
DAYS: Final = 366
"""How far back touched canaries are counted: as far as a report reaches."""

Form = Annotated[Filled, Depends(filled)]
Named = Annotated[str, Query(max_length=128)]

LABELS: Final = {
    "label": "Whose key it is",
    "public_key": "Public key",
    "operator": "Operator",
    "line": "Reporting line",
    "canary": "Id of a memory or of a revision",
}
DONE: Final = {
    "trusted": "The key vouches for incidents from now on.",
    "known": "This key was registered already, under the name below. Nothing was changed.",
    "retired": "The key is retired. Nothing it signed opens anything.",
    "line-set": "The reporting line was set.",
    "line-removed": "The operator has no reporting line any more.",
    "planted": "The canary is planted.",
    "removed": "The canary is gone.",
}
_BAD_NAME: Final = "Use 1 to 128 characters without control characters."
_FULL: Final = "The table is full. Remove one first."


@router.get("")
def rules(request: Request, visitor: Visits, did: str = "", page: PageNumber = 1) -> Response:
    """Show incident keys and reporting lines, with a form for another of each."""
    _bound(visitor)
    return _rules_page(request, visitor, Filled(), did=did, page=page)


@router.post("/keys")
def register_key(request: Request, visitor: Visits, form: Form) -> Response:
    """Trust a key for incidents; one that was retired never comes back."""
    mine = _freshly(visitor, HERE)
    label = form.text("label", most=128, missing="Write whose key it is.")
    public_key = form.text("public_key", most=64, missing="Paste the public key of the incident desk.")
    if not form.is_sound:
        return _rules_page(request, visitor, form, status=422)
    known = {key.key_id for key in mine.incident_keys()}
    try:
        outcome = mine.register_incident_key(public_key, label=label)
    except ContractError as problem:
        if "public key" in str(problem):
            form.mistakes["public_key"] = "A public key is 32 bytes of Ed25519, written as 64 hexadecimal digits."
        else:
            form.mistakes["label"] = _BAD_NAME
        return _rules_page(request, visitor, form, status=422)
    if isinstance(outcome, InspectionRefused):
        return _rules_page(request, visitor, form, status=409, refused=outcome)
    return _did("known" if outcome.key_id in known else "trusted")


@router.get("/keys/retire")
def ask_to_retire(request: Request, visitor: Visits, key: Named = "") -> Response:
    """Show what retiring a key will do."""
    mine = _freshly(visitor)
    return _removal(request, visitor, "keys/retire", key, found=_key(mine, key))


@router.post("/keys/retire")
def retire(request: Request, visitor: Visits, form: Form) -> Response:
    """Stop trusting a key, for good."""
    mine = _freshly(visitor, HERE)
    found = _key(mine, form.typed.get("key", ""))
    outcome = mine.revoke_incident_key(found.key_id)
    if isinstance(outcome, InspectionRefused):
        return _removal(request, visitor, "keys/retire", found.key_id, found=found, refused=outcome)
    return _did("retired")


@router.post("/lines")
def set_line(request: Request, visitor: Visits, form: Form) -> Response:
    """Say along which line an operator reports; what was said of them before is replaced, however they are spelt."""
    mine = _freshly(visitor, HERE)
    operator = form.text("operator", most=128, missing="Write the operator's id, as your sign-in names them.")
    line = form.text("line", most=128, missing="Write the line, such as the name of the team or of its head.")
    if not form.is_sound:
        return _rules_page(request, visitor, form, status=422)
    try:
        outcome = mine.set_reporting_line(operator, line)
    except ContractError as problem:
        mistake = _FULL if "holds" in str(problem) else _BAD_NAME
        form.mistakes["line" if "line" in str(problem) else "operator"] = mistake
        return _rules_page(request, visitor, form, status=422)
    if isinstance(outcome, InspectionRefused):
        return _rules_page(request, visitor, form, status=409, refused=outcome)
    return _did("line-set")


@router.get("/lines/remove")
def ask_to_remove_line(request: Request, visitor: Visits, operator: Named = "") -> Response:
    """Show what it means for an operator to have no line."""
    _freshly(visitor)
    return _removal(request, visitor, "lines/remove", operator, found=_line(visitor, operator))


@router.post("/lines/remove")
def remove_line(request: Request, visitor: Visits, form: Form) -> Response:
    """Take an operator out of the table."""
    mine = _freshly(visitor, HERE)
    operator = form.typed.get("operator", "")
    line = _line(visitor, operator)
    outcome = mine.set_reporting_line(operator, None)
    if isinstance(outcome, InspectionRefused):
        return _removal(request, visitor, "lines/remove", operator, found=line, refused=outcome)
    return _did("line-removed")


@router.get("/canaries")
def canaries(request: Request, visitor: Visits, did: str = "", page: PageNumber = 1) -> Response:
    """Show the canaries and whether one was touched."""
    _freshly(visitor)
    return _canaries_page(request, visitor, Filled(), did=did, page=page)


@router.post("/canaries")
def plant(request: Request, visitor: Visits, form: Form) -> Response:
    """Have the reading of a memory raise an alarm."""
    mine = _freshly(visitor, CANARIES)
    name = form.text("canary", most=128, missing="Write the id of a memory, or of one revision of it.")
    if not form.is_sound:
        return _canaries_page(request, visitor, form, status=422)
    try:
        outcome = mine.set_canary(name, planted=True)
    except ContractError as problem:
        form.mistakes["canary"] = _FULL if "holds" in str(problem) else _BAD_NAME
        return _canaries_page(request, visitor, form, status=422)
    if isinstance(outcome, InspectionRefused):
        return _canaries_page(request, visitor, form, status=409, refused=outcome)
    return _did("planted", CANARIES)


@router.get("/canaries/remove")
def ask_to_remove_canary(request: Request, visitor: Visits, canary: Named = "") -> Response:
    """Show what removing a canary will do."""
    _freshly(visitor)
    return _removal(request, visitor, "canaries/remove", canary, found=_canary(visitor, canary))


@router.post("/canaries/remove")
def remove_canary(request: Request, visitor: Visits, form: Form) -> Response:
    """Have the reading of a memory raise no alarm any more."""
    mine = _freshly(visitor, CANARIES)
    name = _canary(visitor, form.typed.get("canary", ""))
    outcome = mine.set_canary(name, planted=False)
    if isinstance(outcome, InspectionRefused):
        return _removal(request, visitor, "canaries/remove", name, found=name, refused=outcome)
    return _did("removed", CANARIES)


def _bound(visitor: Visitor) -> Inspections:
    opened(visitor, Door.RULES)
    return inspections(visitor)  # the first of their roles, and those who approve come first


def _freshly(visitor: Visitor, back: str = "") -> Inspections:
    mine = _bound(visitor)
    visitor.require_fresh(back)
    return mine


def _lines(visitor: Visitor) -> dict[str, str]:
    found = _bound(visitor).reporting_lines()
    assert not isinstance(found, InspectionRefused)  # the door opens to those who approve alone
    return found


def _canaries(visitor: Visitor) -> tuple[str, ...]:
    found = _bound(visitor).canaries()
    assert not isinstance(found, InspectionRefused)
    return found


def _key(mine: Inspections, key_id: str) -> IncidentKey:
    found = next((key for key in mine.incident_keys() if key.key_id == key_id and key.revoked_at is None), None)
    if found is None:
        raise UnknownMemoryError("there is no such key")
    return found


def _line(visitor: Visitor, operator: str) -> str:
    found = _lines(visitor).get(operator)
    if found is None:
        raise UnknownMemoryError("there is no such line")
    return found


def _canary(visitor: Visitor, name: str) -> str:
    if name not in _canaries(visitor):
        raise UnknownMemoryError("there is no such canary")
    return name


def _did(word: str, where: str = HERE) -> Response:
    return RedirectResponse(f"{where}?{urlencode({'did': word})}", SEE_OTHER)


def _rules_page(
    request: Request,
    visitor: Visitor,
    form: Filled,
    *,
    status: int = 200,
    did: str = "",
    page: int = 1,
    refused: InspectionRefused | None = None,
) -> Response:
    return render(
        request,
        "operators/rules.html",
        visitor,
        status=status,
        form=form,
        labels=LABELS,
        refused=refused,
        done=DONE.get(did, ""),
        keys=_bound(visitor).incident_keys(),
        **paged(sorted(_lines(visitor).items(), key=lambda pair: (pair[1].casefold(), pair[0])), page),
    )


def _canaries_page(
    request: Request,
    visitor: Visitor,
    form: Filled,
    *,
    status: int = 200,
    did: str = "",
    page: int = 1,
    refused: InspectionRefused | None = None,
) -> Response:
    mine = _bound(visitor)
    response = render(
        request,
        "operators/rules_canaries.html",
        visitor,
        status=status,
        form=form,
        labels=LABELS,
        refused=refused,
        done=DONE.get(did, ""),
        days=DAYS,
        most=PAGE,
        touched=[alarm for alarm in mine.alarms(days=DAYS) if alarm.kind is AlarmKind.CANARY_TOUCHED],
        **paged(_canaries(visitor), page),
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _removal(
    request: Request, visitor: Visitor, act: str, name: str, *, found: object, refused: InspectionRefused | None = None
) -> Response:
    return render(
        request,
        "operators/rules_removal.html",
        visitor,
        status=409 if refused is not None else 200,
        act=act,
        name=name,
        found=found,
        refused=refused,
    )
