"""Recall: every literal in every listed disguise is found (PII-3), in every encoding (PII-7)."""

from __future__ import annotations

import pytest
from owner_sample import every, exchange, owner, spans

from iris_memory.contracts.masking import OwnerLiteral, PiiKind
from iris_memory.evals.attacks import TRANSFORMATIONS, Transformation
from iris_memory.masking.folding import fold
from iris_memory.masking.render import masked

CARRIER = "Please tell them about {} soon."

CASES = [
    pytest.param(literal, transformation, id=f"{literal.kind.value}-{index}-{transformation.name}")
    for index, literal in enumerate(owner().literals)
    for transformation in TRANSFORMATIONS
    if literal.kind in transformation.kinds
]


@pytest.mark.parametrize(("literal", "transformation"), CASES)
def test_a_disguised_literal_is_found(literal: OwnerLiteral, transformation: Transformation):
    for written in dict.fromkeys(transformation.write(literal.text)):
        text = CARRIER.format(written)
        low = text.index(written)
        high = low + len(written)
        hits = [span for span in spans(text) if span.start < high and span.end > low]
        assert literal.kind in {span.kind for span in hits}, written
        # nothing of it is left over but punctuation, a title, an opening sign or a scheme
        left = "".join(char for place, char in enumerate(text) if low <= place < high and not _covered(hits, place))
        assert len(fold(left)) <= transformation.around, (written, left)


def _covered(hits, place: int) -> bool:
    return any(span.start <= place < span.end for span in hits)


def test_every_kind_meets_every_encoding():
    """The matrix of PII-7: no kind is left out of percent, HTML, JSON escapes, nested JSON and base64."""
    encodings = {
        t.name for t in TRANSFORMATIONS if t.name.split(",")[0].split()[0] in ("percent", "HTML", "JSON", "base64")
    }
    assert len(encodings) == 10
    for transformation in TRANSFORMATIONS:
        if transformation.name in encodings:
            assert transformation.kinds == frozenset(PiiKind)
    assert {literal.kind for literal in owner().literals} == set(PiiKind)


@pytest.mark.parametrize("literal", owner().literals, ids=lambda literal: literal.kind.value)
def test_a_text_of_nothing_but_a_literal_becomes_nothing_but_a_pseudonym(literal):
    out = masked(literal.text, every(text=literal.text), corpus=owner(), exchange=exchange())
    assert out.text == f"[owner:{literal.kind.value}#1]"
    assert out.personal
