"""The data-rights desk: requests by deadline, one request, and one page for each act. No content and no name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.rights import DeskRow, RightsRefused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.rights import RightsDesk
from iris_memory.tables.transitions import OPEN
from iris_memory.web.choices import Filled, filled
from iris_memory.web.doors import Door, opened, opens
from iris_memory.web.paging import PageNumber, paged
from iris_memory.web.rendering import render
from iris_memory.web.rights_acts import ACTS, Act
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter(prefix="/operators/rights")

_WEEKS: Final = 6
RequestId = Annotated[str, Path(min_length=1, max_length=128)]
Form = Annotated[Filled, Depends(filled)]

_SORTS: Final[dict[str, Callable[[DeskRow], Any]]] = {
    "due": lambda row: (row.closed_at is not None, row.deadline),
    "kind": lambda row: (row.kind.value, row.deadline),
    "state": lambda row: (row.state.value, row.deadline),
    "arrived": lambda row: row.submitted_at,
}


@router.get("")
def desk(
    request: Request,
    visitor: Visits,
    show: str = "open",
    sort: str = "due",
    page: PageNumber = 1,
) -> Response:
    """List requests, those due first, beside the days they are due on."""
    opened(visitor, Door.RIGHTS)
    rows = _desk(visitor).list()
    shown = [row for row in rows if show == "all" or row.closed_at is None]
    sort = sort if sort in _SORTS else "due"
    shown.sort(key=_SORTS[sort])
    return render(
        request,
        "operators/rights.html",
        visitor,
        **paged(shown, page),
        total=len(rows),
        overdue=sum(row.overdue for row in rows),
        weeks=_weeks([row for row in rows if row.closed_at is None], visitor.now.date()),
        later=sum(row.closed_at is None and row.deadline.date() > _last_day(visitor.now.date()) for row in rows),
        query={"show": show, "sort": sort},
        sort=sort,
        show=show,
        holds_open=opens(visitor, Door.HOLDS),
    )


@router.get("/{request_id}")
def one(request: Request, visitor: Visits, request_id: RequestId, did: str = "") -> Response:
    """Show one request: where it stands, by when, and what can be done now."""
    opened(visitor, Door.RIGHTS)
    row = _row(visitor, request_id)
    return render(
        request,
        "operators/rights_one.html",
        visitor,
        row=row,
        acts=[act for act in ACTS.values() if act.is_offered(row)],
        may_decide=opens(visitor, Door.RIGHTS_DECISIONS),
        may_audit=opens(visitor, Door.AUDIT),
        done=ACTS[did].done if did in ACTS else "",
        is_open=row.state in OPEN,
    )


@router.get("/{request_id}/{name}")
def ask(request: Request, visitor: Visits, request_id: RequestId, name: str) -> Response:
    """Show what an act will do before it is done."""
    act = _act(visitor, name)
    return _page(request, visitor, act, _row(visitor, request_id), Filled())


@router.post("/{request_id}/{name}")
def do(request: Request, visitor: Visits, request_id: RequestId, name: str, form: Form) -> Response:
    """Do it, and show the request as it stands then; or say which rule is against it."""
    act = _act(visitor, name)
    row = _row(visitor, request_id)
    wishes = act.read(form, visitor.now)
    if not form.is_sound:
        return _page(request, visitor, act, row, form, status=422)
    try:
        outcome = act.run(_desk(visitor), request_id, visitor.session.user, wishes)
    except ContractError:
        form.mistakes["reason"] = "These words cannot be kept: use plain text without control characters."
        return _page(request, visitor, act, row, form, status=422)
    if isinstance(outcome, RightsRefused):
        return _page(request, visitor, act, row, form, status=409, refused=outcome)
    return RedirectResponse(f"/operators/rights/{request_id}?did={act.name}", SEE_OTHER)


def _act(visitor: Visitor, name: str) -> Act:
    opened(visitor, Door.RIGHTS)
    act = ACTS.get(name)
    if act is None:
        raise UnknownMemoryError("there is no such act")
    if act.decides:
        opened(visitor, Door.RIGHTS_DECISIONS)
        visitor.require_fresh()
    return act


def _page(
    request: Request,
    visitor: Visitor,
    act: Act,
    row: DeskRow,
    form: Filled,
    *,
    status: int = 200,
    refused: RightsRefused | None = None,
) -> Response:
    return render(
        request,
        "operators/rights_act.html",
        visitor,
        status=status,
        act=act,
        row=row,
        form=form,
        refused=refused,
        labels={field.name: field.label for field in act.fields},
    )


def _desk(visitor: Visitor) -> RightsDesk:
    return visitor.iris.rights_desk(visitor.session.tenant)


def _row(visitor: Visitor, request_id: str) -> DeskRow:
    found = next((row for row in _desk(visitor).list() if row.request_id == request_id), None)
    if found is None:
        raise UnknownMemoryError("there is no such request")
    return found


def _weeks(rows: Sequence[DeskRow], today: date) -> list[list[tuple[date, list[DeskRow]]]]:
    """Return the days of six weeks from this Monday on, each with what is due on it (UTC)."""
    monday = _monday(today)
    due: dict[date, list[DeskRow]] = {}
    for row in rows:
        due.setdefault(row.deadline.date(), []).append(row)
    days = [monday + timedelta(days=offset) for offset in range(7 * _WEEKS)]
    return [[(day, due.get(day, [])) for day in days[start : start + 7]] for start in range(0, len(days), 7)]


def _monday(today: date) -> date:
    return today - timedelta(days=today.weekday())


def _last_day(today: date) -> date:
    return _monday(today) + timedelta(days=7 * _WEEKS - 1)
