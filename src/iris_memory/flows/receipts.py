"""Receipts: what was forgotten, signed, so that anybody can check it offline. No personal data.

A receipt's note is a C2SP signed note over its canonical JSON form without the note.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable

from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import KEY_ID_LENGTH, Signer, VerifierKey
from iris_memory.contracts.erasure import ForgetReceipt

_DASH = "— "


def signed(receipt: ForgetReceipt, *, signer: Signer) -> ForgetReceipt:
    """Return a receipt with its note."""
    text = _text(receipt)
    value = base64.b64encode(signer.verifier.key_id + signer.sign(text)).decode()
    return receipt.model_copy(update={"note": f"{text.decode()}\n{_DASH}{signer.name} {value}\n"})


def is_genuine(receipt: ForgetReceipt, *, keys: Iterable[VerifierKey]) -> bool:
    """Say whether a receipt's note is over exactly this receipt and signed by one of the keys.

    As for every signed note: lines by unknown keys are ignored, a bad signature by a known key spoils it, and so does a
    line that is none.
    """
    text = _text(receipt)
    body, gap, tail = receipt.note.partition("\n\n")
    if not gap or f"{body}\n".encode() != text or not tail.endswith("\n"):
        return False
    known = list(keys)
    verdicts = []
    for line in tail[:-1].split("\n"):
        name, _, value = line.removeprefix(_DASH).rpartition(" ")
        try:
            raw = base64.b64decode(value, validate=True)
        except ValueError:
            return False
        if not line.startswith(_DASH) or not name or len(raw) <= KEY_ID_LENGTH:
            return False
        verdicts += [
            key.verifies(text, raw[KEY_ID_LENGTH:])
            for key in known
            if key.name == name and raw[:KEY_ID_LENGTH] == key.key_id
        ]
    return bool(verdicts) and all(verdicts)


def _text(receipt: ForgetReceipt) -> bytes:
    return canonical(receipt.model_dump(mode="json", exclude={"note"})) + b"\n"
