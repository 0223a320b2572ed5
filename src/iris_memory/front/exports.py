"""Exports: a person's own, from the request to the file; and checking one, which needs no store."""

from __future__ import annotations

import base64
import binascii
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from iris_memory.chain.checkpoint import VerifierKey
from iris_memory.contracts.bundle import BundleReport, StoredExport
from iris_memory.contracts.rights import RightsKind, RightsRefusal, RightsRefused, RightsRequest
from iris_memory.errors import ContractError
from iris_memory.flows import export, rights, rights_desk
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.formats.bundle_check import check_bundle
from iris_memory.formats.sealed_file import (
    KEY_LENGTH,
    MAGIC,
    PASSPHRASE_LEAST,
    Passphrase,
    PrivateKey,
    Recipient,
    is_sealed,
    open_stream,
)
from iris_memory.front.given import known_id
from iris_memory.rules.rights import SUBJECT, refuse


class Exports:
    """The exports of one person. Use `Iris.for_user(...).exports`."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller."""
        self._instruments = instruments
        self._caller = caller

    def make(self, request_id: str) -> RightsRequest | RightsRefused:
        """Make the export of a request that is verified. The person may do so themself; nobody has to decide it."""
        name = known_id(request_id)
        request = rights.show(self._instruments, self._caller, name)
        if request.kind is not RightsKind.EXPORT:
            return refuse(RightsRefusal.NO_FULFILMENT, "only the request for an export makes an export")
        return rights_desk.fulfil(self._instruments, self._caller.tenant, name, actor=SUBJECT)

    def status(self, request_id: str) -> StoredExport | RightsRefused:
        """Return where an export stands: how much is made, or until when it waits to be collected."""
        return export.stored(self._instruments, self._caller, known_id(request_id))

    def collect(
        self, request_id: str, *, passphrase: str | None = None, recipient: str | None = None
    ) -> Iterator[bytes] | RightsRefused:
        """Return the export piece by piece.

        Args:
            request_id: the request it was made for.
            passphrase: encrypt it to these words, of 12 characters or more; they are kept nowhere.
            recipient: encrypt it to this X25519 public key, 32 bytes in base64.

        Raises:
            ContractError: it was asked for encrypted and neither is given, or one of them is none.
        """
        if passphrase is not None and recipient is not None:
            raise ContractError("an export is encrypted to a passphrase or to a public key, not to both")
        to: Passphrase | Recipient | None = None
        if passphrase is not None:
            if len(passphrase) < PASSPHRASE_LEAST:
                raise ContractError(f"passphrase: it has at least {PASSPHRASE_LEAST} characters")
            to = Passphrase(passphrase)
        elif recipient is not None:
            to = Recipient(key_of(recipient, what="recipient"))
        return export.collect(self._instruments, self._caller, known_id(request_id), to=to)

    def write(
        self, request_id: str, path: str | Path, *, passphrase: str | None = None, recipient: str | None = None
    ) -> Path | RightsRefused:
        """Collect an export into a new file that its owner alone can read."""
        pieces = self.collect(request_id, passphrase=passphrase, recipient=recipient)
        if isinstance(pieces, RightsRefused):
            return pieces
        file = Path(path)
        file.touch(mode=0o600, exist_ok=False)
        try:
            with file.open("wb") as out:
                out.writelines(pieces)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        return file

    def discard(self, request_id: str) -> bool:
        """Drop an export before its time."""
        return export.discard(self._instruments, self._caller, known_id(request_id))


def verify_export(
    path: str | Path,
    *,
    keys: Collection[VerifierKey] = (),
    passphrase: str | None = None,
    private_key: str | None = None,
) -> BundleReport:
    """Check an export, without a store. An encrypted one is opened for it and nothing of it stays.

    Raises:
        FormatError: it is encrypted, and the passphrase or key is not its.
        ContractError: it is encrypted, and neither is given.
    """
    with opened(path, passphrase=passphrase, private_key=private_key) as stream:
        return check_bundle(stream, keys=keys)


def unlock_export(
    path: str | Path, out: str | Path, *, passphrase: str | None = None, private_key: str | None = None
) -> Path:
    """Write what an encrypted export holds to a new file that its owner alone can read."""
    target = Path(out)
    with opened(path, passphrase=passphrase, private_key=private_key) as stream:
        target.touch(mode=0o600, exist_ok=False)
        with target.open("wb") as file:
            shutil.copyfileobj(stream, file)
    return target


@contextmanager
def opened(path: str | Path, *, passphrase: str | None, private_key: str | None) -> Iterator[BinaryIO]:
    """Open an export to be read from anywhere in it; an encrypted one by way of a file without a name."""
    with Path(path).open("rb") as file:
        sealed = is_sealed(file.read(len(MAGIC)))
        file.seek(0)
        if not sealed:
            yield file
            return
        if (passphrase is None) == (private_key is None):
            raise ContractError("the export is encrypted: give its passphrase or its private key")
        by = Passphrase(passphrase) if passphrase is not None else _private(private_key or "")
        with tempfile.TemporaryFile() as plain:
            plain.writelines(open_stream(file, by=by))
            plain.seek(0)
            yield cast(BinaryIO, plain)


def key_of(text: str, *, what: str) -> bytes:
    """Return the 32 bytes of a key in base64.

    Raises:
        ContractError: it is none.
    """
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != KEY_LENGTH:
        raise ContractError(f"{what}: 32 bytes in base64")
    return raw


def _private(text: str) -> PrivateKey:
    return PrivateKey(key_of(text.strip(), what="private key"))
