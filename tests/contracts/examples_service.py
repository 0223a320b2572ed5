"""JSON forms of the contracts of service tokens."""

from __future__ import annotations

from typing import Any, Final

_TOKEN: Final[dict[str, Any]] = {
    "token_id": "k",
    "tenant_id": "t",
    "name": "the travel assistant",
    "consumer": "assistant",
    "assistant_id": "a",
    "created_by": "o",
    "created_at": "2026-03-01T12:00:00.000000Z",
    "expires_at": "2027-01-31T23:59:59.999999Z",
    "revoked_by": "p",
    "revoked_at": "2027-01-30T23:59:59.999999Z",
}
EXAMPLES_SERVICE: Final[dict[str, Any]] = {
    "ServiceToken": _TOKEN,
    "MintedToken": {"token": _TOKEN, "secret": "s"},
    "PersonToken": {"access_token": "s", "expires_at": "2027-01-31T23:59:59.999999Z", "consumer": "tara"},
}
