"""Hygiene (POI-6): what is invisible is stripped, refused or needed where it stands; nothing else is touched."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.decision import RefusalReason
from iris_memory.rules.hygiene import (
    DEFAULT_IGNORABLE,
    IDEOGRAPHIC_SELECTORS_MOST,
    MARKS_MOST,
    UNICODE_VERSION,
    Cleaned,
    IgnorableRow,
    Treatment,
    Unclean,
    UncleanReason,
    bound_marks,
    clean,
    normalise_for_match,
)

# DerivedCoreProperties-14.0.0.txt, Default_Ignorable_Code_Point, written down by hand a second time
PROPERTY = """
00AD 034F 061C 115F..1160 17B4..17B5 180B..180F 200B..200F 202A..202E 2060..206F 3164 FE00..FE0F FEFF FFA0
FFF0..FFF8 1BCA0..1BCA3 1D173..1D17A E0000..E0FFF
"""


def _points() -> list[int]:
    points: list[int] = []
    for part in PROPERTY.split():
        first, _, last = part.partition("..")
        points += range(int(first, 16), int(last or first, 16) + 1)
    return points


def _rows() -> Iterator[tuple[int, IgnorableRow]]:
    for row in DEFAULT_IGNORABLE:
        for point in range(row.first, row.last + 1):
            yield point, row


def _text(result: Cleaned | Unclean) -> str:
    assert isinstance(result, Cleaned), result
    return result.text


def _reasons(result: Cleaned | Unclean) -> set[UncleanReason]:
    assert isinstance(result, Unclean), result
    return {reason for reason, _ in result.found}


def test_every_default_ignorable_code_point_has_one_row() -> None:
    assert UNICODE_VERSION == "14.0.0"
    assert [point for point, _ in _rows()] == _points()
    assert len(_points()) == 4174


def test_what_becomes_of_each_default_ignorable_code_point_between_two_letters() -> None:
    for point, row in _rows():
        result = clean(f"a{chr(point)}b")
        if row.treatment in (Treatment.STRIP, Treatment.KEEP_OR_STRIP):
            assert result == Cleaned("ab", 1), hex(point)
        else:
            assert result == Unclean(((row.reason, 1),)), hex(point)


def test_two_of_any_of_them_side_by_side_are_refused() -> None:
    for point, _ in _rows():
        assert isinstance(clean(f"a{chr(point) * 2}b"), Unclean), hex(point)


def test_each_rows_reason_is_what_its_run_is_refused_for() -> None:
    for first, second in (("\xad", "\u2060"), ("\ufeff", "\u200b"), ("\u200b", "\u200b")):
        assert _reasons(clean(f"a{first}{second}b")) == {UncleanReason.INVISIBLE_RUN}
    assert _reasons(clean("a\ufe0f\ufe0fb")) == {UncleanReason.VARIATION_SELECTOR}
    assert _reasons(clean("\u05d0\u200f\u200f\u05d0")) == {UncleanReason.INVISIBLE_RUN}


def test_format_characters_outside_the_property_are_seen_and_kept() -> None:
    hidden = {0xFFF9, 0xFFFA, 0xFFFB}  # interlinear annotations: the one kind that hides text all the same
    known = set(_points())
    others = [
        point for point in range(sys.maxunicode + 1) if unicodedata.category(chr(point)) == "Cf" and point not in known
    ]
    assert hidden < set(others)
    for point in others:
        result = clean(f"a {chr(point)}1 b")
        if point in hidden:
            assert _reasons(result) == {UncleanReason.FORMAT_CONTROL}
        else:
            assert isinstance(result, Cleaned), hex(point)


HARMLESS = [
    "Tea at four, please.",
    "👨‍👩‍👧‍👦 and 👩🏽‍🚒 and ❤️‍🔥 and 🏳️‍🌈",
    "I ❤️ this ☺︎ and press 1️⃣ or #️⃣",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
    "می‌خواهم کتاب‌های تازه بخوانم",
    "سال ۱۴۰۲ ه‍",
    "क्‍ष और क्‌ष हिन्दी में",
    "ශ්‍රී ලංකාව",
    "ภาษาไทยไม่มีช่องว่าง",
    "ภาษา\u200bไทย",
    "שלום\u200f!",
    "العربية\u200e (Arabic)\u061c،",
    "ᠮᠣᠩᠭᠣᠯ\u180eᠠ",
    "ᠭ\u180bᠠ",
    "葛\U000e0100城市と辻\U000e0101さん",
    "∩\ufe00 and ≨\ufe00",
    "Tiếng Việt có nhiều dấu",
    "日本語と한국어와中文",
    "Zażółć gęślą jaźń – naïve café",
    "tab\tand\nline",
    "\ue000 is a private use character",
    "¿Qué? ¡Sí! «oui» „ja“",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_people_write_passes_unchanged(text: str) -> None:
    assert clean(text) == Cleaned(unicodedata.normalize("NFC", text), 0)


def test_text_is_kept_in_normal_form_c() -> None:
    decomposed = unicodedata.normalize("NFD", "Tiếng Việt, naïve, 각")
    assert clean(decomposed) == Cleaned("Tiếng Việt, naïve, 각", 0)
    assert clean("e\xad\u0301te") == Cleaned("éte", 1)


def test_single_characters_without_meaning_are_stripped_and_counted() -> None:
    assert clean("\ufeffdear di\xadary,\u2060 hello\u200b!") == Cleaned("dear diary, hello!", 4)
    assert clean("left \u200eto right\u200f") == Cleaned("left to right", 2)
    assert clean("a\u034fb") == Cleaned("ab", 1)
    hebrew = "\u05d1\u05b0\u034f\u05bc"
    assert _text(clean(hebrew)) == hebrew


HIDING = [
    ("hello" + "".join(chr(0xE0000 + ord(mark)) for mark in "obey"), UncleanReason.TAG_CHARACTER),
    ("🏴" + "".join(chr(0xE0000 + ord(mark)) for mark in "obey") + "\U000e007f", UncleanReason.TAG_CHARACTER),
    ("😀" + "".join(chr(0xFE00 + nibble) for nibble in (6, 15, 6, 2)), UncleanReason.VARIATION_SELECTOR),
    ("b\ufe0fold", UncleanReason.VARIATION_SELECTOR),
    ("葛\U000e0100\U000e0101", UncleanReason.VARIATION_SELECTOR),
    ("葛\U000e0100" * (IDEOGRAPHIC_SELECTORS_MOST + 1), UncleanReason.VARIATION_SELECTOR),
    ("\u202eevil\u202c", UncleanReason.BIDI_CONTROL),
    ("\u2067evil\u2069", UncleanReason.BIDI_CONTROL),
    ("p\u200ca\u200dy", UncleanReason.JOINER),
    ("a\u200d", UncleanReason.JOINER),
    ("f\u2061(x)", UncleanReason.INVISIBLE_OPERATOR),
    ("two\u3164words", UncleanReason.FILLER),
    ("\uffa0", UncleanReason.FILLER),
    ("a\u180eb", UncleanReason.FORMAT_CONTROL),
    ("a\ufff9b\ufffac\ufffb", UncleanReason.FORMAT_CONTROL),
    ("a\x00b", UncleanReason.CONTROL_CHARACTER),
    ("\x1b[31mred", UncleanReason.CONTROL_CHARACTER),
    ("a\x9bb", UncleanReason.CONTROL_CHARACTER),
    ("a\ud800b", UncleanReason.LONE_SURROGATE),
    ("a\ufdd0b", UncleanReason.NONCHARACTER),
    ("a\U0010ffffb", UncleanReason.NONCHARACTER),
    ("a" + "\u0301" * (MARKS_MOST + 1), UncleanReason.MARK_RUN),
    ("a" + "\u0301" * MARKS_MOST + "\xad\u0301", UncleanReason.MARK_RUN),
]


@pytest.mark.parametrize(("text", "reason"), HIDING)
def test_what_hides_a_message_is_refused(text: str, reason: UncleanReason) -> None:
    result = clean(text)
    assert reason in _reasons(result)
    assert isinstance(result, Unclean)
    assert result.refusal is RefusalReason.HIDDEN_CHARACTERS


def test_a_refusal_names_kinds_and_counts_only() -> None:
    result = clean("my secret\u202e plan\u202c \x07and\u3164more")
    assert result == Unclean(
        (
            (UncleanReason.BIDI_CONTROL, 2),
            (UncleanReason.CONTROL_CHARACTER, 1),
            (UncleanReason.FILLER, 1),
        )
    )


@pytest.mark.parametrize("nothing", ["", "  \n\t ", "\u200b", "\ufeff \xad ", "\u2800\u2800", "\u3000\xa0"])
def test_text_of_which_nothing_is_seen_is_refused_as_empty(nothing: str) -> None:
    result = clean(nothing)
    assert result == Unclean(((UncleanReason.NOTHING_LEFT, 1),))
    assert isinstance(result, Unclean)
    assert result.refusal is RefusalReason.EMPTY_AFTER_CLEANING


def test_line_ends_become_one_and_the_ends_are_trimmed() -> None:
    assert _text(clean("\r\n one\r\ntwo\rthree\u2028four\u2029five\x85six \n")) == "one\ntwo\nthree\nfour\nfive\nsix"


NASTY = (
    "ab 1#\n\t\r\xad\u0301\u0316\u034f\u05d0\u05b0\u0627\u06cc\u0915\u094d\u0e01\u1820\u180b\u180e\u200b\u200c\u200d"
    "\u200e\u200f\u061c\u2028\u202e\u2060\u2764\ufe00\ufe0f\ufeff\u3164\u845b\u20e3\ud83d\ufdd0😀👩🏽🏴\U000e0067\U000e007f"
    "\U000e0100\x00\u2800"
)


@given(st.text(st.sampled_from(NASTY), max_size=12) | st.text(max_size=40))
def test_cleaning_what_was_cleaned_changes_nothing(text: str) -> None:
    first = clean(text)
    if isinstance(first, Cleaned):
        assert clean(first.text) == Cleaned(first.text, 0)
        assert unicodedata.is_normalized("NFC", first.text)
        assert first.text == first.text.strip()
        assert "\x00" not in first.text
        first.text.encode()  # no lone surrogate is left
    else:
        assert first.found
        assert all(count > 0 for _, count in first.found)


def _same(left: str, right: str) -> bool:
    return normalise_for_match(left) == normalise_for_match(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("I like  Tea", " i like tea\n"),
        ("Straße", "STRASSE"),
        ("ﬁne", "FINE"),
        ("ＡＢＣ１", "abc1"),
        ("café", "cafe\u0301"),
        ("a\xa0b", "a b"),
        ("❤️", "❤"),
        ("di\xadary", "diary"),
        ("می‌خواهم", "میخواهم"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("İstanbul", "i\u0307stanbul"),
        ("ᾳ\u0345", "ΑΙΙ"),
    ],
)
def test_texts_that_differ_only_in_spelling_match(left: str, right: str) -> None:
    assert _same(left, right)


@pytest.mark.parametrize(("left", "right"), [("cafe", "café"), ("tea", "te a"), ("1", "2"), ("me", "not me")])
def test_texts_that_say_something_else_do_not_match(left: str, right: str) -> None:
    assert not _same(left, right)


def test_the_form_for_matching_is_stable_for_every_code_point_of_the_basic_plane() -> None:
    for point in range(0x10000):
        once = normalise_for_match(chr(point))
        assert normalise_for_match(once) == once, hex(point)


@given(st.text(max_size=40) | st.text(st.sampled_from(NASTY), max_size=20))
def test_the_form_for_matching_is_stable_and_blind_to_what_cleaning_strips(text: str) -> None:
    once = normalise_for_match(text)
    assert normalise_for_match(once) == once
    cleaned = clean(text)
    if isinstance(cleaned, Cleaned):
        assert normalise_for_match(cleaned.text) == once


@given(st.text(st.sampled_from("a\u0301\u0316\u05b0 "), max_size=120))
def test_marks_are_bounded_and_nothing_else_is_lost(text: str) -> None:
    bounded = bound_marks(text)
    assert bound_marks(bounded) == bounded
    longest = run = 0
    for mark in bounded:
        run = run + 1 if unicodedata.combining(mark) else 0
        longest = max(longest, run)
    assert longest <= MARKS_MOST
    assert bounded.replace("\u0301", "").count("a") == text.count("a")


@pytest.mark.parametrize(
    "hostile",
    [
        "a" + "\u0316\u0301" * 50_000,  # sorted in quadratic time when normalised as it is
        "a" + "\u0301\xad\u0316" * 33_000,
        "\u200f" * 100_000,
        "\u05d0\u200f" * 50_000,
        "a\u200d" * 50_000,
        "❤\ufe0f\u200d" * 33_000,
        "葛\U000e0100" * 50_000,
        "?!" * 50_000,
        "\u0301?" * 50_000,
        " \u2028" * 50_000,
    ],
    ids=ascii,
)
def test_hostile_text_of_a_hundred_thousand_characters_is_judged(hostile: str) -> None:
    result = clean(hostile[:100_000])
    assert isinstance(result, (Cleaned, Unclean))
    assert len(normalise_for_match(hostile[:100_000])) <= 100_000
