"""Approvals of reviewed scopes: asked for, granted by another, ending by themselves, withdrawn; the only way in."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, chain, person, refused, sound, written
from iris_memory.contracts.consent import ApprovalRequest, ApprovalState
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.scope import TenantScope
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.governance import Governance
from iris_memory.front.iris import Iris
from iris_memory.tables.limits import APPROVAL_ANSWER_WITHIN, APPROVAL_LIFETIME_MOST

SCOPE = TenantScope(tenant_id="acme", user_id="ada")
MICRO = timedelta(microseconds=1)


@pytest.fixture
def governance(iris: Iris) -> Governance:
    return iris.governance(tenant="acme")


def ask(governance: Governance, clock: SteppingClock, *, days: int = 30) -> ApprovalRequest:
    return governance.ask("tenant", asked_by="olaf", reason="pilot", until=clock.now() + days * DAY)


def done(outcome: object) -> ApprovalRequest:
    assert isinstance(outcome, ApprovalRequest), outcome
    return outcome


def test_leave_is_asked_granted_used_and_withdrawn(iris: Iris, governance: Governance, clock: SteppingClock) -> None:
    me = person(iris, consents=["tenant_processing"])
    request = ask(governance, clock)
    assert request.state is ApprovalState.ASKED
    assert refused(me.remember("Badge 7", scope=SCOPE)).reason is R.GOVERNANCE_REVIEW_MISSING
    given = done(governance.grant(request.request_id, granted_by="petra"))
    assert (given.state, given.granted_by) == (ApprovalState.GRANTED, "petra")
    assert written(me.remember("Badge 7", scope=SCOPE))
    assert [one.approver for one in governance.approvals()] == ["petra"]
    taken = done(governance.withdraw(request.request_id, withdrawn_by="olaf"))
    assert (taken.state, taken.granted_by, taken.withdrawn_by) == (ApprovalState.WITHDRAWN, "petra", "olaf")
    assert refused(me.remember("Badge 8", scope=SCOPE)).reason is R.GOVERNANCE_REVIEW_MISSING
    assert me.recall("badge", scope=SCOPE).hits == ()
    assert me.list().entries == []
    assert me.list().withheld == 1
    told = [(event["action"], event["by"]) for event in chain(iris) if event["action"].startswith("governance.")]
    assert told == [
        ("governance.approval.asked", "olaf"),
        ("governance.approval.granted", "petra"),
        ("governance.approval.withdrawn", "olaf"),
    ]
    sound(iris)


def test_the_one_who_asks_never_grants(governance: Governance, clock: SteppingClock) -> None:
    request = ask(governance, clock)
    assert refused(governance.grant(request.request_id, granted_by="olaf")).reason is R.SELF_APPROVAL
    assert governance.requests()[0].state is ApprovalState.ASKED
    assert governance.approvals() == []


def test_each_answer_counts_once(governance: Governance, clock: SteppingClock) -> None:
    request = ask(governance, clock)
    done(governance.grant(request.request_id, granted_by="petra"))
    assert refused(governance.grant(request.request_id, granted_by="quinn")).reason is R.NOT_WAITING
    done(governance.withdraw(request.request_id, withdrawn_by="quinn"))
    for again in (
        governance.grant(request.request_id, granted_by="petra"),
        governance.withdraw(request.request_id, withdrawn_by="petra"),
    ):
        assert refused(again).reason is R.NOT_WAITING


def test_a_request_that_waits_can_be_taken_back(governance: Governance, clock: SteppingClock) -> None:
    request = ask(governance, clock)
    done(governance.withdraw(request.request_id, withdrawn_by="olaf"))
    assert refused(governance.grant(request.request_id, granted_by="petra")).reason is R.NOT_WAITING


def test_a_request_ends_unanswered(governance: Governance, clock: SteppingClock) -> None:
    request = ask(governance, clock)
    clock.step(APPROVAL_ANSWER_WITHIN - MICRO)
    assert governance.requests()[0].state is ApprovalState.ASKED
    clock.step(MICRO)
    assert governance.requests()[0].state is ApprovalState.EXPIRED
    assert refused(governance.grant(request.request_id, granted_by="petra")).reason is R.NOT_WAITING


def test_leave_ends_by_itself(iris: Iris, governance: Governance, clock: SteppingClock) -> None:
    me = person(iris, consents=["tenant_processing"])
    request = ask(governance, clock, days=3)
    done(governance.grant(request.request_id, granted_by="petra"))
    clock.step(3 * DAY - MICRO)
    assert written(me.remember("Badge 7", scope=SCOPE))
    clock.step(MICRO)
    assert governance.requests()[0].state is ApprovalState.EXPIRED
    assert governance.approvals() == []
    assert refused(me.remember("Badge 8", scope=SCOPE)).reason is R.GOVERNANCE_REVIEW_MISSING
    assert refused(governance.withdraw(request.request_id, withdrawn_by="olaf")).reason is R.NOT_WAITING


def test_what_cannot_be_asked(governance: Governance, clock: SteppingClock) -> None:
    for scope, until in (
        ("session", clock.now() + DAY),
        ("tenant", clock.now()),
        ("tenant", clock.now() + APPROVAL_LIFETIME_MOST + DAY),
    ):
        with pytest.raises(ContractError):
            governance.ask(scope, asked_by="olaf", reason="pilot", until=until)
    with pytest.raises(ContractError):
        governance.ask("tenant", asked_by="olaf", reason="", until=clock.now() + DAY)
    assert governance.requests() == []


def test_requests_are_of_their_tenant(iris: Iris, governance: Governance, clock: SteppingClock) -> None:
    request = ask(governance, clock)
    other = iris.governance(tenant="other")
    for act in (
        lambda: other.grant(request.request_id, granted_by="petra"),
        lambda: other.withdraw(request.request_id, withdrawn_by="petra"),
        lambda: governance.grant("no-such-request", granted_by="petra"),
    ):
        with pytest.raises(UnknownMemoryError):
            act()
    assert other.requests() == []


def test_leave_survives_a_restart(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    governance = iris.governance(tenant="acme")
    request = ask(governance, clock)
    given = done(governance.grant(request.request_id, granted_by="petra"))
    iris.close()
    assert list(open_iris().governance(tenant="acme").requests()) == [given]
