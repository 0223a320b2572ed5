"""Categories: which are sensitive, and in which contexts each may surface."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.category import Category as C
from iris_memory.contracts.category import Context as X
from iris_memory.tables.totality import total


class CategoryRow(NamedTuple):
    """A category's policy. `contexts` matters only where it is sensitive."""

    sensitive: bool
    contexts: frozenset[X]


_PLAIN = CategoryRow(sensitive=False, contexts=frozenset())


def _sensitive(*contexts: X) -> CategoryRow:
    return CategoryRow(sensitive=True, contexts=frozenset(contexts))


CATEGORIES: Final = total(
    "categories",
    C,
    [
        (C.FACT, _PLAIN),
        (C.PREFERENCE, _PLAIN),
        (C.GOAL, _PLAIN),
        (C.RELATIONSHIP, _PLAIN),
        (C.COMMITMENT, _PLAIN),
        (C.IDENTITY, _PLAIN),
        (C.SPATIAL, _PLAIN),
        (C.WORK, _PLAIN),
        (C.FAMILY, _PLAIN),
        (C.OTHER, _PLAIN),
        (C.MEDICAL, _sensitive(X.HEALTH, X.SAFETY, X.CRISIS)),
        (C.PHYSICAL_HEALTH, _sensitive(X.HEALTH, X.SAFETY, X.CRISIS)),
        (C.MENTAL_HEALTH, _sensitive(X.HEALTH, X.SAFETY, X.CRISIS)),
        (C.SUBSTANCE_USE, _sensitive(X.HEALTH, X.SAFETY, X.CRISIS)),
        (C.BIOMETRIC, _sensitive(X.HEALTH, X.SAFETY, X.CRISIS)),
        (C.POSE_ALIGNMENT, _sensitive(X.HEALTH, X.SAFETY, X.CRISIS)),
        (C.SEXUAL, _sensitive(X.IDENTITY, X.SAFETY, X.CRISIS)),
        (C.SEXUALITY, _sensitive(X.IDENTITY, X.SAFETY, X.CRISIS)),
        (C.GENDER_IDENTITY, _sensitive(X.IDENTITY, X.SAFETY, X.CRISIS)),
        (C.SPIRITUAL, _sensitive(X.SPIRITUAL)),
        (C.RELIGION_USER_REDACTED, _sensitive(X.SPIRITUAL)),
        (C.FINANCIAL, _sensitive(X.FINANCIAL, X.SAFETY, X.CRISIS)),
        (C.FINANCIAL_DISTRESS, _sensitive(X.FINANCIAL, X.SAFETY, X.CRISIS)),
        (C.LEGAL, _sensitive(X.LEGAL, X.SAFETY, X.CRISIS)),
        (C.LEGAL_JEOPARDY, _sensitive(X.LEGAL, X.SAFETY, X.CRISIS)),
        (C.IMMIGRATION_STATUS, _sensitive(X.LEGAL, X.SAFETY, X.CRISIS)),
        (C.ABUSE_HISTORY, _sensitive(X.RELATIONSHIP, X.SAFETY, X.CRISIS)),
        (C.RELATIONSHIP_VIOLENCE, _sensitive(X.RELATIONSHIP, X.SAFETY, X.CRISIS)),
        (C.SAFETY, _sensitive(X.SAFETY, X.CRISIS)),
    ],
)

SENSITIVE_CATEGORIES: Final = frozenset(category for category, row in CATEGORIES.items() if row.sensitive)
"""The 19 categories that take the sensitive path."""

MULTI_ACTOR_CONTEXTS: Final = frozenset({X.RELATIONSHIP, X.SAFETY, X.CRISIS})
"""Where an entry about a sensitive interaction with somebody else may surface, beside its category's own rule."""

SAFETY_CRITICAL: Final = frozenset({C.SAFETY})
"""What alone may surface in a crisis frame, and on the admin surface without a data-rights request."""


def is_sensitive(category: C) -> bool:
    """Say whether a category takes the sensitive path."""
    return CATEGORIES[category].sensitive
