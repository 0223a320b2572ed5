"""The gate of operator inspection: equal to the oracle (AUT-5), every cell of its tables, every reason in its turn."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from iris_memory.contracts.inspection import InspectionDenial, InspectionPath, InspectionReason, OperatorRole
from iris_memory.contracts.scope import ProfileScope, TenantScope
from iris_memory.evals import inspection_oracle
from iris_memory.evals.inspection_oracle import NOON, facts_of, judge, random_ask
from iris_memory.evals.stage import Draws
from iris_memory.gates import inspection as gate
from iris_memory.gates.inspection import Approver, InspectionAsk, is_independent, needed_approvers, verdict

D, P, R, W = InspectionDenial, InspectionPath, InspectionReason, OperatorRole
LEA, ANN = Approver("lea", OperatorRole.LEGAL), Approver("ann", OperatorRole.ADMIN)
REQUESTS = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 20_000

FINE = InspectionAsk(
    operator_tenant="acme",
    target_tenant="acme",
    target_user="ada",
    scope=None,
    path=P.INCIDENT_ESCALATION,
    reason=R.SAFETY_INCIDENT,
    requester="tom",
    role=W.TRUST_AND_SAFETY,
    line=None,
    is_sensitive=True,
    is_safety_critical=True,
    break_glass=False,
    incident_verified=True,
    request_open=False,
    consent_snapshot_id="h",
    consent_head="h",
    matched=1,
    most=1,
    approvers=(LEA, ANN),
    now=NOON,
    answer_by=NOON + timedelta(seconds=1),
)

FAULTS: dict[InspectionDenial, dict[str, Any]] = {
    D.CROSS_TENANT: {"operator_tenant": "rival"},
    D.SCOPE_OUT_OF_BOUNDS: {"scope": ProfileScope(user_id="bob")},
    D.NO_LEGITIMATE_INTEREST: {"incident_verified": False},
    D.CONSENT_NOT_CURRENT: {"consent_snapshot_id": None},
    D.SENSITIVE_ROUTINE_REVIEW: {"path": P.ROUTINE_REVIEW, "reason": R.SUPPORT_CASE},
    D.ROLE_NOT_PERMITTED: {"role": W.ADMIN},
    D.SCOPE_TOO_WIDE: {"matched": 2},
    D.GRANT_EXPIRED: {"now": NOON + timedelta(seconds=1)},
    D.SELF_APPROVAL: {"approvers": (LEA, Approver("tom", OperatorRole.LEGAL))},
    D.SECOND_APPROVER_MISSING: {"approvers": (LEA,)},
}


def test_the_gate_and_the_oracle_agree_and_every_reason_occurs() -> None:
    draws, seen = Draws("inspection gate"), Counter[str]()
    for _ in range(REQUESTS):
        ask = random_ask(draws)
        found = verdict(ask)
        told = found.value if found is not None else "granted"
        assert told == judge(facts_of(ask)), ask
        seen[told] += 1
    assert set(seen) == {*InspectionDenial, "granted"}
    assert min(seen.values()) >= 20, seen


def test_the_oracle_is_small_and_does_not_look_at_the_gates_tables() -> None:
    source = Path(inspection_oracle.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 300
    assert "tables.inspectors" not in source
    assert "verdict" not in source


def test_a_sound_request_is_granted_and_each_fault_alone_has_its_own_reason() -> None:
    assert verdict(FINE) is None
    for reason, fault in FAULTS.items():
        assert verdict(replace(FINE, **fault)) is reason
    assert list(FAULTS) == list(InspectionDenial) == [reason for reason, _ in gate.ORDER]


def test_the_first_objection_in_order_is_the_one_that_is_told() -> None:
    for (first, fault), (_, later) in itertools.combinations(FAULTS.items(), 2):
        if "path" in later or "path" in fault:
            continue  # another path changes what every later check sees
        assert verdict(replace(FINE, **{**later, **fault})) is first or fault.keys() & later.keys()


def cells() -> Iterator[tuple[OperatorRole, InspectionPath, bool]]:
    return itertools.product(OperatorRole, InspectionPath, (False, True))


ALLOWED = {
    ("support", "routine-review", False),
    ("admin", "routine-review", False),
    ("admin", "incident-escalation", False),
    ("legal", "dsar-fulfillment", False),
    ("legal", "incident-escalation", False),
    ("legal", "routine-review", False),
    ("t&s", "incident-escalation", False),
    ("t&s", "routine-review", False),
    ("legal", "dsar-fulfillment", True),
    ("t&s", "incident-escalation", True),
}
REASON_OF = {
    P.DSAR_FULFILLMENT: R.DATA_SUBJECT_REQUEST,
    P.INCIDENT_ESCALATION: R.SECURITY_INCIDENT,
    P.ROUTINE_REVIEW: R.QUALITY_REVIEW,
}


@pytest.mark.parametrize(("role", "path", "sensitive"), list(cells()))
def test_every_role_path_and_sensitivity(role: OperatorRole, path: InspectionPath, sensitive: bool) -> None:
    ask = replace(FINE, role=role, path=path, reason=REASON_OF[path], is_sensitive=sensitive, request_open=True)
    expected = None if (role.value, path.value, sensitive) in ALLOWED else D.ROLE_NOT_PERMITTED
    if sensitive and path is P.ROUTINE_REVIEW:
        expected = D.SENSITIVE_ROUTINE_REVIEW
    assert verdict(ask) is expected


@pytest.mark.parametrize(("reason", "path"), list(itertools.product(InspectionReason, InspectionPath)))
def test_every_reason_fits_one_path(reason: InspectionReason, path: InspectionPath) -> None:
    ask = replace(FINE, path=path, reason=reason, is_sensitive=False, request_open=True, role=W.LEGAL)
    fits = {
        "data-subject-request": "dsar-fulfillment",
        "safety-incident": "incident-escalation",
        "security-incident": "incident-escalation",
        "abuse-report": "incident-escalation",
        "support-case": "routine-review",
        "quality-review": "routine-review",
    }
    assert (verdict(ask) is None) is (fits[reason.value] == path.value)


def test_a_scope_of_another_tenant_is_cross_tenant_and_of_another_person_out_of_bounds() -> None:
    assert verdict(replace(FINE, scope=TenantScope(tenant_id="rival", user_id="ada"))) is D.CROSS_TENANT
    assert verdict(replace(FINE, scope=TenantScope(tenant_id="acme", user_id="bob"))) is D.SCOPE_OUT_OF_BOUNDS
    assert verdict(replace(FINE, scope=TenantScope(tenant_id="acme", user_id="ada"))) is None


@pytest.mark.parametrize("role", OperatorRole)
def test_who_may_approve(role: OperatorRole) -> None:
    ask = replace(FINE, approvers=(LEA, Approver("x", role)))
    assert (verdict(ask) is None) is (role is not OperatorRole.SUPPORT)


def test_a_reporting_line_counts_where_both_are_known() -> None:
    for mine, theirs, independent in (
        (None, None, True),
        ("north", None, True),
        (None, "north", True),
        ("north", "south", True),
        ("north", "north", False),
    ):
        approver = Approver("lea", OperatorRole.LEGAL, theirs)
        assert is_independent(approver, requester="tom", line=mine) is independent
        assert (verdict(replace(FINE, line=mine, approvers=(approver, ANN))) is None) is independent
    assert not is_independent(Approver("tom", OperatorRole.LEGAL), requester="tom", line=None)


def test_how_many_must_approve() -> None:
    assert needed_approvers(FINE) == 2
    assert needed_approvers(replace(FINE, is_sensitive=False)) == 1
    glass = replace(FINE, break_glass=True, approvers=())
    assert verdict(glass) is None
    assert verdict(replace(glass, is_safety_critical=False)) is D.NO_LEGITIMATE_INTEREST
    twice = replace(FINE, approvers=(LEA, replace(LEA, role=OperatorRole.ADMIN)))
    assert verdict(twice) is D.SECOND_APPROVER_MISSING, "one person in two roles is one person"
