"""Consents age and notices change (DSR-17): what is due for asking, why, and that a refusal is not asked for again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import BASE, DAY, TERMS, SteppingClock, actions, person
from iris_memory.contracts.consent import ConsentType, DueReason
from iris_memory.errors import ContractError
from iris_memory.flows import consent
from iris_memory.flows.instruments import Caller
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.tables.consents import CATEGORY_REASK_AFTER, CONSENTS, reask_after

MICRO = timedelta(microseconds=1)


def reasons(me: PersonMemory) -> dict[str, DueReason]:
    return {one.name: one.reason for one in me.consent.due()}


@pytest.mark.parametrize("name", [*(kind.value for kind in ConsentType), "category:medical"])
def test_a_consent_is_asked_for_again_at_its_age(name: str, me: PersonMemory, clock: SteppingClock) -> None:
    """At the instant its row says and not a microsecond before; it stays in force until it is answered."""
    clock.step()
    (event,) = me.consent.grant(name, terms=TERMS)
    age = CATEGORY_REASK_AFTER if ":" in name else CONSENTS[ConsentType(name)].reask_after
    assert reask_after(name) == age
    clock.step(age - MICRO)
    assert name not in reasons(me)
    clock.step(MICRO)
    (due,) = [one for one in me.consent.due() if one.name == name]
    assert (due.reason, due.since, due.in_force) == (DueReason.RE_ASK, event.occurred_at + age, True)
    assert (due.event_id, due.given_at) == (event.event_id, event.occurred_at)
    assert name in me.consent.active()
    me.consent.grant(name, terms=TERMS)
    assert name not in reasons(me)


def test_an_end_comes_before_everything_else(me: PersonMemory, clock: SteppingClock, iris: Iris) -> None:
    ends = clock.now() + DAY
    me.consent.grant("personalization", terms=TERMS, expires_at=ends)
    iris.governance(tenant="acme").publish_notice("personalization", terms="Other words")
    assert reasons(me) == {"personalization": DueReason.TERMS_CHANGED}
    clock.step(DAY)
    (due,) = me.consent.due()
    assert (due.reason, due.since, due.in_force) == (DueReason.EXPIRED, ends, False)
    assert len(due.notices) == 1


def test_changed_terms_need_a_new_answer(me: PersonMemory, clock: SteppingClock, iris: Iris) -> None:
    governance = iris.governance(tenant="acme")
    (first,) = governance.publish_notice("data_storage", terms=TERMS)
    assert (first.version, reasons(me)) == (1, {}), "the notice is the one that was agreed to"
    (same,) = governance.publish_notice("data_storage", terms=TERMS)
    assert same == first, "the same text again changes nothing"
    clock.step(DAY)
    (second,) = governance.publish_notice("data_storage", terms=TERMS + " And a little more.")
    assert second.version == 2
    (due,) = me.consent.due()
    assert (due.name, due.reason, due.since) == ("data_storage", DueReason.TERMS_CHANGED, clock.now())
    assert due.in_force, "what was agreed to holds for what was agreed to"
    assert list(due.notices) == [second] == list(governance.notices())
    me.consent.grant("data_storage", terms=TERMS + " And a little more.")
    assert reasons(me) == {}
    assert actions(iris).count("consent.notice.published") == 2


def test_another_language_is_another_text(iris: Iris) -> None:
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_storage", terms="Wij bewaren wat je vertelt.", terms_language="nl")
    governance = iris.governance(tenant="acme")
    governance.publish_notice("data_storage", terms=TERMS)
    assert reasons(me) == {"data_storage": DueReason.LANGUAGE_CHANGED}
    governance.publish_notice("data_storage", terms="Wij bewaren wat je vertelt.", language="nl")
    assert reasons(me) == {}, "it is one of the texts that are shown"
    governance.publish_notice("data_storage", terms="Wij bewaren alles wat je vertelt.", language="nl")
    assert reasons(me) == {"data_storage": DueReason.TERMS_CHANGED}


def test_a_refusal_is_kept_and_not_asked_for_again(me: PersonMemory, clock: SteppingClock, iris: Iris) -> None:
    me.consent.deny("model_improvement", terms=TERMS)
    me.consent.revoke("data_storage")
    iris.governance(tenant="acme").publish_notice("model_improvement", "data_storage", terms="Other words")
    clock.step(1_000 * DAY)
    assert set(reasons(me)) == {"data_processing"}
    assert [event.type for event in me.consent.trail()][-2:] == ["model_improvement", "data_storage"]


def test_notices_are_of_their_tenant(me: PersonMemory, iris: Iris) -> None:
    iris.governance(tenant="other").publish_notice(*BASE, terms="Other words")
    assert reasons(me) == {}
    for wrong in ((), ("no_such",)):
        with pytest.raises(ContractError):
            iris.governance(tenant="acme").publish_notice(*wrong, terms="Other words")
    assert list(iris.governance(tenant="acme").notices()) == []


def test_the_flow_is_there_for_the_inbox(iris: Iris, clock: SteppingClock) -> None:
    person(iris)
    clock.step(731 * DAY)
    found = consent.due(iris.instruments, Caller("acme", "ada"))
    assert {one.name for one in found} == set(BASE)
    assert consent.due(iris.instruments, Caller("acme", "nobody")) == ()
