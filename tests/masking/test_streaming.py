"""Streams: any cut of a text into pieces gives what the whole gives (PII-8), and what is held back is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from owner_sample import corpus_of, exchange, owner
from texts import texts

from iris_memory.contracts.masking import OWNER_PII_KINDS, Guard, PiiKind
from iris_memory.errors import MaskingError
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.decide import decide, verdicts_of
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.masking.render import masked, unmasked
from iris_memory.masking.streaming import MaskStream, UnmaskStream
from iris_memory.tables.guards import DEFAULT_TABLE

WEB_SEARCH = verdicts_of(DEFAULT_TABLE, guard=Guard.WEB_SEARCH)
WEAK = corpus_of(
    (PiiKind.NAME, "Will"),
    (PiiKind.NAME, "Al"),
    (PiiKind.NAME, "Mark Lee"),
    (PiiKind.EMAIL, "mark.lee@gmail.com"),
    (PiiKind.NAME, "Lee Mark Will"),
)

weak_texts = st.lists(
    st.sampled_from(["Will ", "Al ", "Mark Lee ", "mark.lee@gmail.com ", "will ", "x " * 60, "word ", "\n", "é"]),
    max_size=14,
).map("".join)
cuts = st.lists(st.integers(1, 400), max_size=40)


def whole(text: str, corpus: Corpus, mine: Exchange) -> str:
    spans = decide(text, corpus=corpus, table=DEFAULT_TABLE, guard=Guard.WEB_SEARCH)
    return masked(text, spans, corpus=corpus, exchange=mine).text


def pieces_of(text: str, sizes: list[int]) -> list[str]:
    out, place = [], 0
    for size in sizes:
        out.append(text[place : place + size])
        place += size
    return [*out, text[place:]]


def in_pieces(text: str, sizes: list[int], corpus: Corpus, mine: Exchange) -> str:
    stream = MaskStream(corpus=corpus, verdicts=WEB_SEARCH, exchange=mine)
    return "".join([*(stream.feed(piece) for piece in pieces_of(text, sizes)), stream.finish()])


@settings(max_examples=150)
@given(texts, cuts)
def test_masking_in_pieces_is_masking_the_whole(text, sizes):
    assert in_pieces(text, sizes, owner(), exchange()) == whole(text, owner(), exchange())


@given(weak_texts, cuts)
def test_weak_names_lean_on_what_comes_later_and_on_what_went_before(text, sizes):
    assert in_pieces(text, sizes, WEAK, exchange()) == whole(text, WEAK, exchange())


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000])
def test_every_size_of_piece_gives_the_same(size):
    text = (
        ("Lorem ipsum " * 40 + "ottoline.varga@gmail.com and Ottoline Varga-Quill " * 3 + "dolor sit amet " * 60) * 2
        + "[owner:email#1] ghp_abcdefghijklmnopqrstuvwxyz0123456789"
        + " consectetur" * 30
    )
    assert in_pieces(text, [size] * (len(text) // size), owner(), exchange()) == whole(text, owner(), exchange())


@given(texts, cuts)
def test_unmasking_in_pieces_is_unmasking_the_whole(text, sizes):
    mine = exchange()
    out = whole(text, owner(), mine)
    stream = UnmaskStream(exchange=mine, grants=OWNER_PII_KINDS)
    back = "".join([*(stream.feed(piece) for piece in pieces_of(out, sizes)), stream.finish()])
    assert back == unmasked(out, exchange=mine, grants=OWNER_PII_KINDS)


def test_a_token_cut_anywhere_is_turned_back():
    mine = exchange()
    out = whole("a ottoline.varga@gmail.com b", owner(), mine)
    assert out == "a [owner:email#1] b"
    for place in range(len(out)):
        stream = UnmaskStream(exchange=mine, grants=OWNER_PII_KINDS)
        assert stream.feed(out[:place]) + stream.feed(out[place:]) + stream.finish() == "a ottoline.varga@gmail.com b"


def test_the_unmasker_holds_back_less_than_a_token():
    mine = exchange()
    whole("ottoline.varga@gmail.com", owner(), mine)
    stream = UnmaskStream(exchange=mine, grants=OWNER_PII_KINDS)
    assert stream.feed("text [own") == "text "
    assert stream.held_back == len("[own")
    assert stream.feed("ers are not") == "[owners are not"
    assert stream.held_back == 0
    assert stream.feed("[owner:email#1") == ""
    assert stream.held_back < len("[owner:email#1]")


def test_without_anything_issued_the_unmasker_holds_nothing_back():
    stream = UnmaskStream(exchange=exchange(), grants=OWNER_PII_KINDS)
    assert stream.feed("[owner:email#1") == "[owner:email#1"


@pytest.mark.parametrize("filler", ["lorem ipsum dolor ", "Приве́т мир ", "a\u200bb ", "&amp; ", "12 ", "QmFzZTY0 "])
def test_what_the_masker_holds_back_is_bounded_by_its_reach(filler):
    stream = MaskStream(corpus=owner(), verdicts=WEB_SEARCH, exchange=exchange())
    given_out, most = "", 0
    text = filler * 400
    for place in range(0, len(text), 11):
        given_out += stream.feed(text[place : place + 11])
        most = max(most, stream.held_back)
    # an escape or an invisible character takes up more of the text than what it stands for
    assert most <= (owner().lexicon.reach + 64) * 6
    if filler.isascii() and "&" not in filler:
        assert most <= owner().lexicon.reach + 64
    assert given_out + stream.finish() == text


def test_a_secret_is_held_until_its_end_is_known():
    secret = "eyJhbGciOiJIUzI1NiJ9.eyJ" + "abcd" * 700 + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV"
    stream = MaskStream(corpus=owner(), verdicts=WEB_SEARCH, exchange=exchange())
    out = "".join(stream.feed(char) for char in f"token {secret} and more " + "of it " * 100) + stream.finish()
    assert out == "token [owner:secret#1] and more " + "of it " * 100
    assert stream.personal


def test_nothing_personal_is_not_personal():
    stream = MaskStream(corpus=owner(), verdicts=WEB_SEARCH, exchange=exchange())
    stream.feed("nothing here")
    stream.finish()
    assert not stream.personal


def test_a_finished_stream_takes_nothing_more():
    stream = MaskStream(corpus=owner(), verdicts=WEB_SEARCH, exchange=exchange())
    stream.finish()
    with pytest.raises(MaskingError):
        stream.feed("late")


def test_memory_of_a_stream_does_not_grow():
    stream = MaskStream(corpus=owner(), verdicts=WEB_SEARCH, exchange=exchange())
    sizes = []
    for _ in range(60):
        stream.feed("Ottoline Varga-Quill went on and on. " * 40)
        sizes.append(len(stream._text))
    assert max(sizes[20:]) <= max(sizes[:20]) + 2000
