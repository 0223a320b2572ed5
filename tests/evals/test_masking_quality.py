"""PII-15: the published table is what the corpus gives, and a number that falls fails the build."""

from __future__ import annotations

from pathlib import Path

import pytest

from iris_memory.contracts.masking import PiiKind
from iris_memory.evals import masking_cases, masking_quality
from iris_memory.evals.attacks import TRANSFORMATIONS
from iris_memory.evals.masking_quality import Quality, Right, measure, page
from iris_memory.evals.ordinary_text import SORTS

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "masking-quality.md"


@pytest.fixture(scope="module")
def quality() -> Quality:
    return measure()


def test_the_published_table_is_what_is_measured(quality: Quality) -> None:
    assert page(quality) == PUBLISHED.read_text(encoding="utf-8"), "make it anew: iris eval masking --table FILE"


def test_nothing_falls_short(quality: Quality) -> None:
    assert list(quality.shortfalls()) == []
    assert set(quality.kinds) == set(PiiKind)
    assert set(quality.sorts) == set(quality.ordinary) == set(SORTS)
    assert {row.disguise for row in quality.disguises} == {how.name for how in TRANSFORMATIONS}
    assert all(right.stood > 10 for rights in quality.sorts.values() for right in rights.values())


def test_what_is_missed_is_a_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(case: masking_cases.Disguised, **given: object) -> bool:
        return "full width" not in case.case and masking_cases_is_found(case, **given)  # type: ignore[arg-type]

    masking_cases_is_found = masking_cases.is_found
    monkeypatch.setattr(masking_cases, "is_found", blind)
    monkeypatch.setattr(masking_quality, "is_found", blind)
    worse = measure(characters=80_000)
    short = list(worse.shortfalls())
    assert "name, full width" in short
    assert "secret, in disguise" in short
    assert "| full width | 0.00 | 0.00 |" in page(worse)


def test_a_share_of_one_is_said_of_nothing_less() -> None:
    short = Right(stood=1_000_000, found=999_999, false=1)
    assert masking_quality._share(short.recall) == masking_quality._share(short.precision) == "0.99"
    assert masking_quality._share(Right(3, 3, 0).recall) == "1.00"
