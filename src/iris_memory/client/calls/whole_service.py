"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shapes.whole_service import Health

_HEALTH: Final[Operation[Health]] = Operation("GET", "/health", Health)
_READY: Final[Operation[Health]] = Operation("GET", "/ready", Health)


class WholeServiceCalls(Calls):
    """Calls of `whole_service`."""

    def health(self) -> Health:
        """Say that the process answers."""
        return self._call(_HEALTH)

    def ready(self) -> Health:
        """Say that the store answers."""
        return self._call(_READY)


class AsyncWholeServiceCalls(AsyncCalls):
    """Calls of `whole_service`, awaited."""

    async def health(self) -> Health:
        """Say that the process answers."""
        return await self._call(_HEALTH)

    async def ready(self) -> Health:
        """Say that the store answers."""
        return await self._call(_READY)
