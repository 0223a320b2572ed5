"""Consumers: the contexts each may assert. A request's contexts are cut to its consumer's row."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.category import Consumer as U
from iris_memory.contracts.category import Context as X
from iris_memory.tables.totality import total

CONSUMER_CONTEXTS: Final = total(
    "consumers",
    U,
    [
        (U.ASSISTANT, frozenset(X)),
        (U.TARA, frozenset({X.GENERAL, X.HEALTH, X.SAFETY, X.CRISIS, X.RELATIONSHIP})),
        (U.ARETE, frozenset({X.GENERAL, X.WORK, X.IDENTITY, X.RELATIONSHIP})),
        (U.VERITAS, frozenset({X.GENERAL, X.WORK, X.FINANCIAL, X.LEGAL})),
        (U.NYX, frozenset({X.GENERAL, X.SPIRITUAL, X.IDENTITY, X.RELATIONSHIP})),
        (U.NISABA, frozenset({X.GENERAL, X.WORK})),
        (U.METIS, frozenset({X.GENERAL, X.WORK})),
        (U.STUDIO, frozenset({X.GENERAL, X.WORK})),
        (U.ADMIN, frozenset({X.GENERAL, X.SAFETY, X.CRISIS})),
        (U.SUPPORT, frozenset({X.GENERAL})),
    ],
)
