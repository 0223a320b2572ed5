"""Consents: after how long each is asked for again (DSR-17), and what its withdrawal does to memory."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from iris_memory.contracts.consent import SENSITIVE_CONSENT_PREFIX
from iris_memory.contracts.consent import ConsentType as T
from iris_memory.tables.totality import total

_YEAR: Final = timedelta(days=365)


class Withdrawing(StrEnum):
    """What the withdrawal of a consent does beside closing the scopes that need it."""

    CLOSES = "closes scopes; memory stays on the disk, unread"
    DELETES_SENSITIVE = "deletes every sensitive memory; every category's own consent ends with it"
    DELETES_INTERACTIONS = "deletes memories about a sensitive interaction with somebody else"


class ConsentRow(NamedTuple):
    """One consent type. `reask_after` counts from the answer that is in force."""

    reask_after: timedelta
    withdrawing: Withdrawing


CONSENTS: Final = total(
    "consents",
    T,
    [
        (T.DATA_PROCESSING, ConsentRow(2 * _YEAR, Withdrawing.CLOSES)),
        (T.DATA_STORAGE, ConsentRow(2 * _YEAR, Withdrawing.CLOSES)),
        (T.SENSITIVE_DATA, ConsentRow(_YEAR, Withdrawing.DELETES_SENSITIVE)),
        (T.PERSONALIZATION, ConsentRow(2 * _YEAR, Withdrawing.CLOSES)),
        (T.CROSS_DOMAIN_SHARING, ConsentRow(_YEAR, Withdrawing.CLOSES)),
        (T.CROSS_DEVICE, ConsentRow(2 * _YEAR, Withdrawing.CLOSES)),
        (T.TENANT_PROCESSING, ConsentRow(_YEAR, Withdrawing.CLOSES)),
        (T.OPERATOR_REVIEW, ConsentRow(_YEAR, Withdrawing.CLOSES)),
        (T.MULTI_ACTOR_SENSITIVE, ConsentRow(_YEAR, Withdrawing.DELETES_INTERACTIONS)),
        (T.MODEL_IMPROVEMENT, ConsentRow(_YEAR, Withdrawing.CLOSES)),
    ],
)
CATEGORY_REASK_AFTER: Final = _YEAR
"""After how long the consent of a sensitive category (`category:<name>`) is asked for again."""


def reask_after(name: str) -> timedelta:
    """Return after how long a consent is asked for again."""
    if name.startswith(SENSITIVE_CONSENT_PREFIX):
        return CATEGORY_REASK_AFTER
    return CONSENTS[T(name)].reask_after
