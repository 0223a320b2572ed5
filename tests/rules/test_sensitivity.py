"""Doubt about a category: what it sees on a corpus written after the rules, and the published rates it is held to."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import category_consent
from iris_memory.rules.screening import Screening, screen
from iris_memory.rules.screening_words import LANGUAGES
from iris_memory.rules.sensitivity import doubted, needs, question
from iris_memory.tables.categories import SENSITIVE_CATEGORIES, is_sensitive

CORPUS = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "sensitivity.jsonl").read_text("utf-8").splitlines()
]
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "screening.md"
HEADING = "## Doubt about a category"


@cache
def measured() -> dict[str, tuple[float, float]]:
    """Return, per row of the page, the shares seen and seen rightly, in percent; of harmless words the share hit."""
    seen: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row in CORPUS:
        looks_like = doubted(Category.FACT, screen(row["text"]))
        if row["set"] == "sensitive":
            outcome = (bool(looks_like), row["category"] in looks_like)
            for name in (row["category"], f"language {row['language']}", "all sensitive"):
                seen[name].append(outcome)
        else:
            for name in (f"harmless {row['language']}", "all harmless"):
                seen[name].append((bool(looks_like), False))
    return {
        name: (
            100 * sum(any_ for any_, _ in found) / len(found),
            100 * sum(right for _, right in found) / len(found),
        )
        for name, found in seen.items()
    }


@cache
def published() -> dict[str, tuple[float, float]]:
    text = PAGE.read_text("utf-8")
    section = text[text.index(HEADING) :].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([a-z_ ]+) \| ([\d.]+) % \| (?:([\d.]+) %|-) \|", section, re.MULTILINE)
    return {name: (float(any_), float(right or 0)) for name, any_, right in rows}


def test_the_corpus_is_as_large_and_as_wide_as_it_should_be() -> None:
    sizes = Counter(row["set"] for row in CORPUS)
    assert sizes["sensitive"] >= 600
    assert sizes["harmless"] >= 1_500
    by_category = Counter(row["category"] for row in CORPUS if row["set"] == "sensitive")
    assert set(by_category) == {category.value for category in SENSITIVE_CATEGORIES}
    assert min(by_category.values()) >= 30
    for name in ("sensitive", "harmless"):
        assert {row["language"] for row in CORPUS if row["set"] == name} == set(LANGUAGES)
    assert len({row["text"] for row in CORPUS}) == len(CORPUS)


def test_everything_that_is_measured_is_published_and_nothing_else() -> None:
    assert set(published()) == set(measured())


@pytest.mark.parametrize("name", sorted(measured()))
def test_the_rates_are_at_least_as_good_as_published(name: str) -> None:
    (any_, right), (published_any, published_right) = measured()[name], published()[name]
    if "harmless" in name:
        assert any_ <= published_any + 0.05
    else:
        assert any_ >= published_any - 0.05
        assert right >= published_right - 0.05


def test_the_precision_is_as_published() -> None:
    hits = sum(bool(doubted(Category.FACT, screen(row["text"]))) for row in CORPUS if row["set"] == "sensitive")
    false_hits = sum(bool(doubted(Category.FACT, screen(row["text"]))) for row in CORPUS if row["set"] == "harmless")
    told = re.search(r"precision is ([\d.]+) %", PAGE.read_text("utf-8"))
    assert told is not None
    assert 100 * hits / (hits + false_hits) >= float(told.group(1)) - 0.05


@pytest.mark.parametrize("category", Category)
def test_only_what_is_filed_as_harmless_is_doubted(category: Category) -> None:
    look = Screening((Category.MEDICAL, Category.LEGAL), instruction_like=False, rules=())
    assert doubted(category, look) == (() if is_sensitive(category) else (Category.MEDICAL, Category.LEGAL))
    assert doubted(category, Screening((), instruction_like=True, rules=())) == ()


@pytest.mark.parametrize("category", sorted(SENSITIVE_CATEGORIES))
def test_the_question_names_the_matter_and_what_was_said(category: Category) -> None:
    text = question(Category.WORK, (category,))
    assert "filed as work" in text
    assert question(Category.WORK, (Category.MEDICAL, category)) != text
    assert needs((category,), ()) == (category_consent(category),)
    assert needs((category,), {category_consent(category)}) == ()


def test_every_matter_has_words_of_its_own() -> None:
    assert len({question(Category.FACT, (category,)) for category in SENSITIVE_CATEGORIES}) == len(SENSITIVE_CATEGORIES)
