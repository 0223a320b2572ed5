"""DSR-1, DSR-2, DSR-5, DSR-6: the machine of a request, every illegal move refused, and what each step tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations, product

import pytest
from pydantic import ValidationError

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import OptOut
from iris_memory.contracts.rights import (
    AccessPayload,
    DeleteMode,
    DeletePayload,
    DenialGround,
    DeniedItem,
    ExportPayload,
    IdentityLevel,
    IdentityProof,
    ObjectPayload,
    Regime,
    RightsFact,
    RightsKind,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsResult,
    TrailEvent,
    VerificationMethod,
)
from iris_memory.contracts.rights import RightsState as S
from iris_memory.rules import rights
from iris_memory.rules.rights import Step
from iris_memory.tables.regimes import REGIMES
from iris_memory.tables.transitions import RIGHTS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LATER = NOW + HOUR
RESULT = RightsResult(fingerprint="ab" * 32)

ALLOWED = {
    "submitted": {"verified", "cancelled", "expired"},
    "verified": {"in-progress", "cancelled", "expired"},
    "in-progress": {"completed", "failed", "cancelled"},
    "completed": {"appealed"},
    "failed": {"appealed"},
    "appealed": {"in-progress", "failed"},
    "cancelled": set(),
    "expired": set(),
}
"""Written by hand from the specification."""

PATHS: dict[S, list[S]] = {
    S.SUBMITTED: [],
    S.VERIFIED: [S.VERIFIED],
    S.IN_PROGRESS: [S.VERIFIED, S.IN_PROGRESS],
    S.COMPLETED: [S.VERIFIED, S.IN_PROGRESS, S.COMPLETED],
    S.FAILED: [S.VERIFIED, S.IN_PROGRESS, S.FAILED],
    S.APPEALED: [S.VERIFIED, S.IN_PROGRESS, S.FAILED, S.APPEALED],
    S.CANCELLED: [S.CANCELLED],
    S.EXPIRED: [S.EXPIRED],
}


def submit(payload: object = None, *, regime: Regime = Regime.GDPR, sensitive: bool = False) -> RightsRequest:
    wanted = payload or ObjectPayload(purposes=(OptOut.HISTORY,))
    return rights.submitted(
        wanted,  # type: ignore[arg-type]
        request_id="r",
        tenant="t",
        regime=regime,
        now=NOW,
        sensitive=sensitive,
    )


def proof(
    method: VerificationMethod, *, fresh: bool = True, declared: bool = False, at: datetime = NOW
) -> IdentityProof:
    return IdentityProof(method=method, at=at, by="x", fresh=fresh, declared=declared)


SESSION = proof(VerificationMethod.SESSION_TOKEN, fresh=False)
MOVES: dict[S, Callable[[RightsRequest], Step]] = {
    S.VERIFIED: lambda request: rights.proved(request, SESSION),
    S.IN_PROGRESS: lambda request: (
        rights.appeal_decided(request, actor="op-2", overturned=True, reason="new", now=NOW)
        if request.state is S.APPEALED
        else rights.started(request, actor="op-1", now=NOW)
    ),
    S.COMPLETED: lambda request: rights.completed(request, actor="op-1", result=RESULT, now=NOW),
    S.FAILED: lambda request: (
        rights.appeal_decided(request, actor="op-2", overturned=False, reason="no", now=NOW)
        if request.state is S.APPEALED
        else rights.failed(request, actor="op-1", reason="it broke", now=NOW)
    ),
    S.CANCELLED: lambda request: rights.cancelled(request, now=NOW),
    S.EXPIRED: lambda request: rights.expired(request, now=request.verify_by),
    S.APPEALED: lambda request: rights.appealed(request, reason="not so", now=NOW),
}


def stepped(done: Step) -> RightsRequest:
    assert isinstance(done, RightsRequest), done
    return done


def refused(done: Step) -> RightsRefusal:
    assert isinstance(done, RightsRefused), done
    return done.reason


def standing(state: S, payload: object = None) -> RightsRequest:
    request = submit(payload)
    for after in PATHS[state]:
        request = stepped(MOVES[after](request))
    assert request.state is state
    return request


def test_the_table_is_the_specification_s() -> None:
    assert {before.value: {after.value for after in row} for before, row in RIGHTS.items()} == ALLOWED


@pytest.mark.parametrize(("before", "after"), list(product(S, MOVES)), ids=lambda state: state.value)
def test_every_move_goes_through_or_is_refused_and_changes_nothing(before: S, after: S) -> None:
    request = standing(before)
    if before is S.VERIFIED and after is S.EXPIRED:
        request = stepped(rights.put_on_hold(request, actor="op", reason="an answer", until=LATER, now=NOW))
    done = MOVES[after](request)
    if after.value in ALLOWED[before.value]:
        moved = stepped(done)
        assert moved.state is after
        assert moved.trail[: len(request.trail)] == request.trail
    else:
        assert isinstance(done, RightsRefused)
        assert request.state is before
    assert rights.is_transition_allowed(before, after) is (after.value in ALLOWED[before.value])


def test_an_appeal_is_taken_up_by_its_decision_alone() -> None:
    done = rights.started(standing(S.APPEALED), actor="op-1", now=NOW)
    assert refused(done) is RightsRefusal.NOT_ALLOWED_FROM_STATE


def test_nothing_becomes_submitted_again() -> None:
    assert not any(rights.is_transition_allowed(before, S.SUBMITTED) for before in S)


@pytest.mark.parametrize("first", [S.COMPLETED, S.FAILED])
@pytest.mark.parametrize("overturned", [True, False])
def test_an_appeal_comes_once(first: S, overturned: bool) -> None:
    request = stepped(rights.appealed(standing(first), reason="not so", now=NOW))
    decided = stepped(
        rights.appeal_decided(request, actor="op-2", overturned=overturned, reason="looked again", now=LATER)
    )
    assert decided.state is (S.IN_PROGRESS if overturned else S.FAILED)
    assert decided.appeal is not None
    assert (decided.appeal.decided_by, decided.appeal.overturned) == ("op-2", overturned)
    ended = stepped(rights.failed(decided, actor="op-3", reason="no", now=LATER)) if overturned else decided
    assert refused(rights.appealed(ended, reason="again", now=LATER)) is RightsRefusal.ALREADY_APPEALED


@pytest.mark.parametrize("actor", ["op-1", "subject", "system"])
def test_the_one_who_decided_never_decides_the_appeal(actor: str) -> None:
    for first in (S.COMPLETED, S.FAILED):
        request = stepped(rights.appealed(standing(first), reason="not so", now=NOW))
        for overturned in (True, False):
            done = rights.appeal_decided(request, actor=actor, overturned=overturned, reason="x", now=NOW)
            assert refused(done) is RightsRefusal.OWN_DECISION


def test_who_denied_a_part_is_who_decided() -> None:
    item = DeniedItem(item="m", ground=DenialGround.RIGHTS_OF_OTHERS)
    request = standing(S.IN_PROGRESS)
    partly = stepped(rights.partially_fulfilled(request, actor="op-7", items=[item], legal_reference="law", now=NOW))
    done = stepped(rights.completed(partly, actor="op-8", result=RESULT, now=NOW))
    appeal = stepped(rights.appealed(done, reason="all of it", now=NOW))
    again = rights.appeal_decided(appeal, actor="op-7", overturned=True, reason="x", now=NOW)
    assert refused(again) is RightsRefusal.OWN_DECISION


@pytest.mark.parametrize(
    "payload", [ExportPayload(), DeletePayload(categories=(Category.WORK,))], ids=["export", "delete"]
)
def test_a_deletion_or_an_export_needs_a_fingerprint(payload: object) -> None:
    request = submit(payload)
    request = stepped(rights.proved(request, proof(VerificationMethod.COURT_ORDER)))
    request = stepped(rights.started(request, actor="op", now=NOW))
    bare = rights.completed(request, actor="op", result=RightsResult(), now=NOW)
    assert refused(bare) is RightsRefusal.FINGERPRINT_MISSING
    assert stepped(rights.completed(request, actor="op", result=RESULT, now=NOW)).state is S.COMPLETED


def test_time_never_runs_backwards_in_a_trail() -> None:
    request = stepped(rights.started(standing(S.VERIFIED), actor="op", now=LATER))
    back = stepped(rights.failed(request, actor="op", reason="x", now=NOW - HOUR))
    assert [event.at for event in back.trail] == sorted(event.at for event in back.trail)
    fields = dict(request)
    early = TrailEvent(at=NOW - HOUR, event=RightsFact.ON_HOLD, actor="op")
    for trail in ((*request.trail, early), request.trail[1:], (*request.trail, request.trail[-2]), ()):
        with pytest.raises(ValidationError):
            RightsRequest.model_validate({**fields, "trail": trail})
    twice = (*request.trail, *(TrailEvent(at=LATER, event=S.APPEALED, actor="subject") for _ in range(2)))
    with pytest.raises(ValidationError, match="appealed once"):
        RightsRequest.model_validate({**fields, "trail": twice, "state": S.APPEALED})


# --- deadlines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("regime", Regime)
def test_an_extension_comes_before_the_first_deadline_once_with_a_reason(regime: Regime) -> None:
    request = submit(AccessPayload(), regime=regime)
    late = rights.extended(request, actor="op", reason="much to do", now=request.first_deadline)
    done = rights.extended(request, actor="op", reason="much to do", now=request.first_deadline - HOUR)
    if REGIMES[regime].extension is None:
        assert refused(done) is refused(late) is RightsRefusal.NO_EXTENSION
        return
    assert refused(late) is RightsRefusal.DEADLINE_PASSED
    longer = stepped(done)
    assert longer.deadline > longer.first_deadline == request.deadline
    assert longer.notices[-1].about is RightsFact.EXTENDED
    assert "much to do" in longer.notices[-1].text
    again = rights.extended(longer, actor="op", reason="more", now=NOW)
    assert refused(again) is RightsRefusal.ALREADY_EXTENDED
    with pytest.raises(ValidationError):
        rights.extended(request, actor="op", reason="", now=NOW)


@pytest.mark.parametrize("state", [S.CANCELLED, S.EXPIRED, S.COMPLETED, S.FAILED])
def test_what_is_over_is_not_extended(state: S) -> None:
    done = rights.extended(standing(state), actor="op", reason="x", now=NOW)
    assert refused(done) is RightsRefusal.NOT_ALLOWED_FROM_STATE


def test_unverified_requests_close_with_a_reason_and_a_notice() -> None:
    """DSR-4."""
    request = submit()
    assert isinstance(rights.expired(request, now=request.verify_by - HOUR), RightsRefused)
    closed = stepped(rights.expired(request, now=request.verify_by))
    assert closed.state is S.EXPIRED
    assert closed.notices[-1].about is S.EXPIRED
    assert "ask again" in closed.notices[-1].text
    late = rights.proved(request, proof(VerificationMethod.SESSION_TOKEN, at=request.verify_by))
    assert refused(late) is RightsRefusal.VERIFICATION_OVER


def test_a_hold_keeps_the_deadline_and_stops_the_work() -> None:
    request = standing(S.VERIFIED)
    held = stepped(rights.put_on_hold(request, actor="op", reason="which account?", until=LATER, now=NOW))
    assert held.deadline == request.deadline
    assert refused(rights.started(held, actor="op", now=NOW)) is RightsRefusal.REQUEST_ON_HOLD
    assert refused(rights.put_on_hold(held, actor="op", reason="x", now=NOW)) is RightsRefusal.REQUEST_ON_HOLD
    assert isinstance(rights.expired(held, now=NOW), RightsRefused)
    assert stepped(rights.expired(held, now=LATER)).state is S.EXPIRED
    freed = stepped(rights.resumed(held, actor="op", now=NOW))
    assert stepped(rights.started(freed, actor="op", now=NOW)).state is S.IN_PROGRESS
    assert refused(rights.resumed(freed, actor="op", now=NOW)) is RightsRefusal.NOT_ON_HOLD


# --- who asks --------------------------------------------------------------------------------------------------------

LEVELS = {
    "access": ("step-up", "two-factors"),
    "export": ("two-factors", "declaration"),
    "delete": ("step-up", "step-up"),
    "rectify": ("session", "step-up"),
    "restrict": ("session", "session"),
    "object": ("session", "session"),
    "withdraw-consent": ("session", "session"),
}
"""Written by hand: what is needed for ordinary and for sensitive memory (DSR-5)."""


@pytest.mark.parametrize("kind", RightsKind)
def test_the_level_grows_with_kind_and_sensitivity(kind: RightsKind) -> None:
    found = tuple(rights.level_needed(kind, sensitive=flag).value for flag in (False, True))
    assert found == LEVELS[kind.value]
    order = [level.value for level in IdentityLevel]
    assert order.index(found[0]) <= order.index(found[1])


OWN = (VerificationMethod.SESSION_TOKEN, VerificationMethod.EMAIL_LINK, VerificationMethod.PHONE_OTP)
CASES = [
    (chosen, fresh, declared, looked, ordered)
    for size in range(4)
    for chosen in combinations(OWN, size)
    for fresh, declared, looked, ordered in product((False, True), repeat=4)
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_set_of_proofs_has_one_level(case: tuple[tuple[VerificationMethod, ...], bool, bool, bool, bool]) -> None:
    chosen, fresh, declared, looked, ordered = case
    proofs = [proof(method, fresh=fresh, declared=declared) for method in chosen]
    proofs += [proof(VerificationMethod.OPERATOR_SIGNOFF, declared=declared)] if looked else []
    proofs += [proof(VerificationMethod.COURT_ORDER)] if ordered else []
    points = sum(method is not VerificationMethod.SESSION_TOKEN or fresh for method in chosen)
    if ordered or (declared and (looked or points == 3)):
        wanted: str | None = "declaration"
    elif looked or points >= 2:
        wanted = "two-factors"
    elif points == 1:
        wanted = "step-up"
    else:
        wanted = "session" if proofs else None
    assert rights.level_of(proofs) == wanted


def test_proofs_add_up_until_they_are_enough() -> None:
    request = submit(ExportPayload(), sensitive=True)
    for method in OWN:
        assert request.state is S.SUBMITTED
        request = stepped(rights.proved(request, proof(method, declared=method is VerificationMethod.PHONE_OTP)))
    assert request.state is S.VERIFIED
    assert len(request.proofs) == 3


@pytest.mark.parametrize(("minutes", "fresh"), [(-1, False), (0, True), (5, True), (6, False)])
def test_a_sign_in_is_fresh_for_five_minutes(minutes: int, fresh: bool) -> None:
    assert rights.is_fresh(NOW - timedelta(minutes=minutes), NOW) is fresh
    assert not rights.is_fresh(None, NOW)


# --- denials and shapes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("regime", Regime)
@pytest.mark.parametrize("ground", DenialGround)
@pytest.mark.parametrize("state", [S.VERIFIED, S.IN_PROGRESS])
def test_a_denial_carries_ground_law_items_and_remedy(regime: Regime, ground: DenialGround, state: S) -> None:
    """DSR-6."""
    request = submit(regime=regime)
    for after in PATHS[state]:
        request = stepped(MOVES[after](request))
    items = [DeniedItem(item="memory-1", ground=ground)]
    done = stepped(
        rights.denied(request, actor="op-1", ground=ground, legal_reference="Art. 0", items=items, now=LATER)
    )
    assert done.state is S.FAILED
    assert done.denial is not None
    assert (done.denial.ground, done.denial.legal_reference, list(done.denial.items)) == (ground, "Art. 0", items)
    assert done.denial.remedy == REGIMES[regime].remedy
    assert "appeal" in done.denial.remedy
    assert "authority" in done.denial.remedy
    told = done.notices[-1].text
    assert all(words in told for words in (ground.value, "Art. 0", REGIMES[regime].remedy))
    assert [event.event for event in done.trail][-3:] == [S.IN_PROGRESS, RightsFact.DENIED, S.FAILED]


@pytest.mark.parametrize("state", [S.SUBMITTED, S.COMPLETED, S.FAILED, S.CANCELLED, S.EXPIRED, S.APPEALED])
def test_only_what_is_worked_on_is_denied(state: S) -> None:
    done = rights.denied(standing(state), actor="op", ground=DenialGround.EXCESSIVE, legal_reference="x", now=NOW)
    assert refused(done) is RightsRefusal.NOT_ALLOWED_FROM_STATE


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"mode": "hard", "categories": ["work"], "retention_grace_ms": 1},
        {"mode": "soft", "categories": ["work"], "retention_grace_ms": 0},
        {"mode": "hard", "categories": ["no-such-category"]},
        {"mode": "hard", "scopes": ["profile"]},
        {"mode": "hard", "scopes": ["notebook"], "retention_grace_ms": -1},
    ],
)
def test_a_deletion_that_makes_no_sense_is_no_request(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DeletePayload.model_validate_json(json.dumps(fields))


@pytest.mark.parametrize("regime", Regime)
def test_a_grace_ends_a_day_before_the_deadline(regime: Regime) -> None:
    first = submit(AccessPayload(), regime=regime).first_deadline
    longest = int((first - NOW - timedelta(days=1)).total_seconds() * 1000)

    def soft(grace: int) -> DeletePayload:
        return DeletePayload(
            mode=DeleteMode.SOFT,
            categories=(Category.WORK,),
            retention_grace_ms=grace,
        )

    request = submit(soft(longest), regime=regime)
    assert rights.grace_end(request, NOW) == first - timedelta(days=1)
    assert rights.grace_end(request, NOW + timedelta(days=5)) == first - timedelta(days=1)
    assert rights.grace_end(request, first) == first
    with pytest.raises(ValueError, match="grace"):
        submit(soft(longest + 1), regime=regime)


def test_a_duplicate_points_at_the_one_that_goes_on() -> None:
    done = rights.duplicate(submit(), of="earlier", now=NOW)
    assert (done.state, done.duplicate_of) == (S.CANCELLED, "earlier")
    assert "earlier" in done.notices[-1].text
