"""A summary of whole sentences: no word is new, no number is lost on the way, the same bytes each time."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.rules.extracting import SEPARATOR, extract, sentences, split
from iris_memory.rules.hygiene import normalise_for_match

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), max_size=8)
SPOKEN = st.lists(
    st.lists(
        st.sampled_from(["I met Dr. Vale", "on 3 May 2026", "we talked", "it cost 3.50", "why", "fine", "no"]),
        min_size=1,
        max_size=5,
    ).map(lambda parts: ". ".join(parts) + "."),
    min_size=1,
    max_size=8,
)
PUBLIC = Path(__file__).parents[2] / ".." / "shared" / "data" / "locomo" / "locomo_dev4.json.gz"


@given(TEXTS | SPOKEN, st.integers(0, 200))
def test_every_piece_is_a_sentence_of_a_source(texts: list[str], most: int) -> None:
    digest = extract(texts, most=most)
    if digest is None:
        return
    assert len(digest.text) <= most
    assert digest.parts is not None
    for part in digest.parts:
        assert _is_said(digest.text[part.start : part.end], texts[part.source])
    covered = {at for part in digest.parts for at in range(part.start, part.end)}
    left = "".join(mark for at, mark in enumerate(digest.text) if at not in covered)
    assert not left.strip(SEPARATOR)


def _is_said(piece: str, source: str) -> bool:
    """Say whether a piece is a sentence of a source; another source may say the same in other capitals."""
    return normalise_for_match(piece) in {normalise_for_match(one) for one in split(source)}


@given(TEXTS | SPOKEN)
def test_a_text_is_its_sentences_and_white_space(texts: list[str]) -> None:
    for text in texts:
        assert "".join("".join(split(text)).split()) == "".join(text.split())


@given(SPOKEN, st.integers(20, 120))
def test_the_same_sources_give_the_same_bytes(texts: list[str], most: int) -> None:
    assert extract(texts, most=most) == extract(list(texts), most=most)


def test_sentences_end_where_people_end_them() -> None:
    assert split("I met Dr. Vale on 3 May. It cost 3.50 euro! Why? 窓際がいい。そうです。") == [
        "I met Dr. Vale on 3 May.",
        "It cost 3.50 euro!",
        "Why?",
        "窓際がいい。",
        "そうです。",
    ]
    assert split('He said "no." Then he left') == ['He said "no."', "Then he left"]
    assert split("one line\nanother line") == ["one line", "another line"]
    assert split("   ") == []


def test_what_two_sources_say_has_two_sources() -> None:
    found = sentences(["We talked. It rained.", "it  RAINED."])
    assert [(one.text, one.sources) for one in found] == [("We talked.", (0,)), ("It rained.", (0, 1))]


def test_a_date_or_number_goes_before_what_has_none() -> None:
    digest = extract(["The weather was mild and mild and mild.", "Flight IB 318 leaves on 12 May."], most=40)
    assert digest is not None
    assert digest.text == "Flight IB 318 leaves on 12 May."


def test_what_is_barred_is_in_no_summary() -> None:
    digest = extract(["Likes tea. Has a rash."], most=100, barred=lambda sentence: "rash" in sentence)
    assert digest is not None
    assert digest.text == "Likes tea."
    assert extract(["Has a rash."], most=100, barred=lambda sentence: True) is None


def test_real_conversations_give_verbatim_summaries_that_hold_all_their_numbers() -> None:
    """Measured on the sessions of four public dialogues, in a third of their length."""
    if not PUBLIC.exists():
        pytest.skip("../shared/data/locomo/locomo_dev4.json.gz is not beside the repository")
    held = there = 0
    for dialogue in json.loads(gzip.decompress(PUBLIC.read_bytes())):
        for name, turns in dialogue["conversation"].items():
            if not re.fullmatch(r"session_\d+", name):
                continue
            texts = [turn["text"] for turn in turns if turn.get("text")]
            digest = extract(texts, most=max(600, sum(map(len, texts)) // 3))
            assert digest is not None
            assert digest.parts is not None
            assert all(_is_said(digest.text[part.start : part.end], texts[part.source]) for part in digest.parts)
            there += len(set(re.findall(r"\d+", " ".join(texts))))
            held += len(set(re.findall(r"\d+", digest.text)))
    assert held == there > 20
