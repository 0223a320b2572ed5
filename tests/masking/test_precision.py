"""Precision (PII-5): ordinary prose, code and logs hold next to nothing that is taken for the owner.

The ceiling is half a false hit per megabyte, for an ordinary owner and for one whose names are everyday words.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from owner_sample import corpus_of, owner, spans

from iris_memory.contracts.masking import PiiKind
from iris_memory.evals.ordinary_text import SORTS
from iris_memory.evals.owner import EVERYDAY_LITERALS

MEGABYTE = 1_000_000
CEILING_PER_MEGABYTE = 0.5

EVERYDAY = corpus_of(*EVERYDAY_LITERALS)
CORPORA = {"an ordinary owner": owner(), "an owner of everyday words": EVERYDAY}


@pytest.mark.parametrize("who", CORPORA)
@pytest.mark.parametrize("sort", SORTS)
def test_a_megabyte_of_ordinary_text_holds_no_owner(sort, who):
    text = SORTS[sort](MEGABYTE)
    hits = spans(text, CORPORA[who])
    seen = {(span.kind.value, text[span.start : span.end]) for span in hits}
    assert len(hits) <= CEILING_PER_MEGABYTE * len(text) / MEGABYTE, sorted(seen)[:20]


@pytest.mark.parametrize("who", CORPORA)
def test_the_source_of_the_standard_library_holds_no_owner(who):
    size, hits = 0, []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text)
        hits += [(path.name, text[span.start : span.end]) for span in spans(text, CORPORA[who])]
    assert size > 3 * MEGABYTE
    assert len(hits) <= CEILING_PER_MEGABYTE * size / MEGABYTE, hits[:20]


def test_the_owner_is_found_in_the_same_text():
    """The corpus can fail: what is planted in it is found."""
    for sort in SORTS:
        text = SORTS[sort](20_000)
        place = text.index(" ", 10_000)
        planted = f"{text[:place]} ottoline.varga@gmail.com {text[place:]}"
        assert [span.kind for span in spans(planted)] == [PiiKind.EMAIL]
