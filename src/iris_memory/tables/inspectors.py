"""Inspectors: how an inspection moves, which role may look by which path, and how long things last."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple

from iris_memory.contracts.category import Context as X
from iris_memory.contracts.inspection import InspectionPath as P
from iris_memory.contracts.inspection import InspectionReason as W
from iris_memory.contracts.inspection import InspectionState as S
from iris_memory.contracts.inspection import OperatorRole as R
from iris_memory.tables.totality import total

_DECIDED: Final = frozenset({S.GRANTED, S.DENIED})

TRANSITIONS: Final = total(
    "inspection transitions",
    S,
    [
        (S.REQUESTED, frozenset({S.DSAR_FULFILLMENT, S.INCIDENT_ESCALATION, S.ROUTINE_REVIEW})),
        (S.DSAR_FULFILLMENT, _DECIDED),
        (S.INCIDENT_ESCALATION, _DECIDED),
        (S.ROUTINE_REVIEW, _DECIDED),
        (S.GRANTED, frozenset({S.CLOSED})),
        (S.DENIED, frozenset[S]()),
        (S.CLOSED, frozenset[S]()),
    ],
)
"""There is no way back, and nothing leaves `denied` or `closed`."""

WAITING: Final = frozenset(S(path) for path in P)
"""States in which somebody else's word is waited for."""


class InspectorRow(NamedTuple):
    """By which paths a role may look at ordinary and at sensitive memory, and whether it may approve others."""

    ordinary: frozenset[P]
    sensitive: frozenset[P]
    approves: bool


INSPECTORS: Final = total(
    "inspectors",
    R,
    [
        (R.SUPPORT, InspectorRow(frozenset({P.ROUTINE_REVIEW}), frozenset(), approves=False)),
        (R.ADMIN, InspectorRow(frozenset({P.ROUTINE_REVIEW, P.INCIDENT_ESCALATION}), frozenset(), approves=True)),
        (R.LEGAL, InspectorRow(frozenset(P), frozenset({P.DSAR_FULFILLMENT}), approves=True)),
        (
            R.TRUST_AND_SAFETY,
            InspectorRow(
                frozenset({P.INCIDENT_ESCALATION, P.ROUTINE_REVIEW}),
                frozenset({P.INCIDENT_ESCALATION}),
                approves=True,
            ),
        ),
    ],
)

APPROVERS: Final = tuple(role for role, row in INSPECTORS.items() if row.approves)

REASONS: Final = total(
    "inspection reasons",
    W,
    [
        (W.DATA_SUBJECT_REQUEST, P.DSAR_FULFILLMENT),
        (W.SAFETY_INCIDENT, P.INCIDENT_ESCALATION),
        (W.SECURITY_INCIDENT, P.INCIDENT_ESCALATION),
        (W.ABUSE_REPORT, P.INCIDENT_ESCALATION),
        (W.SUPPORT_CASE, P.ROUTINE_REVIEW),
        (W.QUALITY_REVIEW, P.ROUTINE_REVIEW),
    ],
)
"""The path each reason fits."""

PATH_CONTEXTS: Final = total(
    "inspection contexts",
    P,
    [
        (P.DSAR_FULFILLMENT, frozenset(X)),
        (P.INCIDENT_ESCALATION, frozenset({X.GENERAL, X.SAFETY, X.CRISIS})),
        (P.ROUTINE_REVIEW, frozenset({X.GENERAL})),
    ],
)
"""The contexts that a grant by a path asserts where sensitive memory is gated."""

GRANT_MINUTES: Final = 60
GRANT_MINUTES_MOST: Final = 24 * 60
"""A grant ends by itself after this many minutes, and never lasts longer than the ceiling."""

CLOCK_SKEW: Final = timedelta(minutes=1)
"""How far apart the clocks of two processes may be. A clock further behind a grant has stepped back: it is over."""

ANSWER_WITHIN: Final = timedelta(days=7)
"""A request nobody approved by then is denied."""

SENSITIVE_APPROVERS: Final = 2
"""Two people open sensitive memory, beside the one who asked."""

NOTICE_WINDOW: Final = timedelta(hours=72)
"""A person is told of a look at sensitive memory within this time of the first read."""

REVIEW_WITHIN: Final = timedelta(hours=72)
"""A look that nobody approved is reviewed within this time."""

CARVE_OUT_MOST: Final = timedelta(days=90)
"""The longest a person is told later; renewals count from when the first was placed."""

INCIDENT_LIFETIME_MOST: Final = timedelta(days=30)
"""A signed incident reference that claims to live longer is none."""

PAGE_MOST: Final = 200
"""Memories in one read."""

PACE_WINDOW: Final = timedelta(minutes=10)
PACE_MOST: Final = 2_000
"""One operator reads up to this many memories in a window, over all grants of a tenant."""
