"""Data rights: deadlines to the day, every step in every state, each kind carried out, holds that nothing gets past.

The deadlines are counted day by day and the steps are listed by hand here; neither looks at the tables of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import OptOut
from iris_memory.contracts.disclosure import Disclosure
from iris_memory.contracts.rights import LegalHold, ObjectPayload, Regime, RightsKind, RightsRequest, RightsState
from iris_memory.contracts.write import Statement, Written
from iris_memory.evals.stage import BASE, TERMS, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.flows import tend
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk
from iris_memory.rules import deadlines, rights

_DAY: Final = timedelta(days=1)
_NOON: Final = time(12, 30)
_PLAIN: Final = ("work", "preference", "medical")

_STEPS: Final[dict[str, tuple[str, ...]]] = {
    "submitted": ("verify", "cancel"),
    "verified": ("start", "fulfil", "deny", "cancel"),
    "in-progress": ("fulfil", "deny", "fail", "cancel"),
    "completed": ("appeal",),
    "failed": ("appeal",),
    "appealed": ("overturn", "uphold"),
    "cancelled": (),
}
"""The steps each state takes, written by hand. What is not listed is refused."""

_WAY: Final[dict[str, tuple[str, ...]]] = {
    "submitted": (),
    "verified": ("verify",),
    "in-progress": ("verify", "start"),
    "completed": ("verify", "fulfil"),
    "failed": ("verify", "deny"),
    "appealed": ("verify", "deny", "appeal"),
    "cancelled": ("cancel",),
}


def run(tally: Tally) -> str:
    """Look at deadlines, steps, kinds and holds."""
    days = _deadlines(tally)
    with stage() as place, place.open() as iris:
        _steps(tally, iris)
        _kinds(tally, place, iris)
        _unproved(tally, place, iris)
        paths = _holds(tally, place, iris)
    return f"{days} start days under {len(Regime)} regimes; every step in every state; {paths} paths against a hold"


def _deadlines(tally: Tally) -> int:
    starts = [date(2023, 1, 1) + number * _DAY for number in range(365 + 366)]
    for start in starts:
        month = min(start + 30 * _DAY, _months_on(start, 1))
        wanted = {
            Regime.DEFAULT: (month, _months_on(month, 2)),
            Regime.GDPR: (month, _months_on(month, 2)),
            Regime.UK_GDPR: (month, _months_on(month, 2)),
            Regime.CCPA: (start + 45 * _DAY, start + 90 * _DAY),
            Regime.LGPD: (start + 15 * _DAY, None),
        }
        for regime, (first, later) in wanted.items():
            found = deadlines.first_deadline(regime, RightsKind.ACCESS, _at(start))
            tally.same(f"{regime.value} from {start}", found, _at(first))
            extended = deadlines.extended_deadline(regime, RightsKind.ACCESS, _at(first))
            tally.same(f"{regime.value} from {start}, extended", extended, _at(later) if later else None)
    return len(starts)


def _months_on(start: date, months: int) -> date:
    day = start
    for _ in range(months):
        day += _DAY
        while day.day != 1:
            day += _DAY
    while day.day < start.day and (day + _DAY).day != 1:
        day += _DAY
    return day


def _at(day: date) -> datetime:
    return datetime.combine(day, _NOON, UTC)


def _steps(tally: Tally, iris: Iris) -> None:
    ada, desk = _somebody(iris, "steps"), iris.rights_desk("acme")
    acts: dict[str, Callable[[str], object]] = {
        "verify": ada.rights.verify,
        "start": lambda name: desk.start(name, actor="op-1"),
        "fulfil": lambda name: desk.fulfil(name, actor="op-1"),
        "deny": lambda name: desk.deny(name, actor="op-1", ground="excessive", legal_reference="law"),
        "fail": lambda name: desk.fail(name, actor="op-1", reason="it broke"),
        "cancel": ada.rights.cancel,
        "appeal": lambda name: ada.rights.appeal(name, reason="not so"),
        "overturn": lambda name: desk.decide_appeal(name, actor="op-2", overturned=True, reason="right"),
        "uphold": lambda name: desk.decide_appeal(name, actor="op-2", overturned=False, reason="wrong"),
    }
    count = 0
    for state, way in _WAY.items():
        for step, act in acts.items():
            count += 1
            purposes = (OptOut.HISTORY,) * count
            name = ada.rights.submit(ObjectPayload(purposes=purposes)).request_id
            for before in way:
                acts[before](name)
            tally.same(f"on the way to {state}", ada.rights.show(name).state.value, state)
            done = act(name)
            tally.check(f"{step} from {state}", isinstance(done, RightsRequest) is (step in _STEPS[state]))
            ada.rights.cancel(name)
    name = ada.rights.submit("object", purposes=["memory"]).request_id
    for step in ("verify", "deny", "appeal"):
        acts[step](name)
    own = desk.decide_appeal(name, actor="op-1", overturned=True, reason="me again")
    tally.check("the one who denied never decides the appeal", not isinstance(own, RightsRequest))
    acts["uphold"](name)
    tally.check("an appeal comes once", not isinstance(acts["appeal"](name), RightsRequest))
    for before, after in (("completed", "submitted"), ("cancelled", "verified"), ("expired", "in-progress")):
        allowed = rights.is_transition_allowed(RightsState(before), RightsState(after))
        tally.check(f"{after} does not follow {before}", not allowed)


def _kinds(tally: Tally, place: Stage, iris: Iris) -> None:
    desk = iris.rights_desk("acme")
    ada = _filled(iris, "kinds")
    told = ada.rights.answer(_carried(ada, desk, "access"))
    shown = sorted(entry.category.value for entry in told.memories) if isinstance(told, Disclosure) else []
    tally.same("access shows what is held", shown, sorted(_PLAIN))
    target = ada.list(category="work").entries[0].logical_id
    _carried(ada, desk, "rectify", logical_id=target, body="a better note on work")
    tally.same("rectify puts right", ada.show(target)[0].body, "a better note on work")
    name = _carried(ada, desk, "restrict", categories=["work"])
    tally.same("restrict keeps and does not recall", ("work" in _recalled(ada), ada.list().total), (False, 3))
    ada.rights.lift_restriction(name)
    tally.check("a lifted restriction recalls again", "work" in _recalled(ada))
    grace: dict[str, Any] = {"mode": "soft", "categories": ["work"], "retention_grace_ms": 3 * 86_400_000}
    name = _carried(ada, desk, "delete", **grace)
    tally.same("a soft deletion is out of recall", ("work" in _recalled(ada), ada.list().total), (False, 3))
    ada.rights.reactivate(name)
    tally.check("and comes back within its grace", "work" in _recalled(ada))
    name = _carried(ada, desk, "delete", **grace)
    place.clock.advance(days=3)
    tend.hourly(iris.instruments)
    tally.same("and is purged after it", ada.list().total, 2)
    done = ada.rights.show(name)
    tally.check("before its deadline", done.state.value == "completed" and done.trail[-1].at < done.deadline)
    tally.check("with a fingerprint", done.result is not None and done.result.fingerprint is not None)
    _carried(ada, desk, "withdraw-consent", consents=["data_storage"])
    tally.check("withdraw-consent reaches the ledger", "data_storage" not in ada.consent.active())


def _unproved(tally: Tally, place: Stage, iris: Iris) -> None:
    ada = _somebody(iris, "unproved")
    name = ada.rights.submit("access").request_id
    place.clock.advance(days=7)
    tend.hourly(iris.instruments)
    closed = ada.rights.show(name)
    tally.same("a request nobody proved closes", closed.state.value, "expired")
    tally.same("and says so", closed.notices[-1].about.value, "expired")


def _holds(tally: Tally, place: Stage, iris: Iris) -> int:
    desk = iris.rights_desk("acme")
    paths: dict[str, Callable[[PersonMemory, str], object]] = {
        "forget one": lambda ada, name: ada.forget(name, scan=False),
        "forget a category": lambda ada, name: ada.forget(category="medical", scan=False),
        "forget everything": lambda ada, name: ada.forget(everything=True, scan=False),
        "erase": lambda ada, name: ada.erase(scan=False),
        "withdraw a consent": lambda ada, name: ada.consent.revoke("category:medical"),
        "a deletion request": lambda ada, name: _carried(ada, desk, "delete", categories=["medical"]),
    }
    targets: dict[str, Callable[[str], dict[str, Any]]] = {
        "an id": lambda name: {"logical_ids": [name]},
        "a category": lambda name: {"categories": ["medical"]},
        "a scope": lambda name: {"scopes": ["assistant_profile"]},
        "everything": lambda name: {},
    }
    for number, (path, act) in enumerate(paths.items()):
        for what, target in targets.items():
            user = f"held-{number}-{what}"
            ada = _filled(iris, user)
            kept = ada.list(category="medical").entries[0].logical_id
            placed = desk.place_hold(
                user=user,
                actor="op-1",
                reference="case",
                reason="asked",
                expires_at=place.clock.now() + 90 * _DAY,
                **target(kept),
            )
            own = desk.confirm_hold(placed.hold_id, actor="op-1")
            tally.check("a hold needs two people", not isinstance(own, LegalHold))
            desk.confirm_hold(placed.hold_id, actor="op-2")
            act(ada, kept)
            case = f"{path} against a hold on {what}"
            tally.check(case, kept in {entry.logical_id for entry in ada.list().entries})
            tally.check(f"{case}: not recalled meanwhile", "medical" not in _recalled(ada))
            desk.release_hold(placed.hold_id, actor="op-3")
            tally.check(f"{case}, released", kept not in {entry.logical_id for entry in ada.list().entries})
    return len(paths)


def _carried(ada: PersonMemory, desk: RightsDesk, kind: str, **wishes: Any) -> str:
    name = ada.rights.submit(kind, **wishes).request_id
    desk.sign_off(name, "operator-signoff", actor="op-0", declared=True)
    desk.fulfil(name, actor="op-1")
    return name


def _somebody(iris: Iris, user: str) -> PersonMemory:
    ada = iris.for_user(tenant="acme", user=user)
    ada.consent.grant(*BASE, "category:medical", terms=TERMS)
    return ada


def _filled(iris: Iris, user: str) -> PersonMemory:
    ada = _somebody(iris, user)
    outcomes = ada.remember_many([Statement(body=f"a note on {name}", category=Category(name)) for name in _PLAIN])
    assert all(isinstance(outcome, Written) for outcome in outcomes)
    return ada


def _recalled(ada: PersonMemory) -> set[str]:
    return {hit.entry.category.value for hit in ada.recall("a note", contexts=("general", "health")).hits}
