"""The acts of an inspection as pages offer them: to whom, when, with which words, and what each one does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from iris_memory.contracts.inspection import (
    Inspection,
    InspectionRefused,
    InspectionState,
    OperatorRole,
)
from iris_memory.front.inspection import Inspections
from iris_memory.tables.inspectors import INSPECTORS, WAITING

Outcome = Inspection | InspectionRefused


@dataclass(frozen=True, slots=True)
class InspectionAct:
    """One act. `offered` says whether it makes sense for a requester or another, who approves or does not."""

    name: str
    verb: str
    reach: tuple[str, ...]
    done: str
    run: Callable[[Inspections, str, Mapping[str, Any]], Outcome]
    offered: Callable[[Inspection, bool, bool], bool]
    fields: frozenset[str] = frozenset()
    fresh: bool = False

    def is_offered(self, inspection: Inspection, actor: str, roles: Sequence[OperatorRole]) -> bool:
        """Say whether somebody is offered this. The gate has the last word when it is done."""
        return self.offered(inspection, inspection.requester == actor, any(INSPECTORS[role].approves for role in roles))


_ACTS: Final = (
    InspectionAct(
        "approve",
        "Approve it",
        (
            "With the last approval that is needed, exactly the memories it reaches now are frozen, and the one who"
            " asked may look at them until the grant ends.",
            "What is added or changed afterwards is not shown.",
            "Your approval stands in the record and in the audit trail under your id and role.",
        ),
        "Your approval was recorded.",
        lambda mine, inspection_id, wish: mine.approve(inspection_id),
        lambda one, is_own, approves: one.state in WAITING and not is_own and approves,
        fresh=True,
    ),
    InspectionAct(
        "deny",
        "Deny it",
        ("The request is over. Nothing was opened. Whoever needs it asks again.",),
        "The request was denied.",
        lambda mine, inspection_id, wish: mine.deny(inspection_id),
        lambda one, is_own, approves: one.state in WAITING and not is_own and approves,
    ),
    InspectionAct(
        "take-back",
        "Take it back",
        ("Your request is over. Nothing was opened.",),
        "The request was taken back.",
        lambda mine, inspection_id, wish: mine.deny(inspection_id),
        lambda one, is_own, approves: one.state in WAITING and is_own,
    ),
    InspectionAct(
        "close",
        "Close it",
        ("The grant ends now, for whoever has it. Looking again takes a new request.",),
        "The grant is closed.",
        lambda mine, inspection_id, wish: mine.close(inspection_id),
        lambda one, is_own, approves: one.state is InspectionState.GRANTED and (is_own or approves),
    ),
    InspectionAct(
        "review",
        "Review this look",
        (
            "Nobody had approved it, so somebody else than the one who looked says whether it was justified.",
            "The verdict is counted in the report, and is in the audit trail.",
        ),
        "The review was recorded.",
        lambda mine, inspection_id, wish: mine.review(inspection_id, wish["verdict"]),
        lambda one, is_own, approves: (
            one.review is not None and one.review.reviewed_at is None and not is_own and approves
        ),
        frozenset({"verdict"}),
    ),
    InspectionAct(
        "tell-later",
        "Have the person told later",
        (
            "The person is told of the look, and sees it in their access log, only after the day you choose: 90 days"
            " at most, counted from the first time it was put off.",
            "It takes legal or trust and safety, and somebody else than the one who looks.",
        ),
        "The person is told later.",
        lambda mine, inspection_id, wish: mine.carve_out(
            inspection_id, ground=wish["ground"], reference=wish["reference"], until=wish["until"]
        ),
        lambda one, is_own, approves: one.grant is not None and not is_own and approves,
        frozenset({"ground"}),
        fresh=True,
    ),
)

ACTS: Final[Mapping[str, InspectionAct]] = MappingProxyType({act.name: act for act in _ACTS})
