"""Data rights: every step of a request as a pure decision. A step gives the next record, or says why it is not taken.

Laws:
* a state follows another only where the table of transitions says so, and an appeal comes once;
* the trail is only appended to; an event that would lie before the last one is told at the last one's time;
* a deletion or an export is complete only with a fingerprint of what went or was given;
* an extension comes before the first deadline, once, with a reason; the person is told;
* a denial carries its ground, the law, each item and what the person can do;
* the one who decided never decides the appeal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from iris_memory.contracts.rights import (
    Appeal,
    Denial,
    DenialGround,
    DeniedItem,
    IdentityLevel,
    IdentityProof,
    OnHold,
    Regime,
    RightsFact,
    RightsKind,
    RightsNotice,
    RightsPayload,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsResult,
    RightsState,
    TrailEvent,
    VerificationMethod,
)
from iris_memory.contracts.shape import format_instant
from iris_memory.rules.deadlines import acknowledge_by, extended_deadline, first_deadline, verify_by
from iris_memory.tables.identity_levels import LEVELS, ORDER
from iris_memory.tables.regimes import FRESH_MINUTES, GRACE_MARGIN_HOURS, REGIMES
from iris_memory.tables.transitions import OPEN, RIGHTS

SUBJECT: Final = "subject"
SYSTEM: Final = "system"

Step = RightsRequest | RightsRefused

_NEEDS_FINGERPRINT: Final = frozenset({RightsKind.DELETE, RightsKind.EXPORT})
_FACTORS: Final = frozenset(
    {VerificationMethod.SESSION_TOKEN, VerificationMethod.EMAIL_LINK, VerificationMethod.PHONE_OTP}
)


def is_transition_allowed(before: RightsState, after: RightsState) -> bool:
    """Say whether a state may follow another."""
    return after in RIGHTS[before]


def level_needed(kind: RightsKind, *, sensitive: bool) -> IdentityLevel:
    """Return how surely it must be known who asks."""
    row = LEVELS[kind]
    return row.sensitive if sensitive else row.ordinary


def submitted(
    payload: RightsPayload,
    *,
    request_id: str,
    tenant: str,
    regime: Regime,
    now: datetime,
    sensitive: bool,
) -> RightsRequest:
    """Return the record of a new request.

    Raises:
        ValueError: the grace of a soft deletion would end after the deadline.
    """
    first = first_deadline(regime, payload.kind, now)
    if payload.kind is RightsKind.DELETE and payload.retention_grace_ms:
        grace = timedelta(milliseconds=payload.retention_grace_ms)
        if now + grace > first - timedelta(hours=GRACE_MARGIN_HOURS):
            raise ValueError("retention_grace_ms: the grace of a soft deletion ends a day before the deadline at most")
    told = f"Your request arrived. It will be answered by {format_instant(first)} ({REGIMES[regime].law})."
    return RightsRequest(
        request_id=request_id,
        tenant_id=tenant,
        payload=payload,
        regime=regime,
        state=RightsState.SUBMITTED,
        submitted_at=now,
        verify_by=verify_by(now),
        acknowledge_by=acknowledge_by(regime, now),
        first_deadline=first,
        deadline=first,
        level_needed=level_needed(payload.kind, sensitive=sensitive),
        trail=(TrailEvent(at=now, event=RightsState.SUBMITTED, actor=SUBJECT),),
        notices=(RightsNotice(at=now, about=RightsState.SUBMITTED, text=told),),
    )


def level_of(proofs: Collection[IdentityProof]) -> IdentityLevel | None:
    """Return how surely proofs say who asks; None where they say nothing.

    A session token proves a session, and freshly signed in a factor; each answered challenge is a factor. One factor is
    a step-up, two are two factors; three points and a declaration, or an operator who looked and a declaration, are the
    most a person can give. A court order stands for itself.
    """
    if any(proof.method is VerificationMethod.COURT_ORDER for proof in proofs):
        return IdentityLevel.DECLARATION
    factors = {
        proof.method
        for proof in proofs
        if proof.method in _FACTORS and (proof.fresh or proof.method is not VerificationMethod.SESSION_TOKEN)
    }
    looked = any(proof.method is VerificationMethod.OPERATOR_SIGNOFF for proof in proofs)
    if (looked or len(factors) == len(_FACTORS)) and any(proof.declared for proof in proofs):
        return IdentityLevel.DECLARATION
    if looked or len(factors) >= 2:
        return IdentityLevel.TWO_FACTORS
    if factors:
        return IdentityLevel.STEP_UP
    return IdentityLevel.SESSION if proofs else None


def is_fresh(signed_in_at: datetime | None, now: datetime) -> bool:
    """Say whether a person signed in so lately that their session is a factor."""
    return signed_in_at is not None and timedelta() <= now - signed_in_at <= timedelta(minutes=FRESH_MINUTES)


def proved(request: RightsRequest, proof: IdentityProof) -> Step:
    """Add a proof of who asks; with enough of them the request is verified."""
    if request.state is not RightsState.SUBMITTED:
        return _not_from(request.state, RightsState.VERIFIED)
    if proof.at >= request.verify_by:
        return refuse(RightsRefusal.VERIFICATION_OVER, "who asks is proved within seven days of the request")
    proofs = (*request.proofs, proof)
    noted = _changed(request, proof.at, RightsFact.IDENTITY_PROVED, proof.by, note=proof.method.value, proofs=proofs)
    level = level_of(proofs)
    if level is None or ORDER.index(level) < ORDER.index(request.level_needed):
        return noted
    return _moved(noted, RightsState.VERIFIED, proof.at, proof.by)


def started(request: RightsRequest, *, actor: str, now: datetime) -> Step:
    """Begin to work on a verified request. An appealed one is taken up by the decision on the appeal alone."""
    if request.state is not RightsState.VERIFIED:
        return _not_from(request.state, RightsState.IN_PROGRESS)
    if request.pending is not None:
        return refuse(RightsRefusal.REQUEST_ON_HOLD, "a request on hold goes on when the hold ends")
    return _move(request, RightsState.IN_PROGRESS, now, actor)


def cancelled(request: RightsRequest, *, actor: str = SUBJECT, now: datetime, note: str | None = None) -> Step:
    """Take a request back."""
    return _move(request, RightsState.CANCELLED, now, actor, note=note, pending=None, grace_ends_at=None, set_aside=())


def expired(request: RightsRequest, *, now: datetime) -> Step:
    """Close a request whose requester was not verified in time, or who did not answer in time; they are told."""
    waited = request.pending.until if request.pending is not None else None
    unverified = request.state is RightsState.SUBMITTED and now >= request.verify_by
    unanswered = request.state is RightsState.VERIFIED and waited is not None and now >= waited
    if not (unverified or unanswered):
        return _not_from(request.state, RightsState.EXPIRED)
    why = "it was not proved in time who asked" if unverified else "what it waited for did not come in time"
    moved = _moved(request, RightsState.EXPIRED, now, SYSTEM, pending=None)
    return with_notice(
        moved, RightsState.EXPIRED, f"Your request was closed because {why}. Nothing was changed; you can ask again."
    )


def extended(request: RightsRequest, *, actor: str, reason: str, now: datetime) -> Step:
    """Move the deadline, once, before the first one has passed."""
    if request.state not in OPEN:
        return refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, f"a request that is {request.state.value} has no deadline")
    if request.was_extended:
        return refuse(RightsRefusal.ALREADY_EXTENDED, "a deadline is extended once")
    later = extended_deadline(request.regime, request.kind, request.first_deadline)
    if later is None:
        return refuse(RightsRefusal.NO_EXTENSION, f"{REGIMES[request.regime].law} knows no extension here")
    if now >= request.first_deadline:
        return refuse(RightsRefusal.DEADLINE_PASSED, "an extension comes before the first deadline has passed")
    noted = _changed(request, now, RightsFact.EXTENDED, actor, note=reason, deadline=later)
    told = f"Your request will be answered by {format_instant(later)} instead of"
    return with_notice(
        noted, RightsFact.EXTENDED, f"{told} {format_instant(request.first_deadline)}. The reason: {reason}"
    )


def put_on_hold(
    request: RightsRequest, *, actor: str, reason: str, until: datetime | None = None, now: datetime
) -> Step:
    """Wait for something, such as an answer of the person. The deadline stays where it is."""
    if request.state not in {RightsState.SUBMITTED, RightsState.VERIFIED, RightsState.IN_PROGRESS}:
        return refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, f"a request that is {request.state.value} is not held")
    if request.pending is not None:
        return refuse(RightsRefusal.REQUEST_ON_HOLD, "the request is on hold already")
    pending = OnHold(reason=reason, since=now, until=until)
    noted = _changed(request, now, RightsFact.ON_HOLD, actor, note=reason, pending=pending)
    return with_notice(noted, RightsFact.ON_HOLD, f"Your request waits. The reason: {reason}")


def resumed(request: RightsRequest, *, actor: str, now: datetime) -> Step:
    """Go on with a request that was on hold."""
    if request.pending is None:
        return refuse(RightsRefusal.NOT_ON_HOLD, "the request is not on hold")
    return _changed(request, now, RightsFact.HOLD_ENDED, actor, pending=None)


def noted(
    request: RightsRequest, fact: RightsFact, *, actor: str, now: datetime, note: str | None = None, **changes: Any
) -> RightsRequest:
    """Note a fact that moves nothing."""
    return _changed(request, now, fact, actor, note=note, **changes)


def partially_fulfilled(
    request: RightsRequest, *, actor: str, items: Sequence[DeniedItem], legal_reference: str, now: datetime
) -> Step:
    """Note that a part of what was asked is not granted; the rest goes on. The person is told like of a denial."""
    if request.state is not RightsState.IN_PROGRESS:
        return refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, "a part is denied while the request is in progress")
    denial = _denial(request, items[0].ground, legal_reference, items, actor, now)
    told = _changed(
        request, now, RightsFact.PARTIALLY_FULFILLED, actor, note=denial.ground.value, denial=denial, decided_by=actor
    )
    text = f"A part of your request is not granted ({denial.ground.value}; {legal_reference}). {denial.remedy}"
    return with_notice(told, RightsFact.PARTIALLY_FULFILLED, text)


def denied(
    request: RightsRequest,
    *,
    actor: str,
    ground: DenialGround,
    legal_reference: str,
    items: Sequence[DeniedItem] = (),
    now: datetime,
) -> Step:
    """Deny a request: it fails with a ground, and the person is told the law, each item and what they can do.

    One that is verified is taken up first, so that its trail says somebody looked.
    """
    current: Step = request
    if request.state is RightsState.VERIFIED:
        current = _move(request, RightsState.IN_PROGRESS, now, actor)
    if isinstance(current, RightsRefused) or current.state is not RightsState.IN_PROGRESS:
        return _not_from(request.state, RightsState.FAILED)
    denial = _denial(request, ground, legal_reference, items, actor, now)
    told = _changed(current, now, RightsFact.DENIED, actor, note=ground.value, denial=denial, decided_by=actor)
    moved = _moved(told, RightsState.FAILED, now, actor, pending=None, grace_ends_at=None, set_aside=())
    text = f"Your request is not granted ({ground.value}; {legal_reference}). {denial.remedy}"
    return with_notice(moved, RightsFact.DENIED, text)


def completed(request: RightsRequest, *, actor: str, result: RightsResult, now: datetime) -> Step:
    """Complete a request with what came of it. A deletion is complete when it is purged."""
    if request.state is not RightsState.IN_PROGRESS:
        return _not_from(request.state, RightsState.COMPLETED)
    if request.pending is not None:
        return refuse(RightsRefusal.REQUEST_ON_HOLD, "a request on hold goes on when the hold ends")
    if request.kind in _NEEDS_FINGERPRINT and result.fingerprint is None:
        return refuse(RightsRefusal.FINGERPRINT_MISSING, "a deletion or an export is complete with its fingerprint")
    moved = _moved(
        request,
        RightsState.COMPLETED,
        now,
        actor,
        result=result,
        decided_by=request.decided_by or actor,
        grace_ends_at=None,
        set_aside=(),
    )
    return with_notice(moved, RightsState.COMPLETED, "Your request was fulfilled.")


def failed(request: RightsRequest, *, actor: str, reason: str, now: datetime) -> Step:
    """Note that a request could not be fulfilled although nobody denied it."""
    if request.state is not RightsState.IN_PROGRESS:
        return _not_from(request.state, RightsState.FAILED)
    moved = _moved(request, RightsState.FAILED, now, actor, note=reason, decided_by=actor, pending=None)
    return with_notice(
        moved, RightsState.FAILED, f"Your request could not be fulfilled: {reason} {REGIMES[request.regime].remedy}"
    )


def appealed(request: RightsRequest, *, reason: str, now: datetime) -> Step:
    """Ask for another decision, once."""
    if request.appeal is not None:
        return refuse(RightsRefusal.ALREADY_APPEALED, "a request is appealed once")
    return _move(request, RightsState.APPEALED, now, SUBJECT, appeal=Appeal(at=now, reason=reason))


def appeal_decided(request: RightsRequest, *, actor: str, overturned: bool, reason: str, now: datetime) -> Step:
    """Decide an appeal: overturned, the request is taken up again; upheld, it fails for good."""
    if request.state is not RightsState.APPEALED or request.appeal is None:
        return _not_from(request.state, RightsState.IN_PROGRESS)
    if actor == request.decided_by or actor in {SUBJECT, SYSTEM}:
        return refuse(RightsRefusal.OWN_DECISION, "an appeal is decided by somebody else than the one who decided")
    appeal = request.appeal.model_copy(update={"decided_at": now, "decided_by": actor, "overturned": overturned})
    fact = RightsFact.APPEAL_OVERTURNED if overturned else RightsFact.APPEAL_UPHELD
    after = RightsState.IN_PROGRESS if overturned else RightsState.FAILED
    told = _changed(request, now, fact, actor, note=reason, appeal=appeal, decided_by=actor)
    moved = _moved(told, after, now, actor)
    outcome = "The decision was overturned; your request is taken up again" if overturned else "The decision stands"
    remedy = "" if overturned else f" {REGIMES[request.regime].remedy}"
    return with_notice(moved, fact, f"{outcome}. The reason: {reason}{remedy}")


def grace_end(request: RightsRequest, now: datetime) -> datetime:
    """Return when the grace of a soft deletion ends: after the time asked for, but a day before the deadline."""
    payload = request.payload
    asked = payload.retention_grace_ms if payload.kind is RightsKind.DELETE else 0
    latest = request.deadline - timedelta(hours=GRACE_MARGIN_HOURS)
    return max(now, min(now + timedelta(milliseconds=asked), latest))


def duplicate(request: RightsRequest, *, of: str, now: datetime) -> RightsRequest:
    """Close a request that says what an open one says already; that one goes on."""
    told = _changed(request, now, RightsFact.DUPLICATE, SYSTEM, note=of, duplicate_of=of)
    moved = _moved(told, RightsState.CANCELLED, now, SYSTEM)
    return with_notice(moved, RightsFact.DUPLICATE, f"You asked for this before; request {of} goes on.")


def without_words(request: RightsRequest) -> RightsRequest:
    """Return a request without the words of a correction, which are kept no longer than it is open."""
    payload = request.payload
    if payload.kind is not RightsKind.RECTIFY or request.state in OPEN:
        return request
    return request.model_copy(update={"payload": payload.model_copy(update={"body": None, "subject": None})})


def with_notice(request: RightsRequest, about: RightsState | RightsFact, text: str) -> RightsRequest:
    """Tell the person something."""
    notice = RightsNotice(at=request.trail[-1].at, about=about, text=text)
    return request.model_copy(update={"notices": (*request.notices, notice)})


def refuse(reason: RightsRefusal, rule: str, *needs: str) -> RightsRefused:
    """Say why a step is not taken."""
    return RightsRefused(reason=reason, rule=rule, needs=needs)


def _denial(
    request: RightsRequest,
    ground: DenialGround,
    legal_reference: str,
    items: Sequence[DeniedItem],
    actor: str,
    now: datetime,
) -> Denial:
    remedy = REGIMES[request.regime].remedy
    return Denial(ground=ground, legal_reference=legal_reference, items=tuple(items), remedy=remedy, by=actor, at=now)


def _move(
    request: RightsRequest, after: RightsState, now: datetime, actor: str, *, note: str | None = None, **changes: Any
) -> Step:
    if not is_transition_allowed(request.state, after):
        return _not_from(request.state, after)
    return _moved(request, after, now, actor, note=note, **changes)


def _moved(
    request: RightsRequest, after: RightsState, now: datetime, actor: str, *, note: str | None = None, **changes: Any
) -> RightsRequest:
    assert is_transition_allowed(request.state, after)
    return _changed(request, now, after, actor, note=note, state=after, **changes)


def _changed(
    request: RightsRequest,
    now: datetime,
    event: RightsState | RightsFact,
    actor: str,
    *,
    note: str | None = None,
    **changes: Any,
) -> RightsRequest:
    at = max(now, request.trail[-1].at)
    trail = (*request.trail, TrailEvent(at=at, event=event, actor=actor, note=note))
    return RightsRequest.model_validate({**dict(request), "trail": trail, **changes})


def _not_from(before: RightsState, after: RightsState) -> RightsRefused:
    return refuse(
        RightsRefusal.NOT_ALLOWED_FROM_STATE, f"a request that is {before.value} does not become {after.value}"
    )
