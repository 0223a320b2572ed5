"""Doors: which roles open which of the operators' pages, and what somebody is told before a door that stays shut.

To somebody without any operator's role these pages are not there. An operator is told the rule and what is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from iris_memory.access.issuers import Role
from iris_memory.tables.totality import total
from iris_memory.web.rendering import render
from iris_memory.web.visitor import OPERATORS, NotForYouError, Visitor

_R = Role
_ROLE_WORDS: Final[Mapping[Role, str]] = MappingProxyType({_R.TRUST_AND_SAFETY: "trust and safety"})


class Door(StrEnum):
    """A group of pages that opens as one."""

    INSPECTION = "inspection"
    RULES = "rules"
    RIGHTS = "rights"
    RIGHTS_DECISIONS = "rights-decisions"
    HOLDS = "holds"
    AUDIT = "audit"
    MASKING = "masking"
    POLICY = "policy"
    APPROVALS = "approvals"
    ASSISTANT = "assistant"


class DoorRow(NamedTuple):
    """What lies behind a door, and for whom it opens."""

    name: str
    roles: frozenset[Role]


_INSPECTORS: Final = frozenset({_R.SUPPORT, _R.ADMIN, _R.LEGAL, _R.TRUST_AND_SAFETY})

DOORS: Final = total(
    "doors",
    Door,
    [
        (Door.INSPECTION, DoorRow("Inspection", _INSPECTORS)),
        (Door.RULES, DoorRow("The rules of inspection", _INSPECTORS - {_R.SUPPORT})),
        (Door.RIGHTS, DoorRow("The data-rights desk", frozenset({_R.SUPPORT, _R.ADMIN, _R.LEGAL}))),
        (Door.RIGHTS_DECISIONS, DoorRow("Deciding a data-rights request", frozenset({_R.ADMIN, _R.LEGAL}))),
        (Door.HOLDS, DoorRow("Legal holds", frozenset({_R.ADMIN, _R.LEGAL}))),
        (Door.AUDIT, DoorRow("The audit trail", frozenset({_R.AUDITOR}))),
        (Door.MASKING, DoorRow("The owner-masking report", OPERATORS)),
        (Door.POLICY, DoorRow("The policy explainer", OPERATORS)),
        (Door.APPROVALS, DoorRow("Approvals of reviewed scopes", frozenset({_R.ADMIN, _R.LEGAL}))),
        (Door.ASSISTANT, DoorRow("The admin assistant", frozenset({_R.ADMIN}))),
    ],
)


class DoorShutError(Exception):
    """An operator's roles do not open a page; the pages tell them which would."""

    def __init__(self, door: Door, visitor: Visitor) -> None:
        """Take the door and who stands before it."""
        super().__init__()
        self.door, self.visitor = door, visitor


def opened(visitor: Visitor, door: Door) -> None:
    """Turn away whoever has none of a door's roles.

    Raises:
        NotForYouError: they are no operator at all.
        DoorShutError: they are one with other roles.
    """
    if not visitor.is_operator:
        raise NotForYouError
    if not visitor.session.roles & DOORS[door].roles:
        raise DoorShutError(door, visitor)


def opens(visitor: Visitor, door: Door) -> bool:
    """Say whether a door opens, for pages that leave out what does not."""
    return bool(visitor.session.roles & DOORS[door].roles)


def role_words(role: Role) -> str:
    """Return what a role is called."""
    return _ROLE_WORDS.get(role, role.value)


def roles_told(roles: frozenset[Role]) -> str:
    """Return roles as words: `admin, legal or support`."""
    words = sorted(role_words(role) for role in roles)
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nobody"


async def tell_door(request: Request, problem: Exception) -> Response:
    """Show the rule of a door that stays shut, and what would open it."""
    assert isinstance(problem, DoorShutError)
    row = DOORS[problem.door]
    held = problem.visitor.session.roles - {Role.CUSTOMER}
    return render(
        request,
        "operators/shut.html",
        problem.visitor,
        status=403,
        what=row.name,
        needed=roles_told(row.roles),
        held=roles_told(held),
    )
