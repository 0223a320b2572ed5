"""Hearing of erasures: an engine of many processes tells each of them at once what another took out of reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable


@runtime_checkable
class HearsErasures(Protocol):
    """A store that can tell. Nothing rests on it: whoever reads compares versions, and never serves what is gone."""

    def on_erasure(self, heard: Callable[[str, str], None], *, missed: Callable[[], None]) -> bool:
        """Call `heard` with the tenant and the pseudonym of each erasure from now on, on a thread of the store's own.

        `missed` is called when some may not have been heard. False says that this store, opened as it is, cannot tell.
        """
        ...
