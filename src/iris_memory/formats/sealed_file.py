"""A sealed file: a stream encrypted in chunks to a passphrase or to an X25519 key, for exports that are handed over.

Layout: the line `iris-sealed-file 1`, one line of JSON (how the key is made, and a commitment to it), then chunks of
65,536 bytes, each AES-256-GCM with 16 bytes of tag; only the last is shorter, and it may be empty.

* Chunks follow the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015): the nonce is 7 zero bytes, a counter
  of 4 and a byte that says whether it is the last, so a chunk dropped, moved or cut is noticed. The key is used for one
  file alone, which is why no part of the nonce is random. The SHA-256 of both lines is the associated data.
* The key is made by scrypt (RFC 7914; N 2^17, r 8, p 1) or by X25519 (RFC 7748) with a key of the moment, then by HKDF
  (RFC 5869), which also gives the commitment: AES-GCM alone does not commit to its key.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from iris_memory.errors import FormatError

MAGIC: Final = b"iris-sealed-file 1\n"
CHUNK: Final = 65_536
KEY_LENGTH: Final = 32
PASSPHRASE_LEAST: Final = 12
_TAG: Final = 16
_HEADER_MOST: Final = 1_024
_CHUNKS_MOST: Final = 1 << 32
_N, _R, _P = 1 << 17, 8, 1


@dataclass(frozen=True, slots=True)
class Passphrase:
    """Whoever knows the words opens the file."""

    words: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Recipient:
    """Whoever has the private half of this X25519 key (32 bytes) opens the file."""

    public: bytes


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """The private half of an X25519 key (32 bytes)."""

    private: bytes = field(repr=False)


def seal_stream(
    plain: Iterable[bytes], *, to: Passphrase | Recipient, secret: Callable[[int], bytes]
) -> Iterator[bytes]:
    """Return the sealed form of a stream, piece by piece. `secret` gives random bytes.

    Raises:
        FormatError: the passphrase is too short, or the key is none.
    """
    if isinstance(to, Passphrase):
        salt = secret(16)
        header: dict[str, Any] = {"kdf": "scrypt", "n": _N, "p": _P, "r": _R, "salt": _b64(salt)}
        shared = _scrypt(to, salt)
    else:
        ephemeral = X25519PrivateKey.from_private_bytes(secret(KEY_LENGTH))
        public = ephemeral.public_key().public_bytes_raw()
        header = {"ephemeral": _b64(public), "kdf": "x25519", "recipient": _b64(to.public)}
        shared = _exchange(ephemeral, to.public) + public + to.public
    key, commitment = _keys(shared, header)
    return _sealing(plain, key, MAGIC + _line({**header, "commitment": commitment}))


def _sealing(plain: Iterable[bytes], key: bytes, line: bytes) -> Iterator[bytes]:
    yield line
    bound, cipher = sha256(line).digest(), AESGCM(key)
    for count, (piece, is_last) in enumerate(_chunked(plain)):
        yield cipher.encrypt(_nonce(count, is_last=is_last), piece, bound)


def open_stream(sealed: BinaryIO, *, by: Passphrase | PrivateKey) -> Iterator[bytes]:
    """Yield what a sealed file holds; nothing of a chunk before the chunk is known to be whole.

    Raises:
        FormatError: it is no sealed file, it was changed or cut, or the passphrase or key is not its.
    """
    header = _read_header(sealed)
    shared = _shared(header, by)
    known = {name: value for name, value in header.items() if name != "commitment"}
    key, commitment = _keys(shared, known)
    if not hmac.compare_digest(commitment, str(header.get("commitment", ""))):
        raise FormatError("the passphrase or key does not open this file")
    bound, cipher, count = sha256(MAGIC + _line(header)).digest(), AESGCM(key), 0
    piece = _exactly(sealed, CHUNK + _TAG)
    while True:
        following = _exactly(sealed, CHUNK + _TAG) if len(piece) == CHUNK + _TAG else b""
        is_last = not following
        try:
            yield cipher.decrypt(_nonce(count, is_last=is_last), piece, bound)
        except InvalidTag:
            raise FormatError("the sealed file was changed or cut") from None
        if is_last:
            return
        piece, count = following, count + 1


def is_sealed(head: bytes) -> bool:
    """Say whether a file begins like a sealed one."""
    return head.startswith(MAGIC)


def _shared(header: dict[str, Any], by: Passphrase | PrivateKey) -> bytes:
    try:
        if header["kdf"] == "scrypt" and isinstance(by, Passphrase):
            if (header["n"], header["r"], header["p"]) != (_N, _R, _P):
                raise FormatError("the sealed file asks for another work factor than this version uses")
            return _scrypt(by, base64.b64decode(header["salt"], validate=True))
        if header["kdf"] == "x25519" and isinstance(by, PrivateKey):
            public = base64.b64decode(header["ephemeral"], validate=True)
            private = X25519PrivateKey.from_private_bytes(by.private)
            return _exchange(private, public) + public + private.public_key().public_bytes_raw()
    except (KeyError, TypeError, ValueError):
        raise FormatError("the sealed file's first lines are damaged, or the key is none") from None
    needs = "passphrase" if header["kdf"] == "scrypt" else "private key"
    raise FormatError(f"this file is opened with a {needs}")


def _scrypt(passphrase: Passphrase, salt: bytes) -> bytes:
    if len(passphrase.words) < PASSPHRASE_LEAST:
        raise FormatError(f"a passphrase has at least {PASSPHRASE_LEAST} characters")
    return Scrypt(salt=salt, length=KEY_LENGTH, n=_N, r=_R, p=_P).derive(passphrase.words.encode())


def _exchange(private: X25519PrivateKey, public: bytes) -> bytes:
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise FormatError("the key is no X25519 key") from None


def _keys(shared: bytes, header: dict[str, Any]) -> tuple[bytes, str]:
    made = HKDF(hashes.SHA256(), 2 * KEY_LENGTH, salt=sha256(_line(header)).digest(), info=MAGIC).derive(shared)
    return made[:KEY_LENGTH], made[KEY_LENGTH:].hex()


def _read_header(sealed: BinaryIO) -> dict[str, Any]:
    if _exactly(sealed, len(MAGIC)) != MAGIC:
        raise FormatError("this is no sealed file")
    raw = sealed.readline(_HEADER_MOST)
    try:
        header = json.loads(raw)
    except ValueError:
        header = None
    if not isinstance(header, dict) or _line(header) != raw:
        raise FormatError("the sealed file's first lines are damaged")
    return header


def _chunked(plain: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield chunks of a fixed size; the last one, which may be short or empty, is marked."""
    held = bytearray()
    for piece in plain:
        held += piece
        while len(held) > CHUNK:
            yield bytes(held[:CHUNK]), False
            del held[:CHUNK]
    yield bytes(held), True


def _nonce(count: int, *, is_last: bool) -> bytes:
    if count >= _CHUNKS_MOST:
        raise FormatError("the file is too large to be sealed")
    return bytes(7) + count.to_bytes(4, "big") + bytes([is_last])


def _exactly(stream: BinaryIO, size: int) -> bytes:
    pieces: list[bytes] = []
    while size and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _line(header: dict[str, Any]) -> bytes:
    return json.dumps(header, separators=(",", ":"), sort_keys=True).encode() + b"\n"


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
