"""A sealed file opens with its own passphrase or key, whole, or not at all."""

from __future__ import annotations

import io
import os

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_memory.errors import FormatError
from iris_memory.formats.sealed_file import CHUNK, MAGIC, Passphrase, PrivateKey, Recipient, open_stream, seal_stream

PRIVATE = X25519PrivateKey.from_private_bytes(bytes(range(32)))
TO = Recipient(PRIVATE.public_key().public_bytes_raw())
BY = PrivateKey(PRIVATE.private_bytes_raw())
WORDS = Passphrase("correct horse battery staple")


def sealed(plain: bytes) -> bytes:
    return b"".join(seal_stream([plain], to=TO, secret=os.urandom))


def opened(data: bytes, by: Passphrase | PrivateKey = BY) -> bytes:
    return b"".join(open_stream(io.BytesIO(data), by=by))


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7])
def test_every_size_comes_back(size: int) -> None:
    plain = os.urandom(size)
    assert opened(sealed(plain)) == plain


@given(st.lists(st.binary(max_size=400), max_size=12))
@settings(max_examples=30, deadline=None)
def test_how_it_came_in_pieces_makes_no_difference(pieces: list[bytes]) -> None:
    assert opened(b"".join(seal_stream(pieces, to=TO, secret=os.urandom))) == b"".join(pieces)


def test_a_passphrase_opens_and_another_does_not() -> None:
    data = b"".join(seal_stream([b"memory"], to=WORDS, secret=os.urandom))
    assert opened(data, WORDS) == b"memory"
    with pytest.raises(FormatError, match="does not open"):
        opened(data, Passphrase("correct horse battery stapler"))
    with pytest.raises(FormatError, match="opened with a passphrase"):
        opened(data)
    with pytest.raises(FormatError, match="at least 12"):
        seal_stream([b""], to=Passphrase("short"), secret=os.urandom)


def test_another_key_does_not_open_it() -> None:
    other = PrivateKey(bytes(range(1, 33)))
    with pytest.raises(FormatError, match="does not open"):
        opened(sealed(b"memory"), other)
    with pytest.raises(FormatError, match="no X25519"):
        seal_stream([b""], to=Recipient(bytes(32)), secret=os.urandom)


def test_cut_moved_dropped_and_doubled_chunks_are_noticed() -> None:
    data = sealed(os.urandom(3 * CHUNK + 100))
    start = data.index(b"\n", len(MAGIC)) + 1
    size = CHUNK + 16
    head, one, two, three, last = (
        data[:start],
        data[start : start + size],
        data[start + size : start + 2 * size],
        data[start + 2 * size : start + 3 * size],
        data[start + 3 * size :],
    )
    for wrong in (
        head + one + two + three,
        head + one + two,
        head + one,
        head,
        head + two + one + three + last,
        head + one + three + last,
        head + one + one + two + three + last,
        head + one + two + three + last + b"x",
        head + one + two + three + last + last,
    ):
        with pytest.raises(FormatError):
            opened(wrong)


def test_no_changed_byte_passes() -> None:
    data = sealed(b"memory of a green bicycle")
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(FormatError):
            opened(bytes(changed))


def test_the_same_words_are_never_sealed_alike() -> None:
    assert sealed(b"memory") != sealed(b"memory")
