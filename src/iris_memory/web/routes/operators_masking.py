"""The owner-masking report: what guards saw of the signed-in owner's identity, as numbers to decide from."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from iris_memory.contracts.guarding import DAYS_MOST, ShadowChoice, ShadowReport
from iris_memory.front.guarding import DAYS, governance_state
from iris_memory.web.doors import Door, opened
from iris_memory.web.rendering import render
from iris_memory.web.visitor import Visits

router = APIRouter(prefix="/operators/masking")

SPANS: Final = (1, 7, 30, 90)
_FULL: Final = 480
"""How wide a bar is that stands for every call, in units of the picture."""


@router.get("")
def report(request: Request, visitor: Visits, days: Annotated[int, Query(ge=1, le=DAYS_MOST)] = DAYS) -> Response:
    """Show what enforcing each kind would have changed, and what guards saw, in the last days."""
    opened(visitor, Door.MASKING)
    state = governance_state()
    made = visitor.memory.guarding.report(days=days, enforced=state.enforced)
    return render(
        request,
        "operators/masking.html",
        visitor,
        report=made,
        state=state,
        days=days,
        spans=SPANS,
        bars=_bars(made),
        observed=made.choices[0].calls if made.choices else 0,
        missed=sum(miss.calls for miss in made.missed),
    )


def _bars(made: ShadowReport) -> list[tuple[ShadowChoice, int, int]]:
    """Return each kind with the length of its two bars: calls masked, then calls denied or halted."""
    return [
        (
            choice,
            _FULL * choice.masked // choice.calls if choice.calls else 0,
            _FULL * (choice.denied + choice.halted) // choice.calls if choice.calls else 0,
        )
        for choice in made.choices
    ]
