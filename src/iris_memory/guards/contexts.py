"""Contexts: the pseudonyms of each consumer's conversation, and the stamps by which a host names its plugins.

A stamp is made by the guard alone, for a plugin that the host has started; what a plugin says of itself counts for
nothing. Numbers are given out under a lock, so that threads of one conversation never share one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from iris_memory.masking.pseudonyms import Exchange, Pseudonyms

CONTEXTS_MOST: Final = 4_096
"""How many conversations are kept; the one used longest ago is forgotten first, and its numbers begin again."""


class Stamp:
    """Who a call comes from, as the host has stamped it: a token that says nothing, equal to nothing but itself.

    A stamp that no guard made opens nothing, and whoever holds one cannot change whom it stands for.
    """

    __slots__ = ("__weakref__",)


class Seat(NamedTuple):
    """Whom a stamp stands for, and the requests of each capability."""

    caller: str
    conversation: str
    exchanges: dict[str, Exchange]


class Contexts:
    """The pseudonyms of every consumer and conversation, and the exchanges of every stamp."""

    def __init__(self, *, key: bytes) -> None:
        """Start with nobody. `key` keeps what lies beside the numbers."""
        self._key = key
        self._known: OrderedDict[tuple[str, str], Pseudonyms] = OrderedDict()
        self._stamped: WeakKeyDictionary[Stamp, Seat] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self.rendering = threading.RLock()
        """Held while a value is written: numbering is part of it."""

    def exchange(self, consumer: str, conversation: str) -> Exchange:
        """Open one request of a consumer's conversation."""
        name = (consumer, conversation)
        with self._lock:
            known = self._known.get(name)
            if known is None:
                known = Pseudonyms(key=self._key, consumer=consumer, conversation=conversation)
                self._known[name] = known
                while len(self._known) > CONTEXTS_MOST:
                    self._known.popitem(last=False)
            else:
                self._known.move_to_end(name)
        return known.exchange()

    def stamp(self, caller: str, *, conversation: str) -> Stamp:
        """Make the stamp of a plugin that the host has started."""
        made = Stamp()
        with self._lock:
            self._stamped[made] = Seat(caller, conversation, {})
        return made

    def seat(self, stamp: Stamp) -> Seat | None:
        """Return whom a stamp stands for; None for one that was not made here."""
        with self._lock:
            return self._stamped.get(stamp)

    def of_seat(self, seat: Seat, *, capability: str) -> Exchange:
        """Return the exchange of a stamped caller for one capability."""
        known = seat.exchanges.get(capability)
        # the first one in wins: two threads of one plugin get one exchange
        return known or seat.exchanges.setdefault(capability, self.exchange(f"plugin:{seat.caller}", seat.conversation))
