"""Persons' tokens that a service token was exchanged for, as one kind of good tokens."""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import sha256
from typing import Final

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import Holder
from iris_memory.contracts.service_token import PersonToken, ServiceToken
from iris_memory.front.iris import Iris

CACHE_MOST: Final = 10_000
CACHE_SECONDS: Final = 60
"""How long a token is taken on what was found last: within it, a service token that was revoked still counts."""


class PersonTokens:
    """The tokens of persons. Safe for many threads; one that was good is remembered for a minute."""

    def __init__(self, iris: Iris) -> None:
        """Take the store."""
        self._iris = iris
        self._cache: OrderedDict[bytes, tuple[Holder, float]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def for_development(self) -> bool:
        """Say no."""
        return False

    def known(self, token: str) -> Holder | None:
        """Return the holder of a token that was found good within the last minute."""
        mark = sha256(token.encode()).digest()
        with self._lock:
            if mark not in self._cache:
                return None
            holder, until = self._cache[mark]
            if until <= self._iris.instruments.clock.now().timestamp():
                del self._cache[mark]
                return None
            self._cache.move_to_end(mark)
            return holder

    def holder(self, token: str) -> Holder | None:
        """Return who holds a token; None for one that is not good. It reads the store."""
        bound = self._iris.exchange.person(token)
        if bound is None:
            return None
        holder = Holder(
            bound.tenant,
            bound.user,
            consumer=bound.consumer,
            assistant_id=bound.assistant_id,
            issuer=f"service:{bound.service}",
            roles=frozenset({Role.ASSISTANT}),
        )
        until = min(bound.until.timestamp(), self._iris.instruments.clock.now().timestamp() + CACHE_SECONDS)
        with self._lock:
            self._cache[sha256(token.encode()).digest()] = (holder, until)
            while len(self._cache) > CACHE_MOST:
                self._cache.popitem(last=False)
        return holder

    def service(self, secret: str) -> ServiceToken | None:
        """Return the service token of a secret; it opens the exchange and nothing else."""
        return self._iris.exchange.service(secret)

    def issue(self, service: ServiceToken, *, user: str) -> PersonToken:
        """Exchange a service token for a token of one person."""
        return self._iris.exchange.issue(service, user=user)
