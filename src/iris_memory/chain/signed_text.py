"""A signed text: the lines of a C2SP signed note, with Ed25519, over any text that ends in a newline.

It is what a receipt and an export carry, beside the checkpoint of `chain.checkpoint`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Final

from iris_memory.chain.checkpoint import KEY_ID_LENGTH, Signer, VerifierKey

_DASH: Final = "— "


def sign_text(text: bytes, *, signer: Signer) -> str:
    """Return the note of a text: the text, an empty line and one signature line."""
    value = base64.b64encode(signer.verifier.key_id + signer.sign(text)).decode()
    return f"{text.decode()}\n{_DASH}{signer.name} {value}\n"


def is_signed(note: str, text: bytes, *, keys: Iterable[VerifierKey]) -> bool:
    """Say whether a note is over exactly this text and signed by one of the keys.

    Lines by unknown keys are ignored, a bad signature by a known key spoils it, and so does a line that is none.
    """
    body, gap, tail = note.partition("\n\n")
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
        is_spelt = base64.b64encode(raw).decode() == value  # one spelling only (RFC 4648 section 3.5)
        if not line.startswith(_DASH) or not name or len(raw) <= KEY_ID_LENGTH or not is_spelt:
            return False
        verdicts += [
            key.verifies(text, raw[KEY_ID_LENGTH:])
            for key in known
            if key.name == name and raw[:KEY_ID_LENGTH] == key.key_id
        ]
    return bool(verdicts) and all(verdicts)
