"""Properties of the decision and of rendering: offsets (PII-2), idempotence, nothing new, one scan for all (PII-1)."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from owner_sample import corpus_of, every, exchange, found, owner, spans
from texts import apart, texts

from iris_memory.contracts.masking import Action, Audience, Guard, MaskingReason
from iris_memory.masking.decide import decide
from iris_memory.masking.folding import fold
from iris_memory.masking.pseudonyms import PSEUDONYM
from iris_memory.masking.render import masked
from iris_memory.tables.guards import DEFAULT_TABLE, closed_table


@given(texts)
def test_spans_are_in_order_apart_and_inside_the_text(text):
    place = 0
    for span in spans(text):
        assert place <= span.start < span.end <= len(text)
        assert span.kind in span.kinds
        place = span.end


@given(texts)
def test_all_guards_find_the_same_spans(text):
    seen = {
        tuple(
            (span.start, span.end) for span in decide(text, corpus=owner(), table=table, guard=guard, audience=audience)
        )
        for table in (DEFAULT_TABLE, closed_table(MaskingReason.CONFIG_INVALID))
        for guard in Guard
        for audience in Audience
    }
    assert len(seen) == 1


@given(texts)
def test_masked_text_without_tokens_is_the_original_without_spans(text):
    """Offsets are in the original whatever folding does: what is outside of spans comes out as it went in.

    Escapes of look-alikes put a tilde in and do nothing else.
    """
    marked = every(text=text)
    mine = exchange()
    out = masked(text, marked, corpus=owner(), exchange=mine).text
    place, kept = 0, []
    for span in marked:
        kept.append(text[place : span.start])
        place = span.end
    kept.append(text[place:])
    tokens = [word for word, typed in mine.vocabulary().items() if typed is None]
    if tokens:
        # a typed look-alike is escaped by now, so that every token left is one that was put in
        out = re.sub("|".join(map(re.escape, tokens)), "", out)
    assert out.replace("~", "") == "".join(kept).replace("~", "")


@given(texts)
def test_masking_twice_is_masking_once(text):
    mine = exchange()
    once = masked(text, every(text=text), corpus=owner(), exchange=mine).text
    assert masked(once, every(text=once), corpus=owner(), exchange=mine).text == once


@given(texts)
def test_masking_reveals_nothing_new(text):
    """What comes out is made of what went in, of pseudonyms and of escapes: no unit from elsewhere."""
    out = masked(text, every(text=text), corpus=owner(), exchange=exchange()).text
    rest = PSEUDONYM.sub("", out).replace("~", "")
    remaining = iter(text)
    assert all(any(char == other for other in remaining) for char in rest)


@given(apart)
def test_nothing_is_left_to_mask(text):
    out = masked(text, every(text=text), corpus=owner(), exchange=exchange()).text
    assert [out[span.start : span.end] for span in spans(out)] == []


@given(texts)
def test_passing_and_logging_change_nothing(text):
    for action in (Action.PASS, Action.LOG):
        out = masked(text, every(action, text=text), corpus=owner(), exchange=exchange())
        assert out.text.replace("~", "") == text.replace("~", "")
        assert out.personal is bool(spans(text))


def test_numbers_count_from_left_to_right_and_stay():
    text = "o_varga@quillworks.example, ottoline.varga@gmail.com, O_VARGA@quillworks.example, +44 20 7946 0958"
    out = masked(text, every(text=text), corpus=owner(), exchange=exchange()).text
    assert out == "[owner:email#1], [owner:email#2], [owner:email#1], [owner:phone#1]"


def test_denying_and_halting_leave_nothing_readable_if_they_are_rendered():
    text = "ottoline.varga@gmail.com and plum-Teapot-4471-green"
    for action in (Action.DENY, Action.HALT):
        out = masked(text, every(action, text=text), corpus=owner(), exchange=exchange()).text
        assert out == "[owner:email#1] and [owner:secret#1]"


def test_an_empty_corpus_finds_nothing():
    assert found("Ottoline Varga-Quill, ottoline.varga@gmail.com", corpus_of()) == []


@settings(max_examples=30)
@given(st.text(max_size=200))
def test_any_text_at_all_can_be_read(text):
    for span in spans(text):
        assert fold(text[span.start : span.end])
