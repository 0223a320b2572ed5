"""Authority: which roles open which addresses, as one table. An address under `/v1` without a row opens to nobody.

A row narrows first: what is destroyed or opened much needs a fresh sign-in beside it (`FreshCaller`), and a route may
narrow further. A role opens the holder's own memory, or what the tenant gave the role; no role opens another's.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import Holder

ANYBODY: Final = frozenset(Role)
IN_PERSON: Final = ANYBODY - {Role.ASSISTANT}
"""Whoever holds a token of their own: what a person decides about themselves, no assistant decides for them."""
AUDITOR: Final = frozenset({Role.AUDITOR})
ADMIN: Final = frozenset({Role.ADMIN})
OPERATORS: Final = frozenset({Role.SUPPORT, Role.ADMIN, Role.LEGAL, Role.TRUST_AND_SAFETY})
NOBODY: Final[frozenset[Role]] = frozenset()

EXCHANGE: Final = "/v1/tokens/person"
"""Where a service token is exchanged for a token of one person: it is opened by a service token, and by no role."""


class Row(NamedTuple):
    """Who may read at an address and under it, and who may write there."""

    read: frozenset[Role]
    write: frozenset[Role]


_ANYBODY, _AUDITOR, _ADMIN = Row(ANYBODY, ANYBODY), Row(AUDITOR, AUDITOR), Row(ADMIN, ADMIN)
_IN_PERSON = Row(IN_PERSON, IN_PERSON)

AUTHORITY: Final[Mapping[str, Row]] = MappingProxyType(
    {
        "/v1/memories": _ANYBODY,
        "/v1/recall": _ANYBODY,
        "/v1/explain": _ANYBODY,
        "/v1/forget": _ANYBODY,
        "/v1/roll-back": _ANYBODY,
        "/v1/erase": _IN_PERSON,
        "/v1/questions": _ANYBODY,
        "/v1/category-questions": _ANYBODY,
        "/v1/inferences": _ANYBODY,
        "/v1/inbox": _ANYBODY,
        "/v1/others": _ANYBODY,
        "/v1/reviews": _ANYBODY,
        "/v1/pause": _ANYBODY,
        "/v1/session": _ANYBODY,
        "/v1/consent": Row(ANYBODY, IN_PERSON),
        "/v1/opt-outs": _IN_PERSON,
        "/v1/continuation": _ANYBODY,
        "/v1/devices": _ANYBODY,
        "/v1/events": _ANYBODY,
        "/v1/bridge": _ANYBODY,
        "/v1/assistants": _ADMIN,
        "/v1/webhooks": _ADMIN,
        "/v1/access-log": _IN_PERSON,
        "/v1/holdings": _IN_PERSON,
        "/v1/receipts": _IN_PERSON,
        "/v1/exports": _IN_PERSON,
        "/v1/inspections": Row(OPERATORS, OPERATORS),
        "/v1/inspection-rules": Row(OPERATORS, OPERATORS),
        "/v1/import": _ANYBODY,
        "/v1/held": _ANYBODY,
        "/v1/rights": _IN_PERSON,
        "/v1/legal-holds": _IN_PERSON,
        "/v1/desk": _AUDITOR,
        "/v1/audit": _AUDITOR,
        "/v1/approvals": _AUDITOR,
        "/v1/notices": _AUDITOR,
        "/v1/governance": _ANYBODY,
        "/governance": _ANYBODY,
        "/v1/operator": _ADMIN,
        "/v1/service-tokens": _ADMIN,
        EXCHANGE: Row(NOBODY, NOBODY),
        "/mcp": _ANYBODY,
    }
)
"""By the beginning of the address, in whole steps; the longest that fits counts."""


def row_of(path: str) -> Row | None:
    """Return the row of an address; None where there is none."""
    while path:
        row = AUTHORITY.get(path)
        if row is not None:
            return row
        path = path.rpartition("/")[0]
    return None


def roles_of(holder: Holder) -> frozenset[Role]:
    """Return the roles of a holder; who may audit is an auditor."""
    return holder.roles | AUDITOR if holder.may_audit else holder.roles


def opens(row: Row, method: str, holder: Holder) -> bool:
    """Say whether a holder's roles open an address for a method."""
    return bool((row.read if method in {"GET", "HEAD"} else row.write) & roles_of(holder))
