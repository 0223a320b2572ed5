"""Governance: what guards saw of the holder's identity, and how guarding is set here.

The same answers stand under `/governance`, where agents that are no client of the API look for them.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from iris_memory.contracts.guarding import DAYS_MOST, GovernanceState, ShadowReport
from iris_memory.front.guarding import DAYS
from iris_memory.front.guarding import governance_state as state_of
from iris_memory.http.caller import Caller
from iris_memory.http.problems import documented

router = APIRouter(prefix="/v1/governance", tags=["governance"])
plain = APIRouter(prefix="/governance", include_in_schema=False)

Days = Annotated[int, Query(ge=1, le=DAYS_MOST, description="How many days to look back.")]


@plain.get("/pii-shadow", responses=documented())
@router.get("/pii-shadow", summary="Sum up what guards saw", responses=documented())
def pii_shadow(caller: Caller, days: Days = DAYS) -> ShadowReport:
    """Counts with what they are a share of, where guards disagree, and what could not be observed; never a literal."""
    return caller.memory().guarding.report(days=days, enforced=state_of().enforced)


@plain.get("/state", responses=documented())
@router.get("/state", summary="Show how the owner's identity is guarded", responses=documented())
def governance_state(caller: Caller) -> GovernanceState:
    """The flag with its value, the kinds that are enforced, and whether the guard table is in use."""
    del caller
    return state_of()
