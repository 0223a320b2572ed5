"""Binary parts: what MCP carries as base64 (blobs, images, sound), opened to be read and closed again.

Bytes are read as UTF-8; those that are none become lone surrogates (PEP 383), which are no letters and turn back.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

_DATA_TYPES: Final = frozenset({"image", "audio"})


def opened(value: Any) -> Any:
    """Return a value with its base64 parts as text."""
    if isinstance(value, Mapping):
        part = _part(value)
        return {
            name: _text(inner)[0] if name == part and isinstance(inner, str) else opened(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [opened(inner) for inner in value]
    return value


def closed(value: Any, *, original: Any) -> Any:
    """Return a value that was `opened`, and masked since, with its parts as base64; names may have changed."""
    if isinstance(original, Mapping):
        part = _part(original)
        return {
            name: _closed_text(inner, was) if known == part and isinstance(was, str) else closed(inner, original=was)
            for (name, inner), (known, was) in zip(value.items(), original.items(), strict=True)
        }
    if isinstance(original, list):
        return [closed(inner, original=was) for inner, was in zip(value, original, strict=True)]
    return value


def _part(value: Mapping[str, Any]) -> str | None:
    """Name the entry of an object that is base64."""
    if "blob" in value:
        return "blob"
    return "data" if value.get("type") in _DATA_TYPES else None


def _text(encoded: str) -> tuple[str, bool]:
    """Return the text of a part, and whether it is base64; one that is not is text as it stands."""
    try:
        return readable(base64.b64decode(encoded, validate=True)), True
    except (binascii.Error, ValueError):
        return encoded, False


def _closed_text(text: str, was: str) -> str:
    known, is_base64 = _text(was)
    if text == known:
        return was
    return base64.b64encode(as_bytes(text)).decode("ascii") if is_base64 else text


def readable(raw: bytes) -> str:
    """Return bytes as a text that turns back into them."""
    return raw.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text that is `readable`."""
    return text.encode("utf-8", "surrogateescape")
