"""A signed head that can be kept outside the store: C2SP signed-note and tlog-checkpoint, with Ed25519.

A checkpoint says that the log called `origin` had `size` lines with Merkle root `root`:

    <origin>
    <size>
    <base64 root>

    — <key name> <base64 of 4-byte key id and 64-byte signature>

Signatures by unknown keys (witnesses, the key of another deployment) are ignored, a bad signature by a known key spoils
the note, and at least one known key must have signed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from iris_memory.chain.merkle import HASH_LENGTH
from iris_memory.errors import CheckpointError

ED25519: Final = b"\x01"
KEY_LENGTH: Final = 32
KEY_ID_LENGTH: Final = 4
MAX_NOTE_LENGTH: Final = 1_000_000
"""Characters; C2SP asks for room for 16 signatures of about 5 kB."""

_DASH: Final = "— "
_MAX_SIZE: Final = 2**63 - 1


def tenant_origin(tenant_id: str) -> str:
    """The origin line of one tenant's log. A checkpoint of another tenant has another origin."""
    return "iris-memory/audit/" + quote(tenant_id, safe="")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log at one size."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The note text that is signed.

        Raises:
            CheckpointError: an origin, size or root that the text form cannot carry.
        """
        if not self.origin or not _is_clean(self.origin) or "\n" in self.origin:
            raise CheckpointError("a checkpoint needs an origin of one line")
        if not 0 <= self.size <= _MAX_SIZE or len(self.root) != HASH_LENGTH:
            raise CheckpointError("a checkpoint needs a size and a 32-byte root")
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key by the name it signs under."""

    name: str
    public: bytes

    def __post_init__(self) -> None:
        if not _is_key_name(self.name) or len(self.public) != KEY_LENGTH:
            raise CheckpointError("a verifier key needs a name without spaces or plus and a 32-byte Ed25519 key")

    @property
    def key_id(self) -> bytes:
        """The first 4 bytes of SHA-256(name || 0x0A || 0x01 || public key)."""
        return sha256(self.name.encode() + b"\n" + ED25519 + self.public).digest()[:KEY_ID_LENGTH]

    @property
    def vkey(self) -> str:
        """The text form: name+key id in hex+base64(0x01 || public key)."""
        return f"{self.name}+{self.key_id.hex()}+{_base64(ED25519 + self.public)}"

    @staticmethod
    def from_vkey(vkey: str) -> VerifierKey:
        """The key of a text form.

        Raises:
            CheckpointError: not the text form of an Ed25519 key, or its key id is not the key's.
        """
        name, _, rest = vkey.partition("+")
        _, _, encoded = rest.partition("+")
        data = _unbase64(encoded)
        if data[:1] != ED25519:
            raise CheckpointError("a verifier key is not an Ed25519 key")
        key = VerifierKey(name, data[1:])
        if key.vkey != vkey:
            raise CheckpointError("a verifier key does not match its key id")
        return key

    def verifies(self, text: bytes, signature: bytes) -> bool:
        """Whether the signature over the text is this key's (RFC 8032)."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key by the name it signs under. `seed` is the 32-byte Ed25519 private key of RFC 8032."""

    name: str
    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not _is_key_name(self.name) or len(self.seed) != KEY_LENGTH:
            raise CheckpointError("a signer needs a name without spaces or plus and a 32-byte seed")

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(self.name, self._key().public_key().public_bytes_raw())

    def sign(self, text: bytes) -> bytes:
        """The 64-byte signature over the text."""
        return self._key().sign(text)

    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line, not verified."""

    name: str
    key_id: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint as read. Nothing in it may be believed before a signature is verified over `text`."""

    checkpoint: Checkpoint
    text: bytes
    signatures: tuple[NoteSignature, ...]

    def signatures_by(self, key: VerifierKey) -> list[bytes]:
        """The signature values that name this key."""
        return [line.value for line in self.signatures if (line.name, line.key_id) == (key.name, key.key_id)]


def sign_checkpoint(checkpoint: Checkpoint, *, signer: Signer) -> str:
    """The signed note of a checkpoint. The same checkpoint and key give the same note.

    Raises:
        CheckpointError: an origin, size or root that the text form cannot carry.
    """
    text = checkpoint.text()
    value = signer.verifier.key_id + signer.sign(text.encode())
    return f"{text}\n{_DASH}{signer.name} {_base64(value)}\n"


def read_note(note: str) -> Note:
    """The parts of a signed checkpoint, not verified. Extension lines are allowed and left unread.

    Raises:
        CheckpointError: malformed.
    """
    if len(note) > MAX_NOTE_LENGTH or not _is_clean(note):
        raise CheckpointError("a signed note is too long or holds control characters")
    body, gap, tail = note.rpartition("\n\n")
    if not gap or not tail.endswith("\n"):
        raise CheckpointError("a signed note needs a text, an empty line and signature lines")
    text = body + "\n"
    signatures = tuple(_read_signature(line) for line in tail[:-1].split("\n"))
    return Note(_read_text(text), text.encode(), signatures)


def open_checkpoint(note: str, *, keys: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint of a note that a known key signed.

    Raises:
        CheckpointError: malformed, signed by no known key, or a known key's signature is bad.
    """
    read = read_note(note)
    known = [(key, value) for key in keys for value in read.signatures_by(key)]
    if not known:
        raise CheckpointError("a checkpoint is signed by no known key")
    if not all(key.verifies(read.text, value) for key, value in known):
        raise CheckpointError("a known key's signature on a checkpoint is bad")
    return read.checkpoint


def _read_text(text: str) -> Checkpoint:
    lines = text[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise CheckpointError("a checkpoint needs an origin, a size and a root, and no empty line")
    origin, size, root = lines[:3]
    if not (size.isascii() and size.isdigit()) or len(size) > 19 or str(int(size)) != size:
        raise CheckpointError("a checkpoint size must be a plain decimal number")
    checkpoint = Checkpoint(origin, int(size), _unbase64(root))
    checkpoint.text()
    return checkpoint


def _read_signature(line: str) -> NoteSignature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    value = _unbase64(encoded)
    if not line.startswith(_DASH) or not _is_key_name(name) or len(value) <= KEY_ID_LENGTH:
        raise CheckpointError("a signed note has a malformed signature line")
    return NoteSignature(name, value[:KEY_ID_LENGTH], value[KEY_ID_LENGTH:])


def _is_clean(text: str) -> bool:
    """Whether the text is valid UTF-8 without ASCII control characters other than newline."""
    return all((char >= " " or char == "\n") and not "\ud800" <= char <= "\udfff" for char in text)


def _is_key_name(name: str) -> bool:
    return bool(name) and _is_clean(name) and not any(char.isspace() or char == "+" for char in name)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unbase64(text: str) -> bytes:
    """Standard base64 (RFC 4648 section 4), one spelling only."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise CheckpointError("base64 is malformed") from None
    if _base64(data) != text:
        raise CheckpointError("base64 is malformed")
    return data
