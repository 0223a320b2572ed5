"""C2SP signed-note and tlog-checkpoint: examples of the specifications, RFC 8032 keys, and what must be refused."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.chain.checkpoint import (
    Checkpoint,
    Signer,
    VerifierKey,
    open_checkpoint,
    read_note,
    sign_checkpoint,
    tenant_origin,
)
from iris_memory.errors import CheckpointError

# RFC 8032 section 7.1, tests 1 and 2: secret key, public key.
ALICE = Signer("log.example/alice", bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
ALICE_PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
BOB = Signer("log.example/bob", bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))

HERE = Checkpoint("log.example/alice", 42, sha256(b"root").digest())
NOTE = sign_checkpoint(HERE, signer=ALICE)

SPEC_CHECKPOINT = (
    "example.com/behind-the-sofa\n"
    "20852163\n"
    "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    "\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
)
SPEC_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
SPEC_MESSAGE = b"This is an example message.\n"
SPEC_SIGNATURE = "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="


def signature_line(signer: Signer, text: str) -> str:
    """A signature line put together by the words of the specification, not by the code under test."""
    public = signer.verifier.public
    key_id = sha256(signer.name.encode() + b"\x0a" + b"\x01" + public).digest()[:4]
    return f"— {signer.name} {base64.b64encode(key_id + signer.sign(text.encode())).decode()}\n"


def test_the_example_of_tlog_checkpoint_is_read() -> None:
    note = read_note(SPEC_CHECKPOINT)
    root = base64.b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
    assert note.checkpoint == Checkpoint("example.com/behind-the-sofa", 20852163, root)
    assert note.text == SPEC_CHECKPOINT.partition("\n\n")[0].encode() + b"\n"
    assert note.checkpoint.text().encode() == note.text
    (signature,) = note.signatures
    assert signature.name == "example.com/behind-the-sofa"
    assert signature.key_id.hex() == "033de0ae"
    assert len(signature.value) == 64


def test_the_example_key_of_signed_note_verifies_its_example() -> None:
    key = VerifierKey.from_vkey(SPEC_VKEY)
    signature = base64.b64decode(SPEC_SIGNATURE)
    assert key.name == "example.com/foo"
    assert key.key_id.hex() == "530d903a"
    assert key.vkey == SPEC_VKEY
    assert signature[:4] == key.key_id
    assert key.verifies(SPEC_MESSAGE, signature[4:])
    assert not key.verifies(SPEC_MESSAGE + b"\n", signature[4:])


def test_a_note_is_what_the_specification_says() -> None:
    assert ALICE.verifier.public == ALICE_PUBLIC
    text = f"log.example/alice\n42\n{base64.b64encode(HERE.root).decode()}\n"
    assert text + "\n" + signature_line(ALICE, text) == NOTE
    assert open_checkpoint(NOTE, keys=[ALICE.verifier]) == HERE


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1),
    st.integers(0, 2**63 - 1),
    st.binary(min_size=32, max_size=32),
)
def test_what_is_signed_is_opened(origin: str, size: int, root: bytes) -> None:
    checkpoint = Checkpoint(origin, size, root)
    note = sign_checkpoint(checkpoint, signer=ALICE)
    assert open_checkpoint(note, keys=[BOB.verifier, ALICE.verifier]) == checkpoint


def test_unknown_signatures_are_ignored() -> None:
    text = NOTE.partition("\n\n")[0] + "\n"
    namesake = Signer(ALICE.name, BOB.seed)
    strangers = [signature_line(BOB, text), signature_line(namesake, "another text\n")]
    several = "\n".join([text, "".join([*strangers, signature_line(ALICE, text), *strangers * 8])])
    assert open_checkpoint(several, keys=[ALICE.verifier]) == HERE
    with pytest.raises(CheckpointError, match="no known key"):
        open_checkpoint(text + "\n" + "".join(strangers), keys=[ALICE.verifier])
    with pytest.raises(CheckpointError, match="no known key"):
        open_checkpoint(NOTE, keys=[])


def test_a_bad_signature_by_a_known_key_spoils_the_note() -> None:
    text = NOTE.partition("\n\n")[0] + "\n"
    keys = [ALICE.verifier, BOB.verifier]
    spoilt = text + "\n" + signature_line(ALICE, text) + signature_line(BOB, text.replace("42", "43"))
    with pytest.raises(CheckpointError, match="is bad"):
        open_checkpoint(spoilt, keys=keys)
    assert open_checkpoint(spoilt, keys=[ALICE.verifier]) == HERE


@pytest.mark.parametrize(("old", "new"), [("42\n", "43\n"), ("log.example/alice\n", "log.example/other\n")])
def test_a_changed_text_is_refused(old: str, new: str) -> None:
    with pytest.raises(CheckpointError, match="is bad"):
        open_checkpoint(NOTE.replace(old, new, 1), keys=[ALICE.verifier])


def test_extension_lines_are_signed_and_left_unread() -> None:
    text = NOTE.partition("\n\n")[0] + "\nextension\n"
    assert open_checkpoint(text + "\n" + signature_line(ALICE, text), keys=[ALICE.verifier]) == HERE


ROOT = base64.b64encode(HERE.root).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"\n42\n{ROOT}\n",
        f"log.example\n42\n{ROOT[:-4]}\n",
        f"log.example\n42\n{ROOT}AAAA\n",
        f"log.example\n042\n{ROOT}\n",
        f"log.example\n+42\n{ROOT}\n",
        f"log.example\n-1\n{ROOT}\n",
        f"log.example\n4_2\n{ROOT}\n",
        f"log.example\n٤٢\n{ROOT}\n",
        f"log.example\n42 \n{ROOT}\n",
        f"log.example\n\n{ROOT}\n",
        f"log.example\n{2**63}\n{ROOT}\n",
        f"log.example\n{'9' * 5000}\n{ROOT}\n",
        "log.example\n42\n",
        f"log.example\n42\n{ROOT}\n\nafter an empty line\n",
        f"log.example\n42\n{ROOT}\n\n",
        f"log.example\t\n42\n{ROOT}\n",
        f"log.example\r\n42\n{ROOT}\n",
        "\n",
    ],
)
def test_a_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError):
        open_checkpoint(text + "\n" + signature_line(ALICE, text), keys=[ALICE.verifier])


GOOD_LINE = signature_line(ALICE, NOTE.partition("\n\n")[0] + "\n")


@pytest.mark.parametrize(
    "tail",
    [
        "",
        "\n",
        "garbage\n",
        GOOD_LINE[:-1],
        GOOD_LINE.replace("— ", "-- "),
        GOOD_LINE.replace("— ", "—"),
        GOOD_LINE.replace("— ", "—  "),
        GOOD_LINE + "garbage\n",
        GOOD_LINE + "\n",
        GOOD_LINE.replace("=\n", "\n"),
        GOOD_LINE.replace("\n", " \n"),
        GOOD_LINE.replace("\n", "\r\n"),
        f"— {ALICE.name}\n",
        f"— {ALICE.name} {base64.b64encode(ALICE.verifier.key_id).decode()}\n",
        GOOD_LINE + "— name " + "A" * 1_000_000 + "\n",
        GOOD_LINE + "— \ud800 AAAAAAAA\n",
        GOOD_LINE + "— a+b AAAAAAAA\n",
        GOOD_LINE + "— a\u2003b AAAAAAAA\n",
    ],
)
def test_a_malformed_signature_line_is_refused(tail: str) -> None:
    text = NOTE.partition("\n\n")[0] + "\n"
    assert open_checkpoint(text + "\n" + GOOD_LINE, keys=[ALICE.verifier]) == HERE
    with pytest.raises(CheckpointError):
        open_checkpoint(text + "\n" + tail, keys=[ALICE.verifier])


@pytest.mark.parametrize("note", ["", "\n", "\n\n", "no empty line\n", NOTE.partition("\n\n")[2]])
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(CheckpointError):
        read_note(note)


@given(st.text() | st.integers(0, len(NOTE)).map(lambda at: NOTE[:at] + "\n" + NOTE[at:]))
def test_any_text_is_read_or_refused(note: str) -> None:
    try:
        read = read_note(note)
    except CheckpointError:
        return
    assert read.text.decode().startswith(read.checkpoint.text())


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "name",
        "name+00000000",
        SPEC_VKEY.replace("530d903a", "530d903b"),
        SPEC_VKEY.replace("530d903a", "530D903A"),
        SPEC_VKEY.replace("foo", "bar"),
        SPEC_VKEY.replace("foo", "f o"),
        SPEC_VKEY + "=",
        SPEC_VKEY[:-1],
        SPEC_VKEY.replace("+Ae", "+Ag"),
        "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
    ],
)
def test_a_malformed_vkey_is_refused(vkey: str) -> None:
    with pytest.raises(CheckpointError):
        VerifierKey.from_vkey(vkey)


@given(st.binary(min_size=32, max_size=32))
def test_a_vkey_comes_back_as_the_same_key(seed: bytes) -> None:
    key = Signer("log.example/key", seed).verifier
    assert VerifierKey.from_vkey(key.vkey) == key


@pytest.mark.parametrize("name", ["", "two words", "a+b", "tab\t", "line\n", "\u2003", "\ud800"])
def test_a_key_name_fits_on_a_signature_line(name: str) -> None:
    with pytest.raises(CheckpointError):
        Signer(name, bytes(32))
    with pytest.raises(CheckpointError):
        VerifierKey(name, bytes(32))


def test_keys_are_32_bytes() -> None:
    with pytest.raises(CheckpointError):
        Signer("name", bytes(31))
    with pytest.raises(CheckpointError):
        VerifierKey("name", bytes(33))


@pytest.mark.parametrize(
    "checkpoint",
    [
        Checkpoint("", 0, bytes(32)),
        Checkpoint("two\nlines", 0, bytes(32)),
        Checkpoint("tab\t", 0, bytes(32)),
        Checkpoint("log", -1, bytes(32)),
        Checkpoint("log", 2**63, bytes(32)),
        Checkpoint("log", 0, bytes(31)),
    ],
)
def test_what_the_text_form_cannot_carry_is_not_signed(checkpoint: Checkpoint) -> None:
    with pytest.raises(CheckpointError):
        sign_checkpoint(checkpoint, signer=ALICE)


def test_a_signer_does_not_show_its_seed() -> None:
    shown: Any = repr(ALICE)
    assert ALICE.name in shown
    assert ALICE.seed.hex() not in shown
    assert repr(ALICE.seed) not in shown


@given(
    st.text(st.characters(codec="utf-8"), min_size=1),
    st.text(st.characters(codec="utf-8"), min_size=1),
)
def test_every_tenant_has_an_origin_of_its_own(tenant_id: str, other: str) -> None:
    origin = tenant_origin(tenant_id)
    assert unquote(origin.rpartition("/")[2]) == tenant_id
    assert (tenant_origin(other) == origin) == (other == tenant_id)
    assert VerifierKey(origin, bytes(32)).name == origin
