"""A line of the audit chain that the server is to link: all of it but the three fields that only the server knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from iris_memory.chain.canonical import MAX_INTEGER, JsonValue, canonical
from iris_memory.chain.link import RECORD_VERSION, RESERVED
from iris_memory.errors import ChainError

_HOLES: Final = ("at", "previous", "sequence")
"""In the order of the canonical form."""


class Pieces(NamedTuple):
    """The bytes before `at`, up to `previous`, up to `sequence`, and to the end; and what `at` is at least."""

    at: int
    first: bytes
    second: bytes
    third: bytes
    last: bytes


def pieces(tenant: str, body: Mapping[str, JsonValue], *, at: int) -> Pieces:
    """Return the pieces of the line that `chain.link.link` would make of this body.

    Raises:
        ChainError: the body names a reserved field, or `at` is not a time.
        CanonicalError: the body has no canonical form.
    """
    if not tenant:
        raise ChainError("a log needs a tenant id")
    if not RESERVED.isdisjoint(body):
        raise ChainError("an event body must not name a reserved field")
    if type(at) is not int or not 0 <= at <= MAX_INTEGER:
        raise ChainError("`at` must be whole microseconds since the epoch")
    parts: tuple[dict[str, JsonValue], ...] = ({}, {}, {}, {})
    for key, value in {**body, "record_version": RECORD_VERSION, "tenant_id": tenant}.items():
        parts[sum(_order(key) > _order(hole) for hole in _HOLES)][key] = value
    before, between, beyond, after = (canonical(part)[1:-1] for part in parts)
    return Pieces(
        at,
        b"{" + (before and before + b",") + b'"at":',
        (between and b"," + between) + b',"previous":"',
        b'"' + (beyond and b"," + beyond) + b',"sequence":',
        (after and b"," + after) + b"}",
    )


def _order(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")
