"""Continuation: another device resumes mid-segment on every surface, conflicts are told, consent and time are kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.continuity import (
    AnchorRef,
    Checkpoint,
    CheckpointKept,
    ContinuitySurface,
    PositionUnit,
    Posture,
    SurfaceContext,
)
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.scope import ProfileScope
from iris_memory.contracts.write import Refused
from iris_memory.errors import IdempotencyConflictError
from iris_memory.evals.stage import BASE, TERMS, Stage, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.tables.categories import SENSITIVE_CATEGORIES
from iris_memory.tables.continuity import CONFLICT_WINDOW, CONTINUITY, TOKEN_LIFETIME

_STEPS: Final = (-CONFLICT_WINDOW, -timedelta(seconds=1), timedelta(0), timedelta(seconds=1), CONFLICT_WINDOW)


def run(tally: Tally) -> str:
    """Look at every surface, unit and posture; at every step of the clock; at every sensitive category."""
    with stage() as played:
        places = _surfaces(played, tally)
        _misplaced(played, tally)
        _two_devices(played, tally)
        _consent(played, tally)
        _ends(played, tally)
    return (
        f"{places} places of {len(ContinuitySurface)} surfaces resumed by another process to the position,"
        f" {len(_STEPS) + 2} steps of the clock between two devices, {len(SENSITIVE_CATEGORIES)} sensitive categories"
    )


def _person(iris: Iris, user: str) -> PersonMemory:
    me = iris.for_user(tenant="acme", user=user)
    me.consent.grant(*BASE, terms=TERMS)
    return me


def _wish(
    user: str,
    *,
    device: str = "phone",
    surface: ContinuitySurface = ContinuitySurface.RITUAL,
    unit: PositionUnit = PositionUnit.STEP,
    posture: Posture = Posture.PAUSED,
    ref: str = "one",
    position: int = 3,
    key: str = "",
    **more: Any,
) -> Checkpoint:
    return Checkpoint(
        device_id=device,
        scope=ProfileScope(user_id=user),
        surface_context=SurfaceContext(surface=surface, title_ref="title", locale="en"),
        anchor_ref=AnchorRef(surface=surface, ref=ref, position=position, unit=unit),
        posture=posture,
        idempotency_key=key or f"{device}/{ref}/{position}/{unit}/{posture}",
        **more,
    )


def _surfaces(played: Stage, tally: Tally) -> int:
    cells = [
        (surface, unit, posture)
        for surface, row in CONTINUITY.items()
        for unit in row.units
        for posture in row.postures
    ]
    cells.sort()
    with played.open() as iris:
        me = _person(iris, "ada")
        for number, (surface, unit, posture) in enumerate(cells):
            wish = _wish("ada", surface=surface, unit=unit, posture=posture, ref=f"thing-{number}", position=number + 1)
            tally.check(f"{surface} in {unit} is kept", isinstance(me.continuation.checkpoint(wish), CheckpointKept))
    with played.open() as iris:  # the other device asks another process
        me = iris.for_user(tenant="acme", user="ada")
        for number, (surface, unit, posture) in enumerate(cells):
            token = me.continuation.resume(surface, f"thing-{number}")
            found = token and (token.anchor_ref.position, token.anchor_ref.unit, token.posture)
            tally.same(f"{surface} in {unit}, {posture}", found, (number + 1, unit, posture))
    return len(cells)


def _misplaced(played: Stage, tally: Tally) -> None:
    with played.open() as iris:
        me = _person(iris, "misplaced")
        for surface, row in sorted(CONTINUITY.items()):
            for unit in PositionUnit:
                for posture in Posture:
                    most = row.units.get(unit)
                    wish = _wish(
                        "misplaced",
                        surface=surface,
                        unit=unit,
                        posture=posture,
                        position=0 if most is None else most + 1,
                    )
                    tally.check(f"{surface} {unit} {posture} is refused", _refused(me, wish) == "place-not-of-surface")


def _refused(me: PersonMemory, wish: Checkpoint) -> str:
    outcome = me.continuation.checkpoint(wish)
    return outcome.reason.value if isinstance(outcome, Refused) else ""


def _two_devices(played: Stage, tally: Tally) -> None:
    beyond = CONFLICT_WINDOW + timedelta(microseconds=1)
    with played.open() as iris:
        for number, step in enumerate((-beyond, *_STEPS, beyond)):
            user = f"two-{number}"
            me = _person(iris, user)
            me.continuation.checkpoint(_wish(user, device="phone"))
            played.clock.instant += step
            second = me.continuation.checkpoint(_wish(user, device="tablet", position=9))
            is_conflict = abs(step) <= CONFLICT_WINDOW
            later_stands = step >= timedelta(0) or not is_conflict
            loser, winner = ("phone", "tablet") if later_stands else ("tablet", "phone")
            tally.check(f"{step}: who stands", isinstance(second, CheckpointKept) and second.stands is later_stands)
            tally.same(f"{step}: whose place it is", me.continuation.recent()[0].device_id, winner)
            tally.same(f"{step}: the loser is told", len(me.devices.notices(loser)), int(is_conflict))
            tally.same(f"{step}: the winner is not", len(me.devices.notices(winner)), 0)
            again = me.continuation.checkpoint(_wish(user, device="tablet", position=9))
            tally.same(f"{step}: the same again", again, second)
            other = _wish(
                user, device="tablet", position=8, key=_wish(user, device="tablet", position=9).idempotency_key
            )
            tally.check(f"{step}: another body", raises(IdempotencyConflictError, me.continuation.checkpoint, other))
            played.clock.advance(hours=1)


def _consent(played: Stage, tally: Tally) -> None:
    with played.open() as iris:
        for category in sorted(SENSITIVE_CATEGORIES):
            user = f"consent-{category}"
            me = _person(iris, user)
            _one_category(me, user, category, tally)


def _one_category(me: PersonMemory, user: str, category: Category, tally: Tally) -> None:
    more: dict[str, Any] = {"sensitive_categories": frozenset({category}), "cross_device_consent_id": "none"}
    tally.same(f"{category}: no consent", _refused(me, _wish(user, **more)), "sensitive-category-without-consent")
    me.consent.grant(f"category:{category}", terms=TERMS)
    tally.same(f"{category}: no crossing", _refused(me, _wish(user, **more)), RefusalReason.CONSENT_MISSING.value)
    (event,) = me.consent.grant("cross_device", terms=TERMS)
    more["cross_device_consent_id"] = event.event_id
    tally.same(f"{category}: consented", _refused(me, _wish(user, **more)), "")
    tally.same(f"{category}: crosses", len(me.continuation.recent()), 1)
    me.consent.revoke("cross_device", scan=False)
    tally.same(f"{category}: withdrawn", len(me.continuation.recent()), 0)
    tally.same(f"{category}: refused again", _refused(me, _wish(user, **more)), RefusalReason.CONSENT_MISSING.value)


def _ends(played: Stage, tally: Tally) -> None:
    with played.open() as iris:
        me = _person(iris, "ends")
        me.continuation.checkpoint(_wish("ends"))
        played.clock.instant += TOKEN_LIFETIME - timedelta(microseconds=1)
        tally.same("in time", len(me.continuation.recent()), 1)
        played.clock.instant += timedelta(microseconds=1)
        tally.same("over", len(me.continuation.recent()), 0)
        me.continuation.checkpoint(_wish("ends", ref="two"))
        me.erase(scan=False)
        tally.same("erased", len(me.continuation.recent()) + len(me.devices.list()), 0)
