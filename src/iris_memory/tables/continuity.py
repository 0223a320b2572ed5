"""Continuity: which units a surface counts its place in, which postures it knows, and how far a place can be."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple

from iris_memory.contracts.continuity import ContinuitySurface as S
from iris_memory.contracts.continuity import PositionUnit as U
from iris_memory.contracts.continuity import Posture as P
from iris_memory.tables.totality import total

CONFLICT_WINDOW: Final = timedelta(seconds=5)
"""Two writes of one thing from different devices within this are a conflict: the other device is told."""

TOKEN_LIFETIME: Final = timedelta(days=30)
"""How long a place is kept after it was last written."""

KEY_LIFETIME: Final = timedelta(days=1)
"""How long the answer of a checkpoint's idempotency key is kept."""

NOTICE_LIFETIME: Final = timedelta(days=7)
"""How long a notice waits for its device."""

TOKENS_MOST: Final = 100
"""Places per person; the one that was not written for longest goes first."""

NOTICES_MOST: Final = 50
"""Notices per device; the oldest goes first."""

DEVICES_MOST: Final = 20
"""Devices per person; one more is refused until another is removed."""

WORDS_TOO_MANY: Final = 5
"""Parts of letters alone in one reference from which on it reads like words."""

RECENT: Final = 5
RECENT_MOST: Final = 50


class SurfaceRow(NamedTuple):
    """`units` a place is counted in, each with the farthest it can be; `postures` that make sense there."""

    units: dict[U, int]
    postures: frozenset[P]


_DAY_MS: Final = 24 * 60 * 60 * 1000
_FAR: Final = 1_000_000
_STILL: Final = frozenset({P.PAUSED, P.IDLE})

CONTINUITY: Final = total(
    "continuity",
    S,
    [
        (S.READING, SurfaceRow({U.PARAGRAPH: _FAR, U.PAGE: _FAR}, _STILL | {P.READING})),
        (S.STUDY, SurfaceRow({U.STEP: _FAR, U.PAGE: _FAR, U.PARAGRAPH: _FAR}, _STILL | {P.READING, P.WRITING})),
        (S.VOICE, SurfaceRow({U.MS: _DAY_MS, U.TURN: _FAR}, _STILL | {P.PLAYING, P.LISTENING})),
        (S.RITUAL, SurfaceRow({U.STEP: _FAR, U.MS: _DAY_MS}, _STILL | {P.PLAYING, P.LISTENING, P.READING})),
        (S.JOURNALING, SurfaceRow({U.PARAGRAPH: _FAR, U.PAGE: _FAR}, _STILL | {P.WRITING, P.READING})),
        (S.TRANSCRIPT, SurfaceRow({U.TURN: _FAR, U.MS: _DAY_MS}, _STILL | {P.READING, P.LISTENING, P.PLAYING})),
        (S.LIVING_SCENE, SurfaceRow({U.MS: _DAY_MS, U.STEP: _FAR}, _STILL | {P.PLAYING, P.LISTENING})),
    ],
)
