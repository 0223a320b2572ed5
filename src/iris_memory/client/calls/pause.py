"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.pause import Pause, PauseBody, Pauses, Resumed

_LIST_PAUSES: Final[Operation[Pauses]] = Operation("GET", "/v1/pause", Pauses)
_PAUSE: Final[Operation[Pause]] = Operation("POST", "/v1/pause", Pause)
_RESUME: Final[Operation[Resumed]] = Operation("DELETE", "/v1/pause", Resumed)


class PauseCalls(Calls):
    """Calls of `pause`."""

    def list_pauses(self) -> Pauses:
        """List what is off the record."""
        return self._call(_LIST_PAUSES)

    def pause(self, *, session_id: str | Unset | None = UNSET) -> Pause:
        """Go off the record."""
        return self._call(_PAUSE, body=PauseBody.of(session_id=session_id))

    def resume(self, *, session_id: str | Unset | None = UNSET) -> Resumed:
        """Go back on the record."""
        return self._call(_RESUME, query={"session_id": session_id})


class AsyncPauseCalls(AsyncCalls):
    """Calls of `pause`, awaited."""

    async def list_pauses(self) -> Pauses:
        """List what is off the record."""
        return await self._call(_LIST_PAUSES)

    async def pause(self, *, session_id: str | Unset | None = UNSET) -> Pause:
        """Go off the record."""
        return await self._call(_PAUSE, body=PauseBody.of(session_id=session_id))

    async def resume(self, *, session_id: str | Unset | None = UNSET) -> Resumed:
        """Go back on the record."""
        return await self._call(_RESUME, query={"session_id": session_id})
