"""The state machine of operator inspection: every state times every state, and what time does by itself."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest

from flows.stores import START
from iris_memory.contracts.inspection import (
    BreakGlassReview,
    CarveOut,
    CarveOutGround,
    CloseReason,
    Inspection,
    InspectionGrant,
    InspectionPath,
    InspectionReason,
    InspectionState,
    InspectionStep,
    OperatorRole,
)
from iris_memory.errors import InspectionTransitionError
from iris_memory.rules.inspection import (
    fits_carve_out,
    held_until,
    is_review_overdue,
    lapsed,
    next_due,
    notice_due,
    transition,
)

S = InspectionState
LEGAL_MOVES = {
    ("requested", "dsar-fulfillment"),
    ("requested", "incident-escalation"),
    ("requested", "routine-review"),
    ("dsar-fulfillment", "granted"),
    ("dsar-fulfillment", "denied"),
    ("incident-escalation", "granted"),
    ("incident-escalation", "denied"),
    ("routine-review", "granted"),
    ("routine-review", "denied"),
    ("granted", "closed"),
}
"""The ten of the source."""


def inspection(
    state: InspectionState = S.REQUESTED, path: InspectionPath = InspectionPath.ROUTINE_REVIEW
) -> Inspection:
    return Inspection(
        inspection_id="i",
        tenant_id="acme",
        person="p",
        path=path,
        reason=InspectionReason.SUPPORT_CASE,
        reference="case",
        target=None,
        is_sensitive=False,
        requester="sam",
        requester_role=OperatorRole.SUPPORT,
        requested_at=START,
        answer_by=START + timedelta(days=7),
        grant_minutes=60,
        state=state,
        trail=(InspectionStep(at=START, state=state, actor="sam"),),
        grant=InspectionGrant(granted_at=START, expires_at=START + timedelta(hours=1), entries=0, withheld={})
        if state is S.GRANTED
        else None,
    )


@pytest.mark.parametrize(("before", "after"), list(itertools.product(S, S)))
def test_every_state_to_every_state(before: InspectionState, after: InspectionState) -> None:
    for path in InspectionPath:
        known = inspection(before, path)
        is_legal = (before.value, after.value) in LEGAL_MOVES and (
            before is not S.REQUESTED or after.value == path.value
        )
        if not is_legal:
            with pytest.raises(InspectionTransitionError):
                transition(known, after, actor="x", at=START)
            continue
        moved = transition(known, after, actor="x", at=START + timedelta(seconds=1), role=OperatorRole.ADMIN)
        assert moved.state is after
        assert moved.trail[-1] == InspectionStep(
            at=START + timedelta(seconds=1), state=after, actor="x", role=OperatorRole.ADMIN
        )
        assert moved.trail[:-1] == known.trail


def test_the_trail_never_goes_back_in_time() -> None:
    moved = transition(inspection(S.ROUTINE_REVIEW), S.DENIED, actor="x", at=START - timedelta(days=1))
    assert moved.trail[-1].at == START


@pytest.mark.parametrize("state", S)
def test_time_alone_moves_what_waits_and_what_is_granted(state: InspectionState) -> None:
    known = inspection(state)
    ends = {S.GRANTED: timedelta(hours=1)} | dict.fromkeys(map(S, InspectionPath), timedelta(days=7))
    if state not in ends:
        assert lapsed(known, now=START + timedelta(days=400)) is known
        assert next_due(known) is None
        return
    due = START + ends[state]
    assert next_due(known) == due
    assert lapsed(known, now=due - timedelta(microseconds=1)) is known
    over = lapsed(known, now=due)
    assert over.state is (S.CLOSED if state is S.GRANTED else S.DENIED)
    assert over.trail[-1].reason == ("expired" if state is S.GRANTED else "grant-expired")
    assert lapsed(over, now=due + timedelta(days=400)) is over


def test_a_carve_out_holds_a_notice_and_ends() -> None:
    until = START + timedelta(days=10)
    placed = CarveOut(ground=CarveOutGround.LEGAL_ORDER, reference="r", placed_by="lea", placed_at=START, until=until)
    plain = inspection(S.GRANTED)
    held = plain.model_copy(update={"carve_out": placed})
    assert notice_due(plain, START) == START + timedelta(hours=72)
    assert notice_due(held, START) == until
    assert held_until(plain, now=START) is None
    assert held_until(held, now=until - timedelta(microseconds=1)) == until
    assert held_until(held, now=until) is None
    short = placed.model_copy(update={"until": START + timedelta(hours=1)})
    assert notice_due(plain.model_copy(update={"carve_out": short}), START) == START + timedelta(hours=72)
    for days, fits in ((0, False), (1, True), (90, True), (91, False)):
        wanted = placed.model_copy(update={"until": START + timedelta(days=days)})
        assert fits_carve_out(None, wanted, now=START) is fits
    late = placed.model_copy(update={"until": START + timedelta(days=91)})
    assert not fits_carve_out(placed, late, now=START + timedelta(days=5)), "renewals count from the first"


def test_a_review_is_overdue_until_it_is_made() -> None:
    due = START + timedelta(hours=72)
    used = inspection(S.CLOSED).model_copy(update={"review": BreakGlassReview(due_at=due)})
    assert next_due(used) == due
    assert not is_review_overdue(used, now=due - timedelta(microseconds=1))
    assert is_review_overdue(used, now=due)
    assert used.review is not None
    made = used.model_copy(update={"review": used.review.model_copy(update={"reviewed_at": due})})
    assert not is_review_overdue(made, now=due)
    assert next_due(made) is None
    assert CloseReason.EXPIRED.value == "expired"
