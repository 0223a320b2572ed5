"""Transitions: from which state a data-rights request may go to which."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.rights import RightsState as S
from iris_memory.tables.totality import total

RIGHTS: Final = total(
    "rights transitions",
    S,
    [
        (S.SUBMITTED, frozenset({S.VERIFIED, S.CANCELLED, S.EXPIRED})),
        (S.VERIFIED, frozenset({S.IN_PROGRESS, S.CANCELLED, S.EXPIRED})),
        (S.IN_PROGRESS, frozenset({S.COMPLETED, S.FAILED, S.CANCELLED})),
        (S.COMPLETED, frozenset({S.APPEALED})),
        (S.FAILED, frozenset({S.APPEALED})),
        (S.APPEALED, frozenset({S.IN_PROGRESS, S.FAILED})),
        (S.CANCELLED, frozenset[S]()),
        (S.EXPIRED, frozenset[S]()),
    ],
)
"""`appealed` is entered once in the life of a request; `cancelled` and `expired` are left by nothing."""

OPEN: Final = frozenset({S.SUBMITTED, S.VERIFIED, S.IN_PROGRESS, S.APPEALED})
"""States in which something is still to be done."""
