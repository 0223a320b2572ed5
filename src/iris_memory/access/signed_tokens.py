"""Signed tokens: the one place where a JWT becomes a holder, or does not (RFC 7519, RFC 8725, RFC 9068; AUT-11).

Everything about a token is fixed by its issuer's row before a signature is looked at: the algorithms, the type, the
audience. A token says which key of the issuer signed it and nothing else about how it is to be checked.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from joserfc import jws
from joserfc.errors import JoseError
from pydantic import TypeAdapter, ValidationError

from iris_memory.access.issuers import Issuer, Role
from iris_memory.access.keysets import Key, KeySets
from iris_memory.access.tokens import Holder
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.shape import Identifier

TOKEN_MOST: Final = 8_192
CACHE_MOST: Final = 10_000
CACHE_SECONDS: Final = 60
"""How long a token is taken on what was found last: within it, a key that was withdrawn still counts."""

_PARTS: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+")
_HEADER_NAMES: Final = frozenset({"alg", "kid", "typ"})
_IDENTIFIER: Final[TypeAdapter[str]] = TypeAdapter(Identifier)
_LAST: Final = 253_402_300_799
"""The last second of the year 9999."""

FindKey = Callable[[str | None, str], Key | None]
"""Returns the key of an id that fits an algorithm."""


class TokenRefusedError(ValueError):
    """A token is not good. Carries a code for the operator's counters; a caller is told nothing but that."""


def verified_payload(
    token: str, find_key: FindKey, *, algorithms: frozenset[str], types: frozenset[str] | None
) -> bytes:
    """Return the payload of a compact JWS (RFC 7515 §3.1) that one key signed.

    Args:
        token: the three parts.
        find_key: finds the key.
        algorithms: what may have signed it.
        types: the values of `typ` that are good, in lower case; None where it is not looked at.

    Raises:
        TokenRefusedError: it is malformed, asks for what is not allowed, or is not signed by such a key.
    """
    if len(token) > TOKEN_MOST or not _PARTS.fullmatch(token):
        raise TokenRefusedError("malformed")
    header = _object(_decoded(token.partition(".")[0]))
    if not header.keys() <= _HEADER_NAMES:
        raise TokenRefusedError(
            "header"
        )  # jwk, jku, x5c, x5u, crit, b64, zip, cty: a token does not say how to check it
    algorithm, key_id, kind = header.get("alg"), header.get("kid"), header.get("typ", "jwt")
    if not isinstance(algorithm, str) or algorithm not in algorithms:
        raise TokenRefusedError("algorithm")
    if types is not None and (not isinstance(kind, str) or kind.lower().removeprefix("application/") not in types):
        raise TokenRefusedError("type")
    if key_id is not None and not isinstance(key_id, str):
        raise TokenRefusedError("key")
    key = find_key(key_id, algorithm)
    if key is None:
        raise TokenRefusedError("key")
    try:
        return jws.deserialize_compact(token, key, algorithms=[algorithm]).payload
    except (JoseError, ValueError, TypeError):
        raise TokenRefusedError("signature") from None


@dataclass(frozen=True, slots=True)
class _Cached:
    holder: Holder
    until: float


