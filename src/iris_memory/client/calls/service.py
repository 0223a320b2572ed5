"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shapes.service import Health

_HEALTH: Final[Operation[Health]] = Operation("GET", "/health", Health)
_READY: Final[Operation[Health]] = Operation("GET", "/ready", Health)


class ServiceCalls(Calls):
    """Calls of `service`."""

    def health(self) -> Health:
        """Say that the process answers."""
        return self._call(_HEALTH)

    def ready(self) -> Health:
        """Say that the store answers."""
        return self._call(_READY)


class AsyncServiceCalls(AsyncCalls):
    """Calls of `service`, awaited."""

    async def health(self) -> Health:
        """Say that the process answers."""
        return await self._call(_HEALTH)

    async def ready(self) -> Health:
        """Say that the store answers."""
        return await self._call(_READY)
