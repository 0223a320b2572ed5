"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.contracts.events import EventName

_LISTEN: Final[Operation[bytes]] = Operation("GET", "/v1/events", bytes)


class EventsCalls(Calls):
    """Calls of `events`."""

    def listen(
        self, *, name: tuple[EventName, ...] | Unset | None = UNSET, last_event_id: str | Unset | None = UNSET
    ) -> Iterator[bytes]:
        """Listen to what happens in memory."""
        return self._stream(_LISTEN, query={"name": name}, headers={"last-event-id": last_event_id})


class AsyncEventsCalls(AsyncCalls):
    """Calls of `events`, awaited."""

    def listen(
        self, *, name: tuple[EventName, ...] | Unset | None = UNSET, last_event_id: str | Unset | None = UNSET
    ) -> AsyncIterator[bytes]:
        """Listen to what happens in memory."""
        return self._stream(_LISTEN, query={"name": name}, headers={"last-event-id": last_event_id})
