"""Pose measures: the only names that an aggregate of pose samples may carry. Every other word of a sample is dropped.

A name is accepted when each of its parts (split at `_`, `-`, `.` and a space) stands in one of the rows.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final


def _row(words: str) -> frozenset[str]:
    return frozenset(words.split())


PARTS: Final = MappingProxyType(
    {
        "place": _row(
            "ankle arm back body calf chest chin core ear elbow eye finger foot forearm hand head heel hip jaw knee leg"
            " neck nose pelvis shin shoulder spine thigh thumb toe torso trunk waist wrist"
        ),
        "side": _row("left right both upper lower mid centre center front rear l r"),
        "measure": _row(
            "abduction adduction alignment angle balance confidence cadence depth deviation distance duration extension"
            " flexion heading height hold lean length offset pitch range reps roll rotation score seconds speed"
            " stability steps sway symmetry tempo tilt torsion velocity visibility width yaw x y z"
        ),
        "unit": _row("cm deg degrees m mm ms pct percent rad s"),
    }
)

NAMES: Final = frozenset().union(*PARTS.values())
"""Every part of a name that may stand in an aggregate."""

SAMPLES_LEAST: Final = 2
"""Samples below this are no aggregate: with one, mean, least and most are the sample itself."""
