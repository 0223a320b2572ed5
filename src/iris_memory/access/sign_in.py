"""Sign-in through an OpenID provider: authorization code with PKCE (RFC 6749, RFC 7636, OpenID Connect Core 1.0).

What is remembered between leaving and coming back is sealed in a short-lived cookie: the state that binds the answer to
this browser, the nonce that binds the ID token to this request, the verifier that binds the code to us.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import ValidationError

from iris_memory.access.issuers import Issuer
from iris_memory.access.keysets import FETCH_MOST, FETCH_SECONDS, Fetch
from iris_memory.access.signed_tokens import IssuedTokens, TokenRefusedError
from iris_memory.access.tokens import Holder
from iris_memory.contracts.shape import Contract, Instant

COOKIE: Final = "__Host-iris-sign-in"
LASTS: Final = timedelta(minutes=10)
_NONCE_LENGTH: Final = 12
_BOUND: Final = b"iris-sign-in-1"


class SignInError(ValueError):
    """A sign-in did not come to its end. Carries a code, never what the provider sent."""


class Pending(Contract):
    """A sign-in that is under way in one browser."""

    issuer: str
    state: str
    nonce: str
    verifier: str
    back: str
    ends_at: Instant


@dataclass(frozen=True, slots=True)
class Leaving:
    """Where to send the browser, and the cookie it takes along."""

    location: str
    cookie: str


Post = Callable[[str, Mapping[str, str]], bytes]
"""Sends a form and returns the body of the answer; raises `OSError` where there is none."""


class SignIn:
    """Sends people to their provider and takes them back. Safe for many threads."""

    def __init__(
        self,
        issuers: Mapping[str, Issuer],
        tokens: IssuedTokens,
        *,
        key: bytes,
        now: Callable[[], datetime],
        fetch: Fetch,
        post: Post,
        secrets_of: Mapping[str, str],
    ) -> None:
        """Take the issuers, how their tokens are checked, a key of 32 bytes for cookies, the clock, and two ways out.

        `secrets_of` holds the client secret of each issuer that wants one, by the issuer's name.
        """
        self._issuers = {name: row for name, row in issuers.items() if row.client_id is not None}
        self._tokens = tokens
        self._cipher = AESGCM(key)
        self._now = now
        self._fetch = fetch
        self._post = post
        self._secrets_of = secrets_of

    @property
    def names(self) -> tuple[str, ...]:
        """The issuers people can sign in with."""
        return tuple(self._issuers)

    def leave(self, issuer: str, *, redirect: str, back: str, fresh: bool = False) -> Leaving:
        """Return where a browser goes to sign in. With `fresh`, the provider is told to ask again (`max_age=0`).

        Args:
            issuer: the name of the issuer.
            redirect: our own address that the provider sends the browser back to.
            back: the path of the page to show afterwards.
            fresh: for an act that needs a sign-in of the last five minutes.

        Raises:
            SignInError: there is no such issuer, or it cannot be asked where people sign in.
        """
        row = self._row(issuer)
        told = self._configuration(row)
        pending = Pending(
            issuer=issuer,
            state=secrets.token_urlsafe(24),
            nonce=secrets.token_urlsafe(24),
            verifier=secrets.token_urlsafe(48),
            back=own_path(back),
            ends_at=self._now() + LASTS,
        )
        challenge = base64.urlsafe_b64encode(sha256(pending.verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": row.client_id or "",
            "redirect_uri": redirect,
            "scope": "openid",
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        if fresh:
            asked["max_age"] = "0"
        joint = "&" if "?" in told["authorization_endpoint"] else "?"
        return Leaving(told["authorization_endpoint"] + joint + urlencode(asked), self._sealed(pending))

    def come_back(self, cookie: str, *, state: str, code: str, redirect: str) -> tuple[Holder, datetime, str]:
        """Return who signed in, when, and the path to go on with.

        Raises:
            SignInError: the answer is not to what this browser asked, or the provider's token is not good.
        """
        pending = self._opened(cookie)
        if pending is None or pending.ends_at <= self._now():
            raise SignInError("not-under-way")
        if not hmac.compare_digest(pending.state, state):
            raise SignInError("another-browser")
        row = self._row(pending.issuer)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "client_id": row.client_id or "",
            "code_verifier": pending.verifier,
        }
        secret = self._secrets_of.get(row.issuer)
        if secret is not None:
            form["client_secret"] = secret
        try:
            token = json.loads(self._post(self._configuration(row)["token_endpoint"], form))["id_token"]
            holder, nonce = self._tokens.check_sign_in(str(token), row)
        except (OSError, ValueError, KeyError, TypeError, TokenRefusedError):
            raise SignInError("not-signed-in") from None
        if nonce is None or not hmac.compare_digest(nonce, pending.nonce):
            raise SignInError("another-request")
        return holder, holder.signed_in_at or self._now(), pending.back

    def _row(self, issuer: str) -> Issuer:
        row = self._issuers.get(issuer)
        if row is None:
            raise SignInError("no-such-issuer")
        return row

    def _configuration(self, row: Issuer) -> dict[str, str]:
        try:
            told: Any = json.loads(self._fetch(row.issuer.rstrip("/") + "/.well-known/openid-configuration"))
            if told["issuer"] != row.issuer:
                raise SignInError("another-issuer")
            places = {name: str(told[name]) for name in ("authorization_endpoint", "token_endpoint")}
        except (OSError, ValueError, KeyError, TypeError):
            raise SignInError("no-configuration") from None
        plain = urlsplit(row.issuer)
        for place in places.values():
            parts = urlsplit(place)
            if parts.scheme != "https" and (parts.scheme, parts.hostname) != (plain.scheme, plain.hostname):
                raise SignInError("unsafe-address")
        return places

    def _sealed(self, pending: Pending) -> str:
        nonce = secrets.token_bytes(_NONCE_LENGTH)
        sealed = nonce + self._cipher.encrypt(nonce, pending.model_dump_json().encode(), _BOUND)
        return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()

    def _opened(self, cookie: str) -> Pending | None:
        try:
            sealed = base64.urlsafe_b64decode(cookie + "=" * (-len(cookie) % 4))
            plain = self._cipher.decrypt(sealed[:_NONCE_LENGTH], sealed[_NONCE_LENGTH:], _BOUND)
            return Pending.model_validate_json(plain)
        except (ValueError, InvalidTag, ValidationError):
            return None


def own_path(path: str) -> str:
    """Return a path of this site to go back to; what could lead elsewhere becomes the first page."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if is_own and len(path) <= 500 else "/"


def set_cookie(value: str) -> str:
    """Return the `Set-Cookie` header of a sign-in under way; with an empty value, the one that drops it.

    The provider sends the browser back from another site, and `Lax` lets the cookie ride on that.
    """
    age = int(LASTS.total_seconds()) if value else 0
    return f"{COOKIE}={value}; Max-Age={age}; Path=/; Secure; HttpOnly; SameSite=Lax"


def post(address: str, form: Mapping[str, str]) -> bytes:
    """Send a form; at most 256 KiB come back, in at most five seconds, and no redirect is followed.

    Raises:
        OSError: there is no good answer.
    """
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=FETCH_SECONDS)
    try:
        connection.request(
            "POST",
            parts.path or "/",
            body=urlencode(form),
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
        )
        answer = connection.getresponse()
        body = answer.read(FETCH_MOST + 1)
    except HTTPException:
        raise OSError("the answer is no HTTP") from None
    finally:
        connection.close()
    if answer.status != 200 or len(body) > FETCH_MOST:
        raise OSError("the answer is not what was asked for")
    return body
