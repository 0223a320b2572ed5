"""A long text loses nothing but white space at the cuts, and is cut where a reader would pause."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from iris_memory.formats.split import MAX_TEXT, parts

_LONG = st.lists(
    st.text(st.sampled_from('ab .!?。\n\t\u00a0"”é😀'), max_size=40) | st.integers(1, 9000).map("x".__mul__),
    max_size=30,
).map("".join)
_LONGER = st.tuples(_LONG, st.integers(1, 40)).map(lambda pair: pair[0] * pair[1])


@given(_LONGER)
def test_only_white_space_is_lost(text: str) -> None:
    found = [*parts(text)]
    assert all(len(part) <= MAX_TEXT for part in found)
    at = 0
    for part in found:
        begin = text.index(part, at)
        assert not text[at:begin].strip()
        at = begin + len(part)
    assert not text[at:].strip()
    if len(text) > MAX_TEXT:
        assert all(part.strip() for part in found)


def test_a_text_that_fits_is_left_alone() -> None:
    text = f" {'x' * (MAX_TEXT - 2)}\n"
    assert [*parts(text)] == [text]


def test_the_cut_falls_on_a_paragraph_then_a_sentence_then_a_word() -> None:
    first, second = "One. Two. " * 300, "Three words here " * 200
    assert [*parts(f"{first}\n\n{second}")] == [first.rstrip(), second.rstrip()]
    sentences = [*parts("This is one sentence. " * 400)]
    assert all(part.endswith("sentence.") for part in sentences)
    words = [*parts("word " * 2000)]
    assert {word for part in words for word in part.split()} == {"word"}
    assert [*parts("文。" * 3000)] == ["文。" * 2000, "文。" * 1000]


def test_a_word_longer_than_a_part_is_cut() -> None:
    assert [len(part) for part in parts("x" * 9000)] == [4000, 4000, 1000]


def test_no_part_is_a_scrap() -> None:
    text = "Hi.\n\n" + "word " * 1500
    assert len(next(parts(text))) > MAX_TEXT // 2
    assert re.sub(r"\s", "", "".join(parts(text))) == re.sub(r"\s", "", text)
