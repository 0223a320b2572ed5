"""Redaction: what is found by its shape, what is left alone, and tokens that cannot be joined or turned back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_memory.contracts.category import Category
from iris_memory.contracts.privacy import PiiToken, PiiTokenKind
from iris_memory.masking.others import mask_others, pii_token, redact_pii_from_text, redact_privacy_summary
from iris_memory.masking.pii_shapes import TOKEN, details
from iris_memory.tables.categories import is_sensitive

KEY, OTHER = b"k" * 32, b"o" * 32
K = PiiTokenKind

FOUND: dict[str, list[tuple[str, PiiTokenKind]]] = {
    "Write to bob.smith+news@mail.example.co.uk please": [("bob.smith+news@mail.example.co.uk", K.EMAIL)],
    "mail bob (at) example (dot) org": [("bob (at) example (dot) org", K.EMAIL)],
    "reach me under josé@müller.example": [("josé@müller.example", K.EMAIL)],
    "her number is +49 (170) 123-45-67": [("+49 (170) 123-45-67", K.PHONE)],
    "Call 020 7946 0958 after six": [("020 7946 0958", K.PHONE)],
    "text (212) 555-0187": [("(212) 555-0187", K.PHONE)],
    "Seine Handynummer: 0170/1234567": [("0170/1234567", K.PHONE)],
    "son portable 06 12 34 56 78": [("06 12 34 56 78", K.PHONE)],
    "paid with 4111 1111 1111 1111": [("4111 1111 1111 1111", K.CARD)],
    "IBAN DE89 3704 0044 0532 0130 00 is hers": [("DE89 3704 0044 0532 0130 00", K.ACCOUNT)],
    "IBAN GB82WEST12345698765432": [("GB82WEST12345698765432", K.ACCOUNT)],
    "her ssn is 078-05-1120": [("078-05-1120", K.ID)],
    "passport number C01X00T47": [("C01X00T47", K.ID)],
    "Reisepass C01X00T478": [("C01X00T478", K.ID)],
    "CPF 111.444.777-35": [("111.444.777-35", K.ID)],
    "lives at 12 Baker Street, London": [("12 Baker Street, London", K.ADDRESS)],
    "wohnt in der Hauptstraße 5a, 10115 Berlin": [("Hauptstraße 5a, 10115 Berlin", K.ADDRESS)],
    "habite 5 rue de la Paix, 75002 Paris": [("5 rue de la Paix, 75002 Paris", K.ADDRESS)],
    "vive en calle Mayor 12": [("calle Mayor 12", K.ADDRESS)],
    "abita in via Roma 7": [("via Roma 7", K.ADDRESS)],
    "woont op de Keizersgracht 123": [("Keizersgracht 123", K.ADDRESS)],
    "follow @ada_l on it": [("@ada_l", K.HANDLE)],
    "my friend Zorbina Quill said so": [("Zorbina Quill", K.PERSON)],
    "meine Kollegin Trixi kommt": [("Trixi", K.PERSON)],
    "mon frère Aurel Dupont": [("Aurel Dupont", K.PERSON)],
    "mi jefe Xavi": [("Xavi", K.PERSON)],
    "Mrs Whitcombe called": [("Mrs Whitcombe".removeprefix("Mrs "), K.PERSON)],
    "a girl named Yara": [("Yara", K.PERSON)],
    "Lunch with Sarah on Friday": [("Sarah", K.PERSON)],
    "Today Thomas came": [("Thomas", K.PERSON)],
    "Sarah's dog": [("Sarah", K.PERSON)],
}

LEFT: tuple[str, ...] = (
    "The meeting is on 2026-03-01 at 12:30",
    "Born 12.05.1990, moved 2019-2021",
    "The budget is 1,000,000 and the version 3.11.7",
    "Order 1234567 was shipped",
    "1234 5678 9012 3456 is no card",
    "XX00 0000 0000 0000 0000 00",
    "Flight LH 454 leaves at gate B12",
    "New York in Spring",
    "I like Beethoven and Street Food",
    "place 5 orders by 2020",
    "the server is at 192.168.10.1:8080",
    "use @ home",
    "ratio 3:2, score 10-12",
    "call me maybe",
    "Room 12, Building 5",
)


@pytest.mark.parametrize("text", FOUND)
def test_a_detail_is_found_where_it_stands(text: str) -> None:
    found = [(text[one.start : one.end], one.kind) for one in details(text, kinds=K)]
    assert found == FOUND[text]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_no_detail_is_left_alone(text: str) -> None:
    assert redact_pii_from_text(text, key=KEY).text == text


def test_every_kind_has_a_case() -> None:
    assert {kind for found in FOUND.values() for _, kind in found} == set(K)


def test_one_detail_has_one_token_under_one_key_and_another_under_another() -> None:
    one = redact_pii_from_text("Mail Ada@Example.com", key=KEY)
    same = redact_pii_from_text("Or ada@example.com", key=KEY)
    other = redact_pii_from_text("Mail ada@example.com", key=OTHER)
    assert one.tokens[0].tag == same.tokens[0].tag
    assert one.tokens[0].tag != other.tokens[0].tag
    assert pii_token(K.EMAIL, "ADA@example.com", key=KEY) in one.text
    assert pii_token(K.PHONE, "+49 170 1234567", key=KEY) == pii_token(K.PHONE, "0049-170-1234567", key=KEY)
    assert pii_token(K.PERSON, "x", key=KEY) != pii_token(K.HANDLE, "x", key=KEY)


@given(st.lists(st.sampled_from([*FOUND, *LEFT]) | st.text(max_size=30), max_size=5).map(" ".join))
@settings(max_examples=150)
def test_the_text_without_its_tokens_is_the_original_without_their_spans(text: str) -> None:
    done = redact_pii_from_text(text, key=KEY)
    rest, at = [], 0
    for token in done.tokens:
        assert at <= token.start < token.end <= len(text)
        rest.append(text[at : token.start])
        at = token.end
    rest.append(text[at:])
    rebuilt = "".join(
        part + (done.tokens[number].text() if number < len(done.tokens) else "") for number, part in enumerate(rest)
    )
    assert rebuilt == done.text
    assert redact_pii_from_text(text, key=KEY) == done


@pytest.mark.parametrize("text", FOUND)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact_pii_from_text(text, key=KEY).text
    assert redact_pii_from_text(once, key=KEY).text == once
    assert redact_pii_from_text(once, key=OTHER).text == once
    assert TOKEN.search(once)


def test_names_that_are_known_are_found_wherever_they_stand() -> None:
    text = "saw zorbina  QUILL and Quillon; Zorbina-Quill waved"
    done = redact_pii_from_text(text, key=KEY, names=["Zorbina Quill", "", "x" * 300])
    assert re.sub(r":[0-9a-f]{16}", "", done.text) == "saw [person] and Quillon; [person] waved"
    assert len({token.tag for token in done.tokens}) == 1


def test_only_the_kinds_that_are_asked_for_go() -> None:
    text = "Sarah: sarah@example.com, +49 170 1234567"
    done = redact_pii_from_text(text, key=KEY, kinds=[K.EMAIL])
    assert done.text.startswith("Sarah: [email:")
    assert done.text.endswith("+49 170 1234567")


def test_others_are_masked_and_the_subject_s_own_stays() -> None:
    text = "Sarah (sarah@example.com) owes Ada (ada@example.com); card 4111 1111 1111 1111"
    done = mask_others(text, key=KEY, own=["Ada@example.com", "Ada"])
    assert "ada@example.com" in done.text
    assert "sarah@example.com" not in done.text
    assert "4111 1111 1111 1111" in done.text
    assert [token.kind for token in done.tokens] == [K.PERSON, K.EMAIL]


@pytest.mark.parametrize("category", Category)
def test_a_summary_of_a_sensitive_category_says_its_name_and_a_token(category: Category) -> None:
    text = "Takes statins since Sarah called +49 170 1234567"
    told = redact_privacy_summary(text, category, key=KEY)
    if is_sensitive(category):
        assert re.fullmatch(rf"\[{category.value}:[0-9a-f]{{16}}\]", told)
        assert told == redact_privacy_summary(text.upper(), category, key=KEY)
        assert told != redact_privacy_summary(text, category, key=OTHER)
        assert told != redact_privacy_summary(text + " too", category, key=KEY)
    else:
        assert told.startswith("Takes statins since [person:")
        assert "1234567" not in told


def test_a_token_is_a_contract_and_reads_as_it_stands_in_a_text() -> None:
    token = PiiToken(kind=K.EMAIL, tag="0" * 16, start=1, end=2)
    assert token.text() == "[email:0000000000000000]"
    assert TOKEN.fullmatch(token.text())


HOSTILE = (
    "a@",
    "1 ",
    "1-",
    "A",
    "Aa ",
    "(at) ",
    "a.",
    "+1",
    "my friend ",
    "DE89 ",
    "12 Aa ",
    "rue de ",
    "[email:",
    "'s ",
)


@pytest.mark.timeout(30)  # a guard against a pattern that runs away
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_bounded_time(piece: str) -> None:
    redact_pii_from_text((piece * (100_000 // len(piece) + 1))[:100_000], key=KEY)
