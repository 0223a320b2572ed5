"""A memory in review waits for a decision: kept one more window, ended with a receipt, or ended by the sweep."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, bodies, chain, person, refused, remembered, sound, written
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.scope import CrisisScope
from iris_memory.contracts.write import Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

CRISIS = CrisisScope(user_id="ada", session_id="s1")
KINDS = ("personalization", "cross_domain_sharing")


def shared(iris: Iris, clock: SteppingClock, *, days: int = 900) -> tuple[PersonMemory, str]:
    """Return a person and a memory that is shared across domains while an approval lasts."""
    me = person(iris, consents=KINDS)
    approve(iris, clock, days=days)
    return me, written(me.remember("Sings in 2 choirs.", adapter_scope="cross_domain")).entry.logical_id


def approve(iris: Iris, clock: SteppingClock, *, days: int) -> None:
    """Give leave to share across domains."""
    ends = clock.now() + days * DAY
    iris.approve_scope(tenant="acme", adapter_scope="cross_domain", approver="boss", reason="r", expires_at=ends)


def test_it_can_be_kept_again_and_again_until_the_last_window_ends(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, name = shared(iris, clock)
    first = clock.now()
    assert list(me.reviews()) == []
    for day in (90, 180, 270, 360):
        clock.instant = first + day * DAY
        (review,) = me.reviews()
        assert (review.waiting_since, review.ends_at) == (clock.now(), clock.now() + 30 * DAY)
        assert bodies(me, "choirs", adapter_scope="cross_domain") == []
        kept = me.decide_review(name, "extend", expected=review.entry.id)
        assert isinstance(kept, Written)
        assert kept.entry.expires_at == review.extends_to == min(clock.now() + 90 * DAY, first + 365 * DAY)
        assert bodies(me, "choirs", adapter_scope="cross_domain") == ["Sings in 2 choirs."]
        assert iris.sweep().due == 0
    clock.instant = first + 365 * DAY
    (review,) = me.reviews()
    assert review.extends_to is None
    assert refused(me.decide_review(name, "extend")).reason is RefusalReason.ALREADY_EXPIRED
    clock.step(30 * DAY)
    assert list(me.reviews()) == []
    assert refused(me.decide_review(name, "extend")).reason is RefusalReason.NOT_WAITING
    assert iris.sweep().ended == 1
    assert remembered(me) == set()
    sound(iris)


def test_it_can_be_ended_at_once_with_a_receipt(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris)
    name = written(me.remember("Call number 4.", scope=CRISIS)).entry.logical_id
    clock.step(3 * DAY)
    receipt = me.decide_review(name, "end")
    assert isinstance(receipt, ForgetReceipt)
    assert receipt.memories == 1
    assert remembered(me) == set()
    decided = [event for event in chain(iris) if event["action"] == "memory.review.decided"]
    assert [event["decision"] for event in decided] == ["end"]


def test_keeping_it_needs_the_approval_and_the_consents_of_its_scope(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, name = shared(iris, clock, days=80)
    clock.step(90 * DAY)
    assert list(me.reviews()) == [], "a scope without its approval shows nothing"
    with pytest.raises(UnknownMemoryError):
        me.decide_review(name, "extend")
    approve(iris, clock, days=90)
    me.opt_out("cross_domain")
    assert refused(me.decide_review(name, "extend")).reason is RefusalReason.OPTED_OUT
    me.opt_out()
    assert isinstance(me.decide_review(name, "extend"), Written)


def test_a_decision_is_about_the_revision_that_was_seen(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, name = shared(iris, clock)
    clock.step(90 * DAY)
    assert refused(me.decide_review(name, "extend", expected="another")).reason is RefusalReason.STALE_REVISION
    with pytest.raises(ContractError):
        me.decide_review(name, "ponder")
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="eve").decide_review(name, "end")


def test_what_was_asked_to_end_is_not_in_review(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris)
    me.remember("Call number 4.", scope=CRISIS, expires_at=clock.now() + timedelta(hours=1))
    clock.step(timedelta(hours=1))
    assert list(me.reviews()) == []
    assert iris.sweep().ended == 1