class IssuedTokens:
    """The tokens of known issuers. Safe for many threads; a token that was good is remembered for a minute."""

    def __init__(self, issuers: Mapping[str, Issuer], keys: KeySets, now: Callable[[], datetime]) -> None:
        """Take the issuers by name, their keys, and the clock."""
        self._issuers = issuers
        self._keys = keys
        self._now = now
        self._cache: OrderedDict[bytes, _Cached] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def for_development(self) -> bool:
        """Say no."""
        return False

    def known(self, token: str) -> Holder | None:
        """Return the holder of a token that was found good within the last minute; it reads nothing but memory."""
        mark = _mark(token)
        with self._lock:
            cached = self._cache.get(mark)
            if cached is None:
                return None
            if cached.until <= self._now().timestamp():
                del self._cache[mark]
                return None
            self._cache.move_to_end(mark)
            return cached.holder

    def holder(self, token: str) -> Holder | None:
        """Return who holds a token; None for one that is not good. It may fetch the issuer's keys."""
        found = self.known(token)
        if found is not None:
            return found
        try:
            holder, expires = self.check(token)
        except TokenRefusedError:
            return None
        until = min(expires, int(self._now().timestamp()) + CACHE_SECONDS)
        with self._lock:
            self._cache[_mark(token)] = _Cached(holder, until)
            while len(self._cache) > CACHE_MOST:
                self._cache.popitem(last=False)
        return holder

    def check(self, token: str) -> tuple[Holder, int]:
        """Return the holder of a token and when it ends (seconds since the epoch).

        Raises:
            TokenRefusedError: it is not good.
        """
        if len(token) > TOKEN_MOST or not _PARTS.fullmatch(token):
            raise TokenRefusedError("malformed")
        claimed = _object(_decoded(token.split(".")[1])).get("iss")
        row = self._issuers.get(claimed) if isinstance(claimed, str) else None
        if row is None:
            raise TokenRefusedError("issuer")
        claims = self._claims(token, row, types=frozenset(kind.lower() for kind in row.token_types))
        return _holder(row, claims, audience=row.audience, now=self._now().timestamp())

    def check_sign_in(self, token: str, row: Issuer) -> tuple[Holder, str | None]:
        """Return who an ID token says signed in, and its nonce (OpenID Connect Core 1.0 §3.1.3.7).

        It is made out to our client, not to our audience: an access token is no ID token, and the other way round.

        Raises:
            TokenRefusedError: it is not good.
        """
        claims = self._claims(token, row, types=frozenset({"jwt"}))
        party = claims.get("azp", row.client_id)
        if row.client_id is None or party != row.client_id:
            raise TokenRefusedError("audience")
        holder, _ = _holder(row, claims, audience=row.client_id, now=self._now().timestamp())
        nonce = claims.get("nonce")
        return holder, nonce if isinstance(nonce, str) else None

    def _claims(self, token: str, row: Issuer, *, types: frozenset[str]) -> Mapping[str, Any]:
        found: list[Key | None] = []

        def find_key(key_id: str | None, algorithm: str) -> Key | None:
            unfit = found[-1] if found else None
            key = self._keys.find(row.issuer, row.jwks_uri, key_id=key_id, algorithm=algorithm, unfit=unfit)
            found.append(key)
            return key

        algorithms = frozenset(row.algorithms)
        try:
            return _object(verified_payload(token, find_key, algorithms=algorithms, types=types))
        except TokenRefusedError:
            if not found or found[-1] is None:
                raise
        # the signature is not that key's: look once more, in case the key was replaced under the same name
        payload = verified_payload(token, find_key, algorithms=algorithms, types=types)
        return _object(payload)


def _holder(row: Issuer, claims: Mapping[str, Any], *, audience: str, now: float) -> tuple[Holder, int]:
    if claims.get("iss") != row.issuer:
        raise TokenRefusedError("issuer")
    named = claims.get("aud")
    if audience not in (named if isinstance(named, list) else [named]):
        raise TokenRefusedError("audience")
    expires = _second(claims, "exp")
    if expires is None or expires + row.leeway_seconds <= now:
        raise TokenRefusedError("expired")
    for name in ("nbf", "iat"):
        begins = _second(claims, name)
        if begins is not None and begins - row.leeway_seconds > now:
            raise TokenRefusedError("not-yet")
    tenant = row.tenant or _named(claims, row.tenant_claim or "")
    signed_in = _second(claims, "auth_time")
    if signed_in is not None and signed_in - row.leeway_seconds > now:
        raise TokenRefusedError("not-yet")
    roles = _roles(row, claims)
    holder = Holder(
        tenant=tenant,
        user=_named(claims, row.user_claim),
        consumer=_consumer(row, claims),
        may_audit=Role.AUDITOR in roles,
        issuer=row.issuer,
        roles=roles,
        signed_in_at=datetime.fromtimestamp(signed_in, UTC) if signed_in is not None else None,
    )
    return holder, expires + row.leeway_seconds


def _roles(row: Issuer, claims: Mapping[str, Any]) -> frozenset[Role]:
    """Return the roles of a token: words the issuer's row translates; a word it does not know gives nothing."""
    told = claims.get(row.roles_claim)
    if told is None:
        return frozenset() if row.role_without_claim is None else frozenset({row.role_without_claim})
    words = told if isinstance(told, list) else [told]
    return frozenset(row.roles[word] for word in words if isinstance(word, str) and word in row.roles)


def _consumer(row: Issuer, claims: Mapping[str, Any]) -> Consumer:
    if row.consumer_claim is None:
        return row.consumer
    try:
        return Consumer(str(claims.get(row.consumer_claim)))
    except ValueError:
        raise TokenRefusedError("consumer") from None


def _named(claims: Mapping[str, Any], name: str) -> str:
    try:
        return _IDENTIFIER.validate_python(claims.get(name), strict=True)
    except ValidationError:
        raise TokenRefusedError("subject") from None


def _second(claims: Mapping[str, Any], name: str) -> int | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LAST:
        raise TokenRefusedError("instant")
    return int(value)


def _decoded(part: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        raise TokenRefusedError("malformed") from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=") != part.encode():
        raise TokenRefusedError("malformed")  # bits beyond the last byte: two spellings of one token
    return raw


def _object(raw: bytes) -> dict[str, Any]:
    """Return a JSON object; one name twice is refused, since two readers may take two values (RFC 8725 §2.5)."""
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_once, parse_constant=_nothing)
    except (ValueError, RecursionError):
        raise TokenRefusedError("malformed") from None
    if not isinstance(value, dict):
        raise TokenRefusedError("malformed")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _nothing(word: str) -> None:
    raise ValueError(f"{len(word)} letters that are no JSON")


def _mark(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
