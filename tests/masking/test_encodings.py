"""Readings of a text: what they say, and where each of their code points came from (PII-7)."""

from __future__ import annotations

import base64
import html
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import texts

from iris_memory.masking import base64_text
from iris_memory.masking.encodings import Reading, horizon, in_ascii, in_letters, readings, unescaped
from iris_memory.masking.folding import visible_back, without_surrogates


def last(text: str) -> str:
    *_, reading = unescaped(text)
    return reading.text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a%40b", "a@b"),
        ("%C3%A9%E2%82%AC%F0%9F%98%80", "é€😀"),
        ("%c3%a9", "é"),
        ("100% of %zz and %", "100% of %zz and %"),
        ("%2540", "@"),
        ("%252540", "@"),
        ("%FF%C3", "??"),
        ("%u0040", "@"),
        ("&#64;&#x40;&#X40;&commat;", "@@@@"),
        ("&#64", "@"),
        ("&amp;#64;", "@"),
        ("&amp;", "&"),
        ("&nosuchthing;", "&nosuchthing;"),
        ("AT&T", "AT&T"),
        ("\\u0040\\u00e9", "@é"),
        ("\\\\u0040", "@"),
        ("\\ud83d\\ude00", "😀"),
        ("\\ud83d", "\ufffd"),
        ("\\U0001f600\\x40", "😀@"),
        ('a\\nb\\tc\\"d\\/e', 'a\nb\tc"d/e'),
        ("%26%2364%3B", "@"),
        ("&#37;40", "@"),
        ("\\u002540", "@"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_escapes(written, read):
    assert last(written) == read


@given(st.text(max_size=40))
def test_what_libraries_escape_is_read(text):
    text = without_surrogates(text)
    assert last(quote(text, safe="")) == last(text) or "%" in text or "&" in text or "\\" in text
    if not set(text) & set("&%\\"):
        assert last(html.escape(text)) == text


@given(texts)
def test_every_code_point_of_a_reading_comes_from_somewhere(text):
    text = without_surrogates(text)
    for reading in readings(text):
        place = 0
        for index in range(len(reading.text)):
            start, end = reading.original(index, index + 1)
            assert 0 <= start < end <= len(text)
            if not reading.chancy:
                assert start >= place
                place = start
        if reading.text:
            assert reading.original(0, len(reading.text))[1] <= len(text)


@given(texts)
def test_unescaped_readings_are_one_where_nothing_is_escaped(text):
    text = without_surrogates(text).translate(dict.fromkeys(map(ord, "%&\\"), " "))
    assert [reading.text for reading in unescaped(text)] == [text]


PAYLOADS = [
    "Ottoline Varga-Quill",
    "ottoline.varga@gmail.com",
    "büro@müllersdorf.example",
    "Νίκος Υψηλάντης",
    "1234567",
]


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("lead", ["", "a", "ab", "abc", "key_", "data:text/plain;base64,"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("strip", ["", "="])
def test_base64_is_read_at_every_phase_and_located(payload, lead, encode, strip):
    coded = encode(payload.encode()).decode().rstrip(strip)
    text = f"see {lead}{coded} there"
    for reading in readings(text):
        place = reading.text.find(payload)
        if reading.chancy and place >= 0:
            start, end = reading.original(place, place + len(payload))
            assert text[start:end].rstrip("=A") == coded.rstrip("=A")
            return
    pytest.fail("not read")


def test_base64_on_wrapped_lines_is_read_through():
    payload = "x" * 30 + " ottoline.varga@gmail.com " + "y" * 30
    coded = base64.encodebytes(payload.encode() * 3).decode()
    assert "\n" in coded.strip()
    assert any(payload * 3 in reading.text for reading in readings(f"Content:\n\n{coded}\n"))


@given(st.binary(max_size=300))
def test_both_ways_of_telling_text_from_bytes_agree(octets):
    assert base64_text._stretches(octets) == base64_text._stretches_of_many(octets)


@given(
    st.lists(
        st.one_of(st.binary(max_size=4), st.text(max_size=9).map(lambda text: without_surrogates(text).encode()))
    ).map(b"".join)
)
def test_stretches_of_text_are_well_formed(octets):
    for low, high in base64_text._stretches_of_many(octets):
        assert len(octets[low:high].decode()) > 1


def test_words_and_numbers_are_no_base64():
    for text in ("approximately", "GOVERNMENT", "1234567890123", "a_long_identifier_in_one_case"):
        assert [reading.chancy for reading in readings(text)] == [False]


@given(texts, st.integers(1, 200))
def test_behind_the_horizon_stands_at_least_the_reach(text, reach):
    text = without_surrogates(text)
    place = horizon(text, reach=reach)
    assert 0 <= place <= len(text)
    assert place <= visible_back(text, 0)
    if place:
        assert len(text) - place >= reach


@given(st.text(max_size=60))
def test_ascii_readings_have_one_character_per_visible_one(text):
    for narrow in (in_ascii, in_letters):
        plain, kept = narrow(text)
        assert plain.isascii()
        assert kept is None or len(kept) == len(plain)
        assert kept is not None or len(plain) == len(text)


def test_ascii_readings_say_what_is_seen():
    assert in_ascii("Ｔｏｋｅｎ：\u200b＠\u00a0‑é")[0] == "Token:@ -?"
    assert in_letters("Оwnеr－Ａ９٣é")[0] == "owner-a93e"
    assert Reading("x").original(0, 1) == (0, 1)
