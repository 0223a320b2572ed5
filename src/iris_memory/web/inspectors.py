"""Who inspects: the operator behind a session, in one of their roles, and the inspections of their organisation."""

from __future__ import annotations

from typing import Final

from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import Inspection, InspectionState, OperatorRole
from iris_memory.front.inspection import Inspections
from iris_memory.tables.inspectors import INSPECTORS, WAITING
from iris_memory.web.doors import Door, opened
from iris_memory.web.visitor import Visitor

ROLES: Final = {
    Role.LEGAL: OperatorRole.LEGAL,
    Role.TRUST_AND_SAFETY: OperatorRole.TRUST_AND_SAFETY,
    Role.ADMIN: OperatorRole.ADMIN,
    Role.SUPPORT: OperatorRole.SUPPORT,
}
"""The roles of a session that inspect. Who has several approves in the first of them, unless they say another."""

STEPS: Final = ("Asked", "Approved", "Looked at", "Closed")


def roles_of(visitor: Visitor) -> list[OperatorRole]:
    """Return the roles somebody inspects in.

    Raises:
        DoorShutError: they have none.
    """
    opened(visitor, Door.INSPECTION)
    return [inspector for role, inspector in ROLES.items() if role in visitor.session.roles]


def inspections(visitor: Visitor, *, wanted: str = "") -> Inspections:
    """Bind the operator in the role they chose, where it is one of theirs, else in their first."""
    roles = roles_of(visitor)
    role = OperatorRole(wanted) if wanted in {one.value for one in roles} else roles[0]
    session = visitor.session
    return visitor.iris.inspections(tenant=session.tenant, actor=session.user, role=role)


def looking(visitor: Visitor, inspection: Inspection) -> Inspections:
    """Bind the operator in the role they asked in, so that a grant is used by who has it."""
    return inspections(visitor, wanted=inspection.requester_role.value)


def approves(visitor: Visitor) -> bool:
    """Say whether one of somebody's roles approves."""
    return any(INSPECTORS[role].approves for role in roles_of(visitor))


def is_waiting(inspection: Inspection) -> bool:
    """Say whether somebody else's word is waited for."""
    return inspection.state in WAITING


def step_of(inspection: Inspection) -> int:
    """Return which of the steps an inspection stands at."""
    if inspection.state is InspectionState.CLOSED:
        return 3
    if inspection.state is InspectionState.GRANTED:
        return 2 if inspection.reads else 1
    return 0
