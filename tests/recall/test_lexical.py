"""Words are runs of letters, marks and decimal digits after NFKC and casefold, longer than two characters."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.entry import BODY_MOST
from iris_memory.recall.lexical import overlap, share, token, tokens, words
from reference.recall import words as plain_words
from reference.worlds import GLUE, WORDS, effort

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
MIXED = st.lists(st.sampled_from(WORDS + GLUE), max_size=30).map("".join)


@effort(300)
@given(TEXTS | MIXED)
def test_words_agree_with_the_reference(text: str) -> None:
    assert list(dict.fromkeys(words(text))) == plain_words(text)


def test_every_code_point_breaks_or_joins_as_its_category_says() -> None:
    for point in (*range(0xD800), *range(0xE000, 0x110000)):
        text = f"ab{chr(point)}cd"
        folded = unicodedata.normalize("NFKC", text).casefold()
        joins = [unicodedata.category(mark)[0] in "LM" or unicodedata.category(mark) == "Nd" for mark in folded]
        assert (words(text) == [folded]) == all(joins), hex(point)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []), ("a an of", []), ("the seat", ["the", "seat"]), ("seat-seat SEAT", ["seat", "seat", "seat"]),
        ("won't", ["won"]), ("snake_case", ["snake", "case"]), ("x²³y", ["x23y"]), ("ﬁne", ["fine"]),
        ("STRASSE Straße", ["strasse", "strasse"]), ("１２３ ١٢٣", ["123", "١٢٣"]), ("½½½", []), ("፩፪፫ 〇〇〇", []),
        ("座席番号", ["座席番号"]), ("🪟🪟🪟", []), ("ﷺ", ["صلى", "الله", "عليه", "وسلم"]), ("ab\u200dcd", []),
        ("a\u0301b", []), ("a\u0315\u0301b", ["á\u0315b"]),
    ],
)  # fmt: skip
def test_words_by_example(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_tokens_are_distinct_ascending_and_fit_the_pack() -> None:
    found = tokens("seat window seat SEAT окно")
    assert found == sorted({token("seat"), token("window"), token("окно")})
    # the body that unfolds into the most words still counts in two bytes
    assert len(words("\ufdfa" * BODY_MOST)) < 65_536
    crowded = "".join(f"{number:03} " for number in range(BODY_MOST // 4))
    assert len(tokens(crowded)) == BODY_MOST // 4


@effort(200)
@given(st.frozensets(st.integers(0, 30)), st.frozensets(st.integers(0, 30)))
def test_overlap_is_jaccard_rounded_half_up(first: frozenset[int], second: frozenset[int]) -> None:
    exact = Fraction(len(first & second), len(first | second) or 1)
    assert overlap(first, second) == int(exact * 1_000_000 + Fraction(1, 2)) == overlap(second, first)


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_share_rounds_half_up(part: int, whole: int) -> None:
    assert share(part, whole) == int(Fraction(part, whole) * 1_000_000 + Fraction(1, 2))
