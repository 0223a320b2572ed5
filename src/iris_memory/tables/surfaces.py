"""Surfaces: how many memories each shows, and whether it shows why."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.category import Surface as S
from iris_memory.tables.totality import total


class SurfaceRow(NamedTuple):
    """`budget` caps the number of hits."""

    budget: int
    shows_rationale: bool


SURFACES: Final = total(
    "surfaces",
    S,
    [
        (S.ASSISTANT, SurfaceRow(12, shows_rationale=True)),
        (S.SHELL, SurfaceRow(3, shows_rationale=False)),
        (S.NOTEBOOK, SurfaceRow(50, shows_rationale=True)),
        (S.ADMIN, SurfaceRow(25, shows_rationale=True)),
    ],
)
