"""Answering: an answer that a contract has written already goes out as it is, and short work waits in a short line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Response
from pydantic import BaseModel

T = TypeVar("T")

SHORT_LINE: Final = 4
"""How many threads do short work at once, apart from the framework's own forty, which long work may hold: a check of a
chain keeps no recall waiting."""


def answer(told: BaseModel) -> Response:
    """Return a contract as a response. It is not checked again: it was checked when it was made."""
    return Response(told.model_dump_json(), media_type="application/json")


class ShortWork:
    """Runs work of about a millisecond off the event loop."""

    def __init__(self) -> None:
        """Start with nobody in line."""
        self._line: CapacityLimiter | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns."""
        if self._line is None:  # a limiter belongs to the loop that runs when it is made
            self._line = CapacityLimiter(SHORT_LINE)
        return await to_thread.run_sync(work, limiter=self._line)
