"""Sessions of the pages: a sealed cookie that says who signed in and when, and nothing about what they may see.

The cookie carries no content and is kept nowhere, so that any process of a deployment can read it: its key is derived
from the deployment's root key. It ends after eight hours, or when the person signs out in this process.
"""

from __future__ import annotations

import base64
import binascii
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import ValidationError

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import Holder
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.shape import Contract, Identifier, Instant, Unordered

COOKIE: Final = "__Host-iris"
"""The prefix binds the cookie to this host, this path and a secure origin (RFC 6265bis §4.1.3.2)."""

LASTS: Final = timedelta(hours=8)
_NONCE_LENGTH: Final = 12
_COOKIE_MOST: Final = 3_000
_ENDED_MOST: Final = 100_000
_BOUND: Final = b"iris-session-1"


class Session(Contract):
    """Who signed in."""

    session_id: Identifier
    tenant: Identifier
    user: Identifier
    consumer: Consumer = Consumer.ASSISTANT
    issuer: str = ""
    roles: Annotated[frozenset[Role], *Unordered] = frozenset({Role.CUSTOMER})
    signed_in_at: Instant
    ends_at: Instant
    for_development: bool = False

    def holder(self) -> Holder:
        """Return the session as what a credential is everywhere."""
        return Holder(
            tenant=self.tenant,
            user=self.user,
            consumer=self.consumer,
            may_audit=Role.AUDITOR in self.roles,
            issuer=self.issuer,
            roles=self.roles,
            signed_in_at=self.signed_in_at,
        )


class Sessions:
    """Makes and reads the cookies of a deployment. Safe for many threads."""

    def __init__(self, key: bytes, now: Callable[[], datetime]) -> None:
        """Take a key of 32 bytes and the clock."""
        self._cipher = AESGCM(key)
        self._now = now
        self._ended: OrderedDict[str, datetime] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, holder: Holder, *, signed_in_at: datetime, for_development: bool = False) -> str:
        """Return the cookie of somebody who signed in."""
        session = Session(
            session_id=secrets.token_urlsafe(16),
            tenant=holder.tenant,
            user=holder.user,
            consumer=holder.consumer,
            issuer=holder.issuer,
            roles=holder.roles,
            signed_in_at=signed_in_at,
            ends_at=self._now() + LASTS,
            for_development=for_development,
        )
        nonce = secrets.token_bytes(_NONCE_LENGTH)
        sealed = nonce + self._cipher.encrypt(nonce, session.model_dump_json().encode(), _BOUND)
        return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()

    def read(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None for one that is not good, is over, or was signed out here."""
        if len(cookie) > _COOKIE_MOST:
            return None
        try:
            sealed = base64.urlsafe_b64decode(cookie + "=" * (-len(cookie) % 4))
            plain = self._cipher.decrypt(sealed[:_NONCE_LENGTH], sealed[_NONCE_LENGTH:], _BOUND)
            session = Session.model_validate_json(plain)
        except (binascii.Error, ValueError, InvalidTag, ValidationError):
            return None
        with self._lock:
            is_ended = session.session_id in self._ended
        return None if is_ended or session.ends_at <= self._now() else session

    def end(self, session: Session) -> None:
        """Sign out: the cookie is not good any more in this process; the browser is told to drop it."""
        with self._lock:
            self._ended[session.session_id] = session.ends_at
            while len(self._ended) > _ENDED_MOST:
                self._ended.popitem(last=False)


def set_cookie(value: str) -> str:
    """Return the `Set-Cookie` header of a session; with an empty value, the one that drops it."""
    age = int(LASTS.total_seconds()) if value else 0
    return f"{COOKIE}={value}; Max-Age={age}; Path=/; Secure; HttpOnly; SameSite=Lax"
