"""Identity levels: how surely it must be known who asks, by what is asked for and how sensitive it is (DSR-5).

What only takes away from what is done with a person's memory is as easy as agreeing to it was (GDPR Art. 7(3)). What
shows or destroys memory needs more, and most where sensitive memory would leave the store. A deletion takes what a
forget at once takes, a fresh sign-in: the way with a grace must not be the harder one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.rights import IdentityLevel as L
from iris_memory.contracts.rights import RightsKind as K
from iris_memory.tables.totality import total


class LevelRow(NamedTuple):
    """The level for ordinary memory and for sensitive memory."""

    ordinary: L
    sensitive: L


LEVELS: Final = total(
    "identity levels",
    K,
    [
        (K.ACCESS, LevelRow(L.STEP_UP, L.TWO_FACTORS)),
        (K.EXPORT, LevelRow(L.TWO_FACTORS, L.DECLARATION)),
        (K.DELETE, LevelRow(L.STEP_UP, L.STEP_UP)),
        (K.RECTIFY, LevelRow(L.SESSION, L.STEP_UP)),
        (K.RESTRICT, LevelRow(L.SESSION, L.SESSION)),
        (K.OBJECT, LevelRow(L.SESSION, L.SESSION)),
        (K.WITHDRAW_CONSENT, LevelRow(L.SESSION, L.SESSION)),
    ],
)

ORDER: Final = tuple(L)
"""Weakest first."""
