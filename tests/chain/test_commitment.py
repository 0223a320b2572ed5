"""LOG-5: after erasure every proof still verifies, and no list of candidates matches any line."""

from __future__ import annotations

import hmac
import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import Checkpoint, Signer, sign_checkpoint, tenant_origin
from iris_memory.chain.export import ExportHeader, KeyPeriod, export_lines
from iris_memory.chain.link import commitment, genesis, link
from iris_memory.chain.merkle import inclusion_proof, leaf_hash, verify_inclusion
from iris_memory.chain.verify import verify_export
from iris_memory.errors import ChainError

# RFC 4231 does not use 32-byte keys; this vector was computed with OpenSSL 3: HMAC-SHA256, key 00..1f, "body".
VECTOR = "847fab25fa1026d858d8d0118069f4be4c9ff2662794980187b437218e65e0f1"
KEY = Signer("iris-memory/audit", bytes(32))
BLINDINGS = st.binary(min_size=32, max_size=32)
DICTIONARY = [f"{who} {what}" for who in ("Ana", "Ben", "Cem") for what in ("smokes", "is ill", "owes 200", "moved")]


def test_a_commitment_is_hmac_sha256() -> None:
    assert commitment(bytes(range(32)), b"body") == VECTOR


@pytest.mark.parametrize("blinding", [b"", bytes(31), bytes(33)])
def test_a_blinding_is_256_bits(blinding: bytes) -> None:
    with pytest.raises(ChainError):
        commitment(blinding, b"body")


@given(BLINDINGS, BLINDINGS, st.binary(), st.binary())
def test_a_commitment_binds_blinding_and_body(one: bytes, two: bytes, body: bytes, other: bytes) -> None:
    assert (commitment(one, body) == commitment(two, other)) == ((one, body) == (two, other))


@given(st.integers())
def test_no_candidate_matches_a_line_once_the_blindings_are_gone(seed: int) -> None:
    blindings = [sha256(f"{seed} {place}".encode()).digest() for place in range(len(DICTIONARY))]
    bodies = [canonical({"text": text}) for text in DICTIONARY]
    head, lines = genesis("acme"), []
    for blinding, body in zip(blindings, bodies, strict=True):
        line, head = link(head, {"action": "memory.written", "commitment": commitment(blinding, body)}, at=1)
        lines.append(line)

    # Erasure destroys bodies and blindings. What is left is the log, and with it an attacker who knows every body.
    leaves = [leaf_hash(line) for line in lines]
    held = {json.loads(line)["commitment"] for line in lines}
    keys = [b"", bytes(32), b"acme", *leaves, *(bytes.fromhex(json.loads(line)["previous"]) for line in lines)]
    guesses = {sha256(form).hexdigest() for body in bodies for form in (body, b"\x00" + body)}
    guesses |= {hmac.digest(key, body, "sha256").hex() for key in keys for body in bodies}
    assert not guesses & held
    assert not any(guess.encode() in line for guess in guesses for line in lines)
    assert not any(text.encode() in line for text in DICTIONARY for line in lines)
    assert not any(blinding.hex().encode() in line or blinding in line for blinding in blindings for line in lines)

    note = sign_checkpoint(Checkpoint(tenant_origin("acme"), head.size, head.frontier.root()), signer=KEY)
    header = ExportHeader("acme", (KeyPeriod(KEY.verifier),), (note,))
    assert verify_export(export_lines(header, events=lines), trusted_keys=header.keys, anchors=[note]).ok
    for index, leaf in enumerate(leaves):
        proof = inclusion_proof(leaves, index=index, size=head.size)
        assert verify_inclusion(leaf, index=index, size=head.size, proof=proof, root=head.frontier.root())


@given(BLINDINGS, st.binary(), st.binary())
def test_a_line_fits_every_candidate_alike(blinding: bytes, body: bytes, candidate: bytes) -> None:
    """The dictionary attack is possible with the blinding, and so it is the blinding alone that prevents it.

    A line is a function of the commitment and of public facts. Whoever holds the blinding can test a candidate against
    it; whoever does not holds an HMAC output under an unknown uniform key, which is the same for any body.
    """
    held = commitment(blinding, body)
    line, _ = link(genesis("acme"), {"commitment": held}, at=1)
    assert json.loads(line)["commitment"] == held
    assert (commitment(blinding, candidate).encode() in line) == (candidate == body)
