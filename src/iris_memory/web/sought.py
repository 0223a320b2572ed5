"""Sought words: what somebody searches for, sealed, so that an address can be kept and shared with no word in it.

The seal is AES-256-GCM under a key of the deployment, bound to the person: it opens for nobody else.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from iris_memory.web.visitor import Visitor

_NONCE_LENGTH: Final = 12
_TOKEN_MOST: Final = 2_000


def seal_words(visitor: Visitor, words: str) -> str:
    """Return words as they may stand in an address."""
    nonce = secrets.token_bytes(_NONCE_LENGTH)
    sealed = nonce + _cipher(visitor).encrypt(nonce, words.encode(), _whose(visitor))
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def open_words(visitor: Visitor, token: str) -> str:
    """Return the words of an address; none for one that is not the visitor's."""
    if len(token) > _TOKEN_MOST:
        return ""
    try:
        sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        return _cipher(visitor).decrypt(sealed[:_NONCE_LENGTH], sealed[_NONCE_LENGTH:], _whose(visitor)).decode()
    except (binascii.Error, ValueError, InvalidTag):
        return ""


def _cipher(visitor: Visitor) -> AESGCM:
    return AESGCM(visitor.iris.deployment_key("sought-words"))


def _whose(visitor: Visitor) -> bytes:
    return f"{visitor.session.tenant}\x00{visitor.session.user}".encode()
