"""Folding: units, and their places in the original (PII-2, PII-3)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from iris_memory.masking.alphabet import TRANSPARENT, UNIT, alphabet
from iris_memory.masking.folding import Folded, cleaned, coarsened, fold, visible_back, without_surrogates

AWKWARD = (
    "aZ0 İıſßẞŁøæŒﬁ²①Ⅳ𝐀𝟗ＡＺ９ａ\u0301\u0308\u200b\u200d\u00ad\ufe0f\U000e0041"
    "каКНνΝυΥιΙσς김철수は王伟नमस्ते٣۴९👩‍👧🇩🇪🅰@._-\n\u00a0"
)
text = st.text(st.one_of(st.characters(), st.sampled_from(AWKWARD)), max_size=60)


@pytest.mark.parametrize(
    ("written", "units"),
    [
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("İstanbul", "istanbul"),
        ("ıspanak", "ispanak"),
        ("ﬁnance", "finance"),
        ("Zoe\u0308", "zoe"),
        ("Zoë", "zoe"),
        ("Łukasz", "lukasz"),
        ("Þór", "thor"),
        ("Ｆｕｌｌ　Ｗｉｄｔｈ", "fullwidth"),
        ("𝐁𝐨𝐥𝐝", "bold"),
        ("sᴍᴀʟʟ", "small"),
        ("🅰🅱", "ab"),
        ("a\u200bd\u200da\u2060", "ada"),
        ("so\u00adft", "soft"),
        ("Аdа", "ada"),
        ("Ηеnry", "ηenry"),
        ("٠١٢٣٤٥٦٧٨٩", "0123456789"),
        ("०१२३४५६७८९", "0123456789"),
        ("１２³", "123"),
        ("ⅣⅨ", "ivix"),
        ("", ""),
        ("\u200b\u00ad", ""),
        ("… — !", ""),
    ],
)
def test_units(written, units):
    assert fold(written) == units


def test_a_hangul_syllable_and_its_jamo_are_the_same_units():
    assert fold("김철수") == fold(unicodedata.normalize("NFD", "김철수"))


def test_letters_of_unspaced_and_indic_scripts_stay_apart():
    assert len({fold(word) for word in ("राम", "रोम", "रम", "か", "が", "王", "玉")}) == 7


def test_case_never_separates_what_looks_alike():
    for script in ("АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐ", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜÉ"):
        for letter in script:
            assert fold(letter) == fold(letter.lower()), letter


@pytest.mark.parametrize(
    ("letter", "readings"), [("ν", "nv"), ("Ν", "nv"), ("υ", "uy"), ("ι", "il"), ("І", "il"), ("η", "hn")]
)
def test_a_letter_that_looks_like_several_can_be_read_as_each(letter, readings):
    folded = Folded(letter + "x")
    assert folded.unsure
    for reading in readings:
        assert folded.same(0, reading + "x")
        assert coarsened(fold(letter)) == coarsened(reading)
    assert not folded.same(0, "zx")


@given(text)
@example("ﬁ")
@example("\u0345")
@example("\ud800")
def test_every_unit_comes_from_the_place_it_names(written):
    folded = Folded(written)
    assert len(folded.at) == len(folded.units)
    assert sorted(folded.at) == list(folded.at)
    by_place: dict[int, str] = {}
    for unit, place in zip(folded.units, folded.at, strict=True):
        by_place[place] = by_place.get(place, "") + unit
    for place, char in enumerate(written):
        assert by_place.get(place, "") == fold(char)


@given(text, text)
def test_folding_looks_at_one_code_point_at_a_time(left, right):
    assert fold(left + right) == fold(left) + fold(right)


@given(text)
def test_folding_twice_is_folding_once(written):
    units = fold(written)
    assert fold(units) == units


@given(text)
def test_the_wide_path_agrees_with_the_path_for_ascii(written):
    plain = written.encode("ascii", "ignore").decode()
    assert fold(plain) + fold("é") == fold(plain + "é")
    assert fold(plain) == "".join(char.lower() for char in plain if char.isalnum())


@given(text)
def test_boundaries_read_the_same_however_they_are_asked(written):
    import numpy as np

    folded = Folded(written)
    units = np.arange(len(folded.units), dtype=np.int64)
    if units.size:
        may_start, may_end = folded.may_start(units), folded.may_end(units + 1)
        for unit in units.tolist():
            assert may_start[unit] or not folded.starts_token(unit)
            assert may_end[unit] or not folded.ends_token(unit + 1)
        if folded.plain:
            assert may_start.tolist() == [folded.starts_token(unit) for unit in units.tolist()]


@given(text)
def test_a_gap_is_what_was_left_out_without_what_cannot_be_seen(written):
    folded = Folded(written)
    role = alphabet().role
    for unit in range(1, len(folded.units)):
        low, high = folded.at[unit - 1] + 1, folded.at[unit]
        between = [char for char in written[low:high] if role[ord(char)] != TRANSPARENT]
        assert folded.gap(unit) == cleaned("".join(between))
        assert folded.separated(unit) is any(not role[ord(char)] & UNIT for char in between)


def test_the_end_of_a_token_takes_its_marks_along():
    folded = Folded("Zoe\u0308\u200b x")
    assert folded.end(3) == 5
    assert Folded("Zoe" + "\u0308" * 9).end(3) == 12


def test_a_long_gap_is_longer_than_any_that_is_allowed():
    for filler in (" ", " \u200b", "\u00a0"):
        assert len(Folded("a" + filler * 500 + "b").gap(1)) > 32
    assert Folded("a" + "\u200b" * 500 + "b").gap(1) == ""
    assert Folded("é" + "\u200b" * 500 + "@b").gap(1) == "@"


def test_korean_particles_end_a_name_and_half_a_syllable_does_not():
    folded = Folded("김수는 김순")
    assert folded.ends_token(len(fold("김수")))
    assert not folded.ends_token(len(fold("김수는")) + len(fold("김수")))


@given(text, st.integers(0, 80))
def test_looking_back_counts_what_can_be_seen(written, count):
    role = alphabet().role
    place = visible_back(written, count)
    behind = sum(role[ord(char)] != TRANSPARENT for char in written[place:])
    assert behind == count or (behind < count and place == 0)


@given(text)
def test_lone_surrogates_are_replaced_and_nothing_moves(written):
    mended = without_surrogates(written)
    assert len(mended) == len(written)
    mended.encode()
    for before, after in zip(written, mended, strict=True):
        assert after == ("\ufffd" if "\ud800" <= before <= "\udfff" else before)


def test_the_alphabet_covers_what_unicode_calls_ignorable():
    for point in (
        0xAD,
        0x34F,
        0x61C,
        0x115F,
        0x17B4,
        0x180E,
        0x200B,
        0x200F,
        0x202E,
        0x2060,
        0x2064,
        0x3164,
        0xFE00,
        0xFEFF,
        0xFFA0,
        0xE0001,
        0xE007F,
        0xE01EF,
    ):
        assert alphabet().role[point] == TRANSPARENT, hex(point)
