"""Trust labels: the origins each may claim and the categories it may never set (POI-1, POI-3)."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.category import Category as C
from iris_memory.contracts.entry import Label as L
from iris_memory.contracts.entry import Origin as G
from iris_memory.tables.totality import total


class LabelRow(NamedTuple):
    """`trust` orders the labels: a summary takes the lowest of its sources."""

    trust: int
    origins: frozenset[G]
    barred: frozenset[C]


_IDENTITY_AND_SAFETY = frozenset({C.IDENTITY, C.SAFETY})
_INFERRED = frozenset({G.MODEL_INFERRED, G.SUMMARIZED_FROM_SESSION})

LABELS: Final = total(
    "labels",
    L,
    [
        (
            L.USER_TYPED,
            LabelRow(
                7,
                frozenset({G.USER_STATED, G.USER_CONFIRMED, G.MODEL_INFERRED, G.SUMMARIZED_FROM_SESSION}),
                frozenset(),
            ),
        ),
        (L.USER_PASTED, LabelRow(6, _INFERRED, _IDENTITY_AND_SAFETY)),
        (L.OPERATOR, LabelRow(5, frozenset({G.OPERATOR_COPILOT}), _IDENTITY_AND_SAFETY)),
        (L.ASSISTANT, LabelRow(4, _INFERRED, _IDENTITY_AND_SAFETY)),
        (L.FILE, LabelRow(3, _INFERRED, _IDENTITY_AND_SAFETY)),
        (L.IMPORT, LabelRow(2, frozenset({G.IMPORTED, G.SUMMARIZED_FROM_SESSION}), _IDENTITY_AND_SAFETY)),
        (L.TOOL, LabelRow(1, _INFERRED, _IDENTITY_AND_SAFETY)),
        (L.WEB, LabelRow(0, _INFERRED, _IDENTITY_AND_SAFETY)),
    ],
)


UNTRUSTED_AT_MOST: Final = 3
"""A label with this trust or less (file, import, tool, web) is untrusted: it never wins a conflict."""


def lowest(*labels: L) -> L:
    """Return the label with the least trust."""
    return min(labels, key=lambda label: LABELS[label].trust)
