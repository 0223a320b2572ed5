"""The policy explainer: it answers as the gate does, for every question it can be asked."""

from __future__ import annotations

from itertools import product

import pytest
from browsing import Site
from operating_pages import sound

from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import InspectionPath, OperatorRole
from iris_memory.contracts.scope import AdapterScope
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.inspectors import INSPECTORS
from iris_memory.web.doors import DOORS, Door
from iris_memory.web.routes.operators_policy import explained

HERE = "/operators/policy"
QUESTIONS = list(product(OperatorRole, InspectionPath, AdapterScope, (False, True)))


def test_every_answer_is_what_the_tables_say() -> None:
    for role, path, scope, is_sensitive in QUESTIONS:
        row = INSPECTORS[role]
        allowed = path in (row.sensitive if is_sensitive else row.ordinary)
        is_open = path is InspectionPath.DSAR_FULFILLMENT or ADAPTER_SCOPES[scope].admin_reviewable
        answer = explained(role, path, scope, is_sensitive=is_sensitive)
        assert answer.may == (allowed and is_open), (role, path, scope, is_sensitive)


def test_exactly_one_row_decides_a_no_and_none_a_yes() -> None:
    for role, path, scope, is_sensitive in QUESTIONS:
        answer = explained(role, path, scope, is_sensitive=is_sensitive)
        deciding = [check for check in answer.checks if check.decides]
        assert len(deciding) == (0 if answer.may else 1)
        assert bool(answer.needed) != answer.may
        assert all(check.objects for check in deciding)


def test_every_door_opens_to_somebody_and_none_to_customers() -> None:
    for row in DOORS.values():
        assert row.roles
        assert not row.roles & {Role.CUSTOMER, Role.ASSISTANT}
    assert set(DOORS) == set(Door)


@pytest.mark.enable_socket
def test_the_page_has_no_violation(site: Site) -> None:
    asked = f"{HERE}?role=legal&path=dsar-fulfillment&scope=pose&sensitive=yes"
    assert sound(site, [HERE, asked, f"{HERE}?role=legal"]) == {}
