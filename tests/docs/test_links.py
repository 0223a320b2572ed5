"""Links between the pages lead somewhere, to headings too, and every page can be reached from the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_blocks import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links_of(page: Path) -> list[str]:
    return _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that the headings of a page get: lower case, words joined by hyphens."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in _HEADING.findall(text)}


def target_of(page: Path, link: str) -> tuple[Path, str]:
    place, _, anchor = link.partition("#")
    return (page.parent / place).resolve() if place else page, anchor


def local_links(page: Path) -> list[str]:
    return [link for link in links_of(page) if "://" not in link and not link.startswith("mailto:")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    lost = []
    for link in local_links(page):
        target, anchor = target_of(page, link)
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            lost.append(link)
    assert lost == []


def test_every_page_can_be_reached() -> None:
    waiting, reached = [ROOT / "README.md"], set()
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        waiting += [target for link in local_links(page) if (target := target_of(page, link)[0]).suffix == ".md"]
    assert [page.relative_to(ROOT).as_posix() for page in PAGES if page not in reached] == []


def test_decisions_are_numbered_without_a_gap_and_listed() -> None:
    records = sorted(path.name for path in (ROOT / "docs" / "adr").glob("[0-9]*.md"))
    assert [int(name[:4]) for name in records] == list(range(1, len(records) + 1))
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    assert [name for name in records if f"]({name})" not in index] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "adr").glob("[0-9]*.md")), ids=lambda page: page.stem)
def test_a_decision_says_what_it_must(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.name[:4]} ")
    assert [part for part in ("Status: ", "## Context", "## Decision", "## Consequences") if part not in text] == []
