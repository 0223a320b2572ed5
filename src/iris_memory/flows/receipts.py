"""Receipts: what was forgotten, signed, so that anybody can check it offline. No personal data.

A receipt's note is a C2SP signed note over its canonical JSON form without the note.
"""

from __future__ import annotations

from collections.abc import Iterable

from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import Signer, VerifierKey
from iris_memory.chain.signed_text import is_signed, sign_text
from iris_memory.contracts.erasure import ForgetReceipt

_LATER = ("is_complete", "keys", "read_back", "steps")
"""Fields that came with version 2; the note of an older receipt is not over them."""


def signed(receipt: ForgetReceipt, *, signer: Signer) -> ForgetReceipt:
    """Return a receipt with its note."""
    return receipt.model_copy(update={"note": sign_text(_text(receipt), signer=signer)})


def is_genuine(receipt: ForgetReceipt, *, keys: Iterable[VerifierKey]) -> bool:
    """Say whether a receipt's note is over exactly this receipt and signed by one of the keys."""
    says_more = any(getattr(receipt, name) for name in _LATER)
    if receipt.version == 1 and says_more:
        return False  # its note is not over what it says
    return is_signed(receipt.note, _text(receipt), keys=keys)


def _text(receipt: ForgetReceipt) -> bytes:
    left_out = {"note"} if receipt.version > 1 else {"note", *_LATER}
    return canonical(receipt.model_dump(mode="json", exclude=left_out)) + b"\n"
