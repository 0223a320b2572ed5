"""Public corpora, where they are at hand: numbers of every region, and sentences with marked identity."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import phonenumbers
import pytest
from owner_sample import corpus_of, every, exchange, found, owner, spans
from phonenumbers import PhoneNumberFormat

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import fold
from iris_memory.masking.matchers.phone import DIGITS_LEAST
from iris_memory.masking.render import masked

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


def rows(name: str) -> list[dict]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the public data set {Path(name).parent} is not at hand")
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return [json.loads(line) for line in text.splitlines()] if ".jsonl" in name else json.loads(text)


def test_a_number_of_every_region_is_found_in_national_and_international_form():
    missed, seen = [], 0
    for row in rows("libphonenumber/example_numbers.jsonl"):
        try:
            number = phonenumbers.parse(row["example"], row["region"])
        except phonenumbers.NumberParseException:
            continue
        international = phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)
        if len(phonenumbers.national_significant_number(number)) < DIGITS_LEAST:
            continue
        corpus = corpus_of((PiiKind.PHONE, international), regions=())
        forms = {
            international,
            phonenumbers.format_number(number, PhoneNumberFormat.E164),
            phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL),
            phonenumbers.format_number(number, PhoneNumberFormat.RFC3966),
        }
        for form in forms:
            seen += 1
            hits = found(f"ring {form} today", corpus)
            if [kind for kind, _ in hits] != ["phone"]:
                missed.append((row["region"], row["type"], form))
    assert seen > 2000
    assert missed == []


KINDS = {
    "PERSON": PiiKind.NAME,
    "EMAIL_ADDRESS": PiiKind.EMAIL,
    "PHONE_NUMBER": PiiKind.PHONE,
    "ADDRESS": PiiKind.ADDRESS,
}


def _is_enough(span: dict) -> bool:
    """Whether a gold value is of a kind that is claimed, and more than a first name, a flat or six digits."""
    kind, value = KINDS.get(span["entity_type"]), span["entity_value"]
    if kind is PiiKind.NAME:
        return len(value.split()) > 1
    if kind is PiiKind.PHONE:
        return len(fold(value)) >= DIGITS_LEAST
    return kind is not None and len(fold(value)) >= 8


def test_known_identity_does_not_leak_out_of_marked_sentences():
    """Each sentence's own gold values are the owner's; nothing of them may be left as written."""
    leaks, seen = [], 0
    for row in rows("presidio-research/generated_large.json.gz"):
        text = row["full_text"]
        gold = [(KINDS[span["entity_type"]], span["entity_value"]) for span in row["spans"] if _is_enough(span)]
        if not gold:
            continue
        corpus = corpus_of(*gold, regions=("US", "GB", "DE", "FR"))
        out = masked(text, every(corpus=corpus, text=text), corpus=corpus, exchange=exchange()).text
        for kind, value in gold:
            seen += 1
            if value in out:
                leaks.append((kind.value, value))
    assert seen > 1000
    assert leaks == []


@pytest.mark.parametrize("name", ["negative_cases", "edge_cases", "mixed_pii", "structured_pii", "unstructured_pii"])
def test_somebody_elses_identity_is_not_the_owners(name):
    somebody = corpus_of(
        (PiiKind.NAME, "Ottoline Varga-Quill"),
        (PiiKind.EMAIL, "ottoline@quillworks.example"),
        (PiiKind.PHONE, "+44 20 7946 0321"),
        (PiiKind.ADDRESS, "221B Thornfield Street, London NW1 6XE"),
        (PiiKind.HANDLE, "@ottoquill"),
    )
    for row in rows(f"datafog/{name}.json"):
        assert [kind for kind, _ in found(row["input"], somebody) if kind != "secret"] == [], row["id"]


def test_recogniser_cases_hold_none_of_the_sample_owner():
    for row in rows("presidio-recognizer-cases/cases.jsonl"):
        assert [span for span in spans(row["text"], owner()) if span.literal >= 0] == []
