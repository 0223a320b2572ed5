"""Origins: the weight of each in a score, and its authority in a conflict."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from iris_memory.contracts.entry import Origin as G
from iris_memory.tables.totality import total


class SourceKind(StrEnum):
    """What a conflict compares: the kind of source behind an assertion."""

    EXPLICIT_USER = "explicit_user"
    USER_CONFIRMED = "user_confirmed"
    MODEL_INFERRED = "model_inferred"
    SUMMARIZED = "summarized"
    IMPORTED = "imported"
    ADMIN_COPILOT_INFERRED = "admin_copilot_inferred"


class OriginRow(NamedTuple):
    """`weight` in millionths; `authority` from 0 to 3; `own_words` where the person said it themselves."""

    weight: int
    authority: int
    source: SourceKind
    own_words: bool


ORIGINS: Final = total(
    "origins",
    G,
    [
        (G.USER_STATED, OriginRow(1_000_000, 3, SourceKind.EXPLICIT_USER, own_words=True)),
        (G.USER_CONFIRMED, OriginRow(900_000, 2, SourceKind.USER_CONFIRMED, own_words=True)),
        (G.SUMMARIZED_FROM_SESSION, OriginRow(750_000, 1, SourceKind.SUMMARIZED, own_words=False)),
        (G.IMPORTED, OriginRow(700_000, 1, SourceKind.IMPORTED, own_words=False)),
        (G.MODEL_INFERRED, OriginRow(500_000, 1, SourceKind.MODEL_INFERRED, own_words=False)),
        (G.OPERATOR_COPILOT, OriginRow(400_000, 0, SourceKind.ADMIN_COPILOT_INFERRED, own_words=False)),
    ],
)

INFERRED_AT_MOST: Final = 1
"""An origin with this authority or less is inferred."""
