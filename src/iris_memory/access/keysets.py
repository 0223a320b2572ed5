"""Key sets of issuers (RFC 7517): fetched when needed, kept a while, rotated without a storm of fetches.

A key id that is not known leads to at most one fetch in `REFRESH_SECONDS`, whoever asks and however often; while an
issuer cannot be reached, the keys known last are good for `STALE_SECONDS`, and then none is.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

KEEP_SECONDS: Final = 600
REFRESH_SECONDS: Final = 30
STALE_SECONDS: Final = 3_600
FETCH_SECONDS: Final = 5
FETCH_MOST: Final = 256 * 1024
KEYS_MOST: Final = 50
RSA_BITS_LEAST: Final = 2_048

Key = RSAKey | ECKey | OKPKey
Fetch = Callable[[str], bytes]
"""Returns the body at an address; raises `OSError` where it cannot be had."""

_KINDS: Final[Mapping[str, type[Key]]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
_FITS: Final = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "Ed25519": ("OKP", "Ed25519"),
}
_SAME: Final = {"Ed25519": {"Ed25519", "EdDSA"}}
"""Names a key may give an algorithm: RFC 9864 gave `EdDSA` with Ed25519 a name of its own."""


class KeySetError(ValueError):
    """A key set cannot be used. Carries a code of what is wrong, never a key."""


@dataclass(frozen=True, slots=True)
class KeySet:
    """The signing keys of an issuer, by id; a set that holds a private, a symmetric or a doubled key is none at all."""

    keys: tuple[tuple[str | None, Mapping[str, Any], Key], ...]

    def find(self, key_id: str | None, algorithm: str) -> Key | None:
        """Return the one key of an id that fits an algorithm; without an id, the only key that fits; else None."""
        kind, curve = _FITS[algorithm]
        fitting = [
            key
            for known, told, key in self.keys
            if (key_id is None or known == key_id)
            and told.get("kty") == kind
            and (curve is None or told.get("crv") == curve)
            and told.get("use", "sig") == "sig"
            and told.get("alg", algorithm) in _SAME.get(algorithm, {algorithm})
            and "verify" in told.get("key_ops", ["verify"])
        ]
        return fitting[0] if len(fitting) == 1 else None


def read_key_set(body: bytes) -> KeySet:
    """Return the key set of a JWKS document.

    Raises:
        KeySetError: it is no key set, or one that must not be trusted.
    """
    try:
        document = json.loads(body)
        listed = document["keys"]
    except (ValueError, KeyError, TypeError):
        raise KeySetError("no-key-set") from None
    if not isinstance(listed, list) or len(listed) > KEYS_MOST:
        raise KeySetError("no-key-set")
    keys, seen = [], set[str]()
    for told in listed:
        if not isinstance(told, dict):
            raise KeySetError("no-key-set")
        if told.get("kty") == "oct" or "d" in told or "k" in told:
            raise KeySetError("secret-key-published")
        key_id = told.get("kid")
        if key_id is not None and (not isinstance(key_id, str) or key_id in seen):
            raise KeySetError("doubled-key-id")
        if key_id is not None:
            seen.add(key_id)
        kind = _KINDS.get(told.get("kty", ""))
        key = None if kind is None else _read_key(kind, told)
        if key is not None:
            keys.append((key_id, told, key))
    return KeySet(tuple(keys))


def _read_key(kind: type[Key], told: dict[str, Any]) -> Key | None:
    """Return a key, or None for one that is of another use, too weak or no key; others of the set stay good."""
    if kind is RSAKey and len(str(told.get("n", ""))) * 6 < RSA_BITS_LEAST:
        return None
    try:
        key = kind.import_key({name: value for name, value in told.items() if isinstance(value, str)})
        public: Any = key.public_key  # makes the point or the numbers, and refuses what is none
    except (JoseError, ValueError, TypeError):
        return None
    if isinstance(key, RSAKey):
        numbers = public.public_numbers()
        if public.key_size < RSA_BITS_LEAST or numbers.e < 3 or _is_roca(numbers.n):
            return None
    return key


def _is_roca(modulus: int) -> bool:
    """Say whether an RSA modulus has the marks of keys whose factors can be found (CVE-2017-15361).

    Their primes are powers of 65537 modulo the product of the first 39 primes, so the modulus is one modulo each.
    """
    return all(modulus % prime in powers for prime, powers in _ROCA_MARKS)


def _powers(prime: int) -> frozenset[int]:
    seen, value = set[int](), 1 % prime
    while value not in seen:
        seen.add(value)
        value = value * 65_537 % prime
    return frozenset(seen)


_ROCA_MARKS: Final = tuple(
    (prime, _powers(prime)) for prime in range(3, 168) if all(prime % part for part in range(2, prime))
)


@dataclass(slots=True)
class _Known:
    keys: KeySet = field(default_factory=lambda: KeySet(()))
    fetched_at: float | None = None
    tried_at: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class KeySets:
    """The key sets of issuers as this process knows them. Safe for many threads."""

    def __init__(self, fetch: Fetch, seconds: Callable[[], float]) -> None:
        """Take how an address is fetched, and a clock that never goes back, in seconds."""
        self._fetch = fetch
        self._seconds = seconds
        self._known: dict[str, _Known] = {}
        self._lock = threading.Lock()

    def find(
        self, issuer: str, jwks_uri: str | None, *, key_id: str | None, algorithm: str, unfit: Key | None = None
    ) -> Key | None:
        """Return a key of an issuer, fetching its set where that is due; None where there is no such key.

        `unfit` is the key that was found before and did not fit: it may have been replaced, since an issuer with one
        key need not name it in its tokens.
        """
        with self._lock:
            known = self._known.setdefault(issuer, _Known())
        if self._is_due(known, self._find(known, key_id, algorithm) in (None, unfit)):
            with known.lock:  # who waits here finds what the one before fetched
                if self._is_due(known, self._find(known, key_id, algorithm) in (None, unfit)):
                    self._refresh(known, issuer, jwks_uri)
        return self._find(known, key_id, algorithm)

    def _find(self, known: _Known, key_id: str | None, algorithm: str) -> Key | None:
        if known.fetched_at is None or self._seconds() - known.fetched_at > STALE_SECONDS:
            return None
        return known.keys.find(key_id, algorithm)

    def _is_due(self, known: _Known, is_missing: bool) -> bool:
        now = self._seconds()
        if known.tried_at is not None and now - known.tried_at < REFRESH_SECONDS:
            return False
        return is_missing or known.fetched_at is None or now - known.fetched_at >= KEEP_SECONDS

    def _refresh(self, known: _Known, issuer: str, jwks_uri: str | None) -> None:
        known.tried_at = self._seconds()
        try:
            address = jwks_uri or self._discover(issuer)
            keys = read_key_set(self._fetch(address))
        except (OSError, KeySetError):
            return
        known.keys, known.fetched_at = keys, self._seconds()

    def _discover(self, issuer: str) -> str:
        """Ask an issuer where its keys are (OpenID Connect Discovery 1.0 §4): it must name itself, letter by letter."""
        body = self._fetch(issuer.rstrip("/") + "/.well-known/openid-configuration")
        try:
            told = json.loads(body)
            address = told["jwks_uri"]
        except (ValueError, KeyError, TypeError):
            raise KeySetError("no-configuration") from None
        if told.get("issuer") != issuer or not isinstance(address, str):
            raise KeySetError("another-issuer")
        if urlsplit(address).scheme != "https" and urlsplit(address).hostname != urlsplit(issuer).hostname:
            raise KeySetError("unsafe-address")
        return address


def fetch(address: str) -> bytes:
    """Return the body at an address: no redirect followed, at most 256 KiB, at most five seconds.

    Raises:
        OSError: it cannot be had.
    """
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=FETCH_SECONDS)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("GET", target, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        body = answer.read(FETCH_MOST + 1)
    except HTTPException:
        raise OSError("the answer is no HTTP") from None
    finally:
        connection.close()
    if answer.status != HTTPStatus.OK or len(body) > FETCH_MOST:
        raise OSError("the answer is not what was asked for")
    return body
