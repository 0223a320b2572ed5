"""The hub: events of this process, handed to who listens. Nobody who is slow holds anybody up.

What is kept for readers who come back are ids, codes and counts, for a few minutes, of people who were listened to.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from datetime import datetime

from iris_memory.contracts.events import EventName, MemoryEvent
from iris_memory.tables.bridging import EVENTS_KEPT, EVENTS_LIFETIME, PEOPLE_KEPT, QUEUE_MOST, SUBSCRIBERS_MOST

Name = tuple[str, str | None]
"""Tenant and user; None for everybody of the tenant."""


class Subscription:
    """One listener's queue, bounded: beyond it the oldest event goes and is counted in `missed`."""

    def __init__(self, name: Name, names: Collection[EventName], wake: Callable[[], None] | None) -> None:
        """Listen; use `EventHub.subscribe`."""
        self.name = name
        self.names = frozenset(names)
        self.missed = 0
        self.is_open = True
        self._wake = wake
        self._queue: deque[MemoryEvent] = deque()
        self._lock = threading.Lock()

    def take(self) -> list[MemoryEvent]:
        """Return what happened since the last time, oldest first. It never waits."""
        with self._lock:
            taken = list(self._queue)
            self._queue.clear()
            return taken

    def put(self, event: MemoryEvent) -> None:
        """Queue an event and wake the listener; whatever the listener raises is not the flow's concern."""
        if event.name not in self.names:
            return
        with self._lock:
            if len(self._queue) >= QUEUE_MOST:
                self._queue.popleft()
                self.missed += 1
            self._queue.append(event)
        self.rouse()

    def rouse(self) -> None:
        """Wake the listener."""
        if self._wake is not None:
            try:
                self._wake()
            except Exception:
                self.is_open = False


class EventHub:
    """Who listens in this process, and the last events of people who are listened to. Safe for many threads."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._lock = threading.Lock()
        self._listening: dict[Name, list[Subscription]] = {}
        self._kept: OrderedDict[tuple[str, str], deque[MemoryEvent]] = OrderedDict()

    def subscribe(
        self,
        tenant: str,
        user: str | None = None,
        *,
        names: Collection[EventName] = tuple(EventName),
        after: str | None = None,
        wake: Callable[[], None] | None = None,
    ) -> Subscription:
        """Listen to one person, or to everybody of a tenant. `after` gives first what came after that event.

        An event id that is not kept any more gives everything that is.
        """
        listener = Subscription((tenant, user), names, wake)
        with self._lock:
            others = self._listening.setdefault(listener.name, [])
            while user is not None and len(others) >= SUBSCRIBERS_MOST:
                ended = others.pop(0)
                ended.is_open = False
                ended.rouse()
            others.append(listener)
            if user is None:
                return listener
            kept = self._kept.setdefault((tenant, user), deque(maxlen=EVENTS_KEPT))
            self._kept.move_to_end((tenant, user))
            while len(self._kept) > PEOPLE_KEPT:
                self._kept.popitem(last=False)
            missed = list(kept) if after is not None else []
        ids = [event.event_id for event in missed]
        for event in missed[ids.index(after) + 1 if after in ids else 0 :]:
            listener.put(event)
        return listener

    def unsubscribe(self, listener: Subscription) -> None:
        """Stop listening. Twice is allowed."""
        with self._lock:
            others = self._listening.get(listener.name, [])
            if listener in others:
                others.remove(listener)
            if not others:
                self._listening.pop(listener.name, None)
        listener.is_open = False

    def is_heard(self, tenant: str, user: str) -> bool:
        """Say whether anybody would hear of a person: without, no event is made."""
        return (tenant, user) in self._kept or (tenant, None) in self._listening

    def emit(self, user: str, event: MemoryEvent) -> None:
        """Hand an event of a user to who listens."""
        with self._lock:
            kept = self._kept.get((event.tenant_id, user))
            if kept is not None:
                _let_go(kept, event.at)
                kept.append(event)
            listeners = [
                *self._listening.get((event.tenant_id, user), ()),
                *self._listening.get((event.tenant_id, None), ()),
            ]
        for listener in listeners:
            listener.put(event)

    def kept(self, tenant: str, user: str) -> int:
        """Return how many events of a person are kept."""
        return len(self._kept.get((tenant, user), ()))

    def drop(self, tenant: str, user: str) -> None:
        """Let go of a person's events; who listens goes on listening."""
        with self._lock:
            kept = self._kept.get((tenant, user))
            if kept is not None:
                kept.clear()


def _let_go(kept: deque[MemoryEvent], now: datetime) -> None:
    while kept and now - kept[0].at >= EVENTS_LIFETIME:
        kept.popleft()
