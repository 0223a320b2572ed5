"""Origins: a request that changes something and rides on a cookie must come from this site's own pages.

Browsers say where a request comes from (Fetch Metadata, `Sec-Fetch-Site`); those that do not, send `Origin` with every
unsafe method (RFC 6454 §7). What says neither is refused: no token in a form is needed, and none can leak.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN: Final = frozenset({"same-origin", "none"})
"""`none` is a person typing an address or opening a bookmark: no page can send it."""


def is_own(method: str, headers: Mapping[str, str]) -> bool:
    """Say whether a request with a cookie may be served.

    Args:
        method: the method of the request.
        headers: the headers of the request, by lower-case name.
    """
    if method in SAFE_METHODS:
        return True
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in _OWN
    origin, host = headers.get("origin"), headers.get("host")
    return origin is not None and host is not None and urlsplit(origin).netloc == host
