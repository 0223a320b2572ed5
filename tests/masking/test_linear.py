"""Linear time (PII-9), counted and not timed: four times the input costs about four times the steps.

Steps are calls of functions, built-in ones too; what a single built-in call costs is bounded by construction (one pass
of an automaton, of a byte translation, of an array operation, or of a pattern with bounded repeats).
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable

import pytest
from owner_sample import every, exchange, owner, spans

from iris_memory.contracts.masking import Guard
from iris_memory.masking.decide import verdicts_of
from iris_memory.masking.leaves import decide_value, masked_value
from iris_memory.masking.render import masked
from iris_memory.masking.streaming import MaskStream
from iris_memory.tables.guards import DEFAULT_TABLE

SIZE = 8_000

HOSTILE = {
    "one letter": "a",
    "at signs": "@",
    "digits": "1 ",
    "zero-width": "O\u200b\u200bt",
    "combining": "o\u0301\u0302t",
    "percent": "%25",
    "percent of a letter": "%4F%74",
    "ampersands": "&amp;",
    "references": "&#79;",
    "backslashes": "\\",
    "JSON escapes": "\\u004f",
    "tokens": "[owner:email#1] ",
    "owner": "owner",
    "keys": "eyJ-eyJ.",
    "key prefixes": "ghp_ ",
    "sk": "--sk-a1",
    "BEGIN": "-----BEGIN PRIVATE KEY-----",
    "a name": "Ottoline Varga-Quill ",
    "a first name": "Ottoline ",
    "a last name": "varga quill ",
    "titles": "Dr. Dr. varga ",
    "an email": "ottoline.varga@gmail.com ",
    "a domain": "@gmail.com ",
    "tags": "+a@gmail.com ",
    "a phone number": "020 7946 0958 ",
    "phone digits": "2079460958",
    "a street": "Thornfield Street ",
    "a postcode": "NW1 6XE ",
    "house numbers": "221B 221B NW1 ",
    "a handle": "@ottoquill ",
    "a link": "ottoline9.example.com/garden-notes ",
    "a secret": "plum-Teapot-4471-green ",
    "nearly a secret": "plum-Teapot-4471-gree",
    "base64": base64.b64encode(bytes(range(256))).decode(),
    "short base64": "aB3dEfGhIjKl ",
    "look-alikes": "Νίκος ",
    "Hangul": "김철수는 ",
    "surrogates": "\ud83d",
    "brackets": "[[[[",
    "emails and tokens": "ottoline.varga@gmail.com [owner:email#1] ",
    "weak names": "Will [owner:name#1] will@gmail.com ",
}


def steps(do: Callable[[], object]) -> int:
    count = 0

    def count_call(frame, event, argument) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_call)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_steps_grow_with_the_text_and_no_faster(name):
    unit = HOSTILE[name]

    def render(text: str) -> None:
        masked(text, every(text=text), corpus=owner(), exchange=exchange())

    render("warm up " + unit)
    small = steps(lambda: render(unit * (SIZE // len(unit))))
    large = steps(lambda: render(unit * (4 * SIZE // len(unit))))
    assert large <= 5 * small + 2_000


@pytest.mark.parametrize("leaf", ["ottoline.varga@gmail.com", "Zoë", "[owner:email#1]", "020 7946", "{"])
def test_steps_grow_with_the_number_of_leaves_and_no_faster(leaf):
    def render(count: int) -> None:
        value = {"list": [[leaf, "Müllersdorf", {f"{leaf} {index}": "0958"}] for index in range(count)]}
        items = decide_value(value, corpus=owner(), table=DEFAULT_TABLE, guard=Guard.WEB_SEARCH)
        masked_value(value, items, corpus=owner(), exchange=exchange())

    render(3)
    small, large = steps(lambda: render(60)), steps(lambda: render(240))
    assert large <= 5 * small + 2_000


def test_steps_of_a_stream_grow_with_its_pieces_and_no_faster():
    def run(count: int) -> None:
        stream = MaskStream(
            corpus=owner(), verdicts=verdicts_of(DEFAULT_TABLE, guard=Guard.WEB_SEARCH), exchange=exchange()
        )
        for _ in range(count):
            stream.feed("some words of ottoline.varga@gmail.com and more, ")
        stream.finish()

    run(3)
    small, large = steps(lambda: run(40)), steps(lambda: run(160))
    assert large <= 5 * small + 2_000


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_of_some_size_is_read_to_its_end(name):
    unit = HOSTILE[name]
    text = unit * (200_000 // len(unit)) + " ottoline.varga@gmail.com"
    assert [span.kind.value for span in spans(text)][-1] == "email"


def test_one_long_gap_between_two_words_is_no_name():
    for filler in (" ", ".", "\u00a0 "):
        found = spans("Zoë" + filler * 50_000 + "Müllersdorf")
        assert found == []
    [span] = spans("Zoë " + "\u200b" * 50_000 + "Müllersdorf")
    assert span.end - span.start > 50_000
