"""MCP headers: the parts of a message that its HTTP headers repeat, for messages that a guard rewrote.

The protocol of 2026-07-28 repeats the method, the name and marked arguments of a request in headers, and servers refuse
a request whose headers and body differ. So headers are read and rewritten with the body.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

NAME: Final = "mcp-name"
PARAMETER: Final = "mcp-param-"
_WRAPPED: Final = re.compile(r"=\?base64\?(?P<payload>.*)\?=")
_PLAIN: Final = re.compile(r"[\x20-\x7e]*")


def repeated(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that repeat what a message says, by lower-case name, as plain text."""
    return {
        name.lower(): _plain(value)
        for name, value in headers.items()
        if name.lower() == NAME or name.lower().startswith(PARAMETER)
    }


def as_header(text: str) -> str:
    """Return a text as a header value: as it stands, or in base64 where it would not survive."""
    if _PLAIN.fullmatch(text) and text == text.strip() and not _WRAPPED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def _plain(value: str) -> str:
    wrapped = _WRAPPED.fullmatch(value)
    if wrapped is None:
        return value
    try:
        return base64.b64decode(wrapped["payload"], validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return value
