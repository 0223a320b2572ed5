"""Tokens: who a bearer token stands for. Nothing else of a request says whose memory it is about."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final, Protocol

from iris_memory.access.issuers import Role
from iris_memory.contracts.category import Consumer

_PREFIX: Final = "iris_dev_"
_BEARER: Final = re.compile(rb"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]{1,4096}=*)")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a token: one person of one tenant, and the consumer that asks for them.

    `may_audit` lets the holder check and export the tenant's audit chain, which tells of everybody in the tenant under
    pseudonyms. `signed_in_at` is when the person last proved who they are (`auth_time`), where the issuer says so: it,
    and no wish of a request, is what a step-up looks at (RFC 9470, AUT-10).
    """

    tenant: str
    user: str
    consumer: Consumer = Consumer.ASSISTANT
    assistant_id: str | None = None
    may_audit: bool = False
    issuer: str = ""
    roles: frozenset[Role] = frozenset({Role.CUSTOMER})
    signed_in_at: datetime | None = None
    always_fresh: bool = False
    """Set for development tokens alone: they stand for whoever sits at this machine."""


class Tokens(Protocol):
    """Knows which tokens are good."""

    @property
    def for_development(self) -> bool:
        """Whether these tokens are fit for nothing but a machine's own loopback."""
        ...

    def known(self, token: str) -> Holder | None:
        """Return who holds a token where that is known at once, from memory alone; None says nothing of the token."""
        ...

    def holder(self, token: str) -> Holder | None:
        """Return who holds a token; None for every token that is not good, whatever is wrong with it.

        It may wait for a store or an issuer, so it is called where waiting holds nobody up.
        """
        ...


class DevelopmentTokens:
    """Random tokens that live and end with this object. Only their digests are kept."""

    def __init__(self) -> None:
        """Start with no token."""
        self._holders: dict[bytes, Holder] = {}

    @property
    def for_development(self) -> bool:
        """Say yes."""
        return True

    def mint(self, holder: Holder) -> str:
        """Return a new token for a holder."""
        token = _PREFIX + secrets.token_urlsafe(32)
        self._holders[_digest(token)] = holder
        return token

    def known(self, token: str) -> Holder | None:
        """Return who holds a token: everything about these is in memory."""
        return self.holder(token)

    def holder(self, token: str) -> Holder | None:
        """Return who holds a token. Every known digest is compared, each in constant time."""
        asked, found = _digest(token), None
        for known, holder in self._holders.items():
            if hmac.compare_digest(known, asked):
                found = holder
        return found


class EveryToken:
    """Tokens of several kinds: good is what one kind calls good."""

    def __init__(self, *kinds: Tokens) -> None:
        """Take the kinds, in the order in which they are asked."""
        self._kinds = kinds

    @property
    def for_development(self) -> bool:
        """Whether one of the kinds is fit for a machine's own loopback alone."""
        return any(kind.for_development for kind in self._kinds)

    def known(self, token: str) -> Holder | None:
        """Return who holds a token where one kind knows it at once."""
        return next((holder for kind in self._kinds if (holder := kind.known(token)) is not None), None)

    def holder(self, token: str) -> Holder | None:
        """Return who holds a token."""
        return next((holder for kind in self._kinds if (holder := kind.holder(token)) is not None), None)


def bearer_token(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the token of a request's one `Authorization: Bearer` header (RFC 6750 §2.1); None where there is none."""
    given = [value for name, value in headers if name == b"authorization"]
    match = _BEARER.fullmatch(given[0].strip()) if len(given) == 1 else None
    return match.group(1).decode("ascii") if match else None


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
