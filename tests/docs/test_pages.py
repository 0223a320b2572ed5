"""Every runnable block of the documentation is run, page by page, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from doc_blocks import ROOT, RUN, Block, blocks_of, commands_of, environment_in, matches, run_page

DOCS = ROOT / "docs"
SERVED = {DOCS / "how-to" / "run-the-service.md", DOCS / "how-to" / "call-it-from-python.md"}
"""Their blocks need a server beside them; see test_service_page.py."""

PAGES = [
    page
    for kind in ("tutorial", "how-to", "explanation")
    for page in sorted((DOCS / kind).glob("*.md"))
    if page not in SERVED and any(block.language in RUN for block in blocks_of(page))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_print_what_it_shows(
    page: Path, commands: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = environment_in(tmp_path, commands)
    for name in ("HOME", "XDG_CONFIG_HOME", "PATH"):
        monkeypatch.setenv(name, environment[name])
    for name in ("IRIS_ROOT_KEY", "IRIS_KEY_FILE", "IRIS_STORE", "IRIS_AUDIT_DURABILITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert run_page(page, folder=tmp_path, environment=environment) > 0


def test_every_block_of_the_tutorial_is_run() -> None:
    for page in (DOCS / "tutorial").glob("*.md"):
        assert {block.language for block in blocks_of(page)} <= set(RUN), page.name


def test_every_how_to_has_a_block_that_is_run() -> None:
    for page in (DOCS / "how-to").glob("*.md"):
        assert any(block.language in RUN for block in blocks_of(page)), page.name


def test_what_is_shown_must_be_what_is_printed() -> None:
    assert matches("one\ntwo\n", "one\ntwo\n")
    assert matches("one 17\ntwo\nthree\n", "one …\n…\nthree")
    assert matches("", "")
    assert not matches("one\ntwo\n", "one\n")
    assert not matches("one\n", "")
    assert not matches("one a\nb two\n", "one … two\n")


def test_a_console_block_is_read_as_commands_with_what_they_print() -> None:
    block = Block("console", "$ iris one \\\n    --two # exit 3\nout\nmore\n$ iris three\n", 1)
    assert commands_of(block) == [("iris one --two", 3, "out\nmore\n"), ("iris three", 0, "")]
