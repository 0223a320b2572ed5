"""Owner identity stays fresh, whole and never weaker than it was (PII-10)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from iris_memory.contracts.masking import Action, Column, GuardRow, MaskingReason, OwnerStatement, PiiKind
from iris_memory.errors import IdentityConfigError
from iris_memory.sources.corpora import CHECK_SECONDS, Corpora
from iris_memory.sources.watched import BYTES_MOST, Watched, watched_file


class Seconds:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def block(*names: str) -> str:
    return "---\nidentity:\n  names:\n" + "".join(f"    - {name}\n" for name in names) + "---\n"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "USER.md"
    path.write_text(block("Ottoline Varga"))
    return path


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


def corpora_of(document: Path, clock: Seconds, **more: object) -> Corpora:
    return Corpora({"USER.md": document}, clock=clock, **more)  # type: ignore[arg-type]


def names_in(corpora: Corpora) -> list[str]:
    return [literal.text for literal in corpora.current().corpus.literals]


def test_a_change_is_seen_after_five_seconds_and_not_looked_for_before(document: Path, clock: Seconds) -> None:
    corpora = corpora_of(document, clock)
    document.write_text(block("Zora Quill"))
    clock.now += CHECK_SECONDS - 0.001
    assert names_in(corpora) == ["Ottoline Varga"]
    clock.now += 0.001
    assert names_in(corpora) == ["Zora Quill"]
    assert CHECK_SECONDS <= 5


def test_what_another_process_writes_is_seen(document: Path, clock: Seconds) -> None:
    corpora = corpora_of(document, clock)
    write = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    subprocess.run([sys.executable, "-c", write, str(document), block("Zora Quill")], check=True)
    clock.now += CHECK_SECONDS
    assert names_in(corpora) == ["Zora Quill"]


def test_a_writer_of_this_process_is_seen_at_once(document: Path, clock: Seconds) -> None:
    corpora = corpora_of(document, clock)
    document.write_text(block("Zora Quill"))
    corpora.invalidate()
    assert names_in(corpora) == ["Zora Quill"]


def test_nothing_is_built_anew_where_nothing_moved(document: Path, clock: Seconds) -> None:
    corpora = corpora_of(document, clock)
    before = corpora.current()
    for _ in range(3):
        clock.now += CHECK_SECONDS
        assert corpora.current() is before
    assert "lexicon" in vars(before.corpus), "compiled before anybody sees it"


def test_only_a_source_that_moved_is_read() -> None:
    reads, stamp = [], [1]

    def read() -> int:
        reads.append(stamp[0])
        return stamp[0]

    source = Watched(fingerprint=lambda: stamp[0], read=read)
    assert [source.refresh(), source.refresh(), source.refresh()] == [False, False, False]
    assert reads == [1, 1], "once more after the first reading, then never"
    stamp[0] = 2
    assert [source.refresh(), source.refresh(), source.refresh()] == [True, False, False]
    assert reads == [1, 1, 2, 2]
    assert source.refresh(anyway=True) is False


def test_a_second_write_in_one_tick_is_seen_at_the_next_look() -> None:
    text = ["one"]
    source = Watched(fingerprint=lambda: 0, read=lambda: text[0])
    text[0] = "two"
    assert source.refresh()
    assert source.value == "two"


@pytest.mark.parametrize(
    "broken", [block("A B").replace("names", "nmaes"), "---\nidentity: [\n---\n", "x" * (BYTES_MOST + 1)]
)
def test_the_last_good_corpus_stays_until_the_document_is_mended(document: Path, clock: Seconds, broken: str) -> None:
    corpora = corpora_of(document, clock)
    document.write_text(broken)
    for _ in range(2):
        clock.now += CHECK_SECONDS
        assert names_in(corpora) == ["Ottoline Varga"]
        assert corpora.current().fault == "IdentityConfigError"
    document.write_text(block("Zora Quill"))
    clock.now += CHECK_SECONDS
    assert names_in(corpora) == ["Zora Quill"]
    assert corpora.current().fault is None


def test_a_document_that_is_mended_to_what_it_was_ends_the_fault(document: Path, clock: Seconds) -> None:
    corpora = corpora_of(document, clock)
    good = document.read_bytes()
    document.write_bytes(b"\xff\xfe")
    clock.now += CHECK_SECONDS
    assert corpora.current().fault == "UnicodeDecodeError"
    document.write_bytes(good)
    clock.now += CHECK_SECONDS
    assert corpora.current().fault is None


def test_there_is_no_beginning_without_a_good_corpus(document: Path, clock: Seconds) -> None:
    document.write_text("---\nidentity: [\n---\n")
    with pytest.raises(IdentityConfigError):
        corpora_of(document, clock)


def test_a_document_that_is_not_there_says_nothing_until_it_is(tmp_path: Path, clock: Seconds) -> None:
    corpora = corpora_of(tmp_path / "USER.md", clock)
    assert names_in(corpora) == []
    (tmp_path / "USER.md").write_text(block("Ottoline Varga"))
    clock.now += CHECK_SECONDS
    assert names_in(corpora) == ["Ottoline Varga"]
    (tmp_path / "USER.md").unlink()
    clock.now += CHECK_SECONDS
    assert names_in(corpora) == []


def test_the_configuration_is_followed_and_closes_the_table_when_it_cannot_be_used(
    document: Path, tmp_path: Path, clock: Seconds
) -> None:
    config = tmp_path / "identity.yaml"
    corpora = corpora_of(document, clock, config=config)
    corpus = corpora.current().corpus

    def cell() -> Action:
        clock.now += CHECK_SECONDS
        return corpora.current().table.cell(GuardRow.NAME, column=Column.TIER3).action

    assert cell() is Action.PASS
    config.write_text("guards: {name: {tier3: deny}}\n")
    assert cell() is Action.DENY
    config.write_text("guards: {nmae: {tier3: deny}}\n")
    assert (cell(), corpora.current().table.fault) == (Action.MASK, MaskingReason.CONFIG_INVALID)
    config.write_bytes(b"\xff")
    assert (cell(), corpora.current().table.fault) == (Action.MASK, MaskingReason.CONFIG_UNREADABLE)
    config.unlink()
    assert cell() is Action.PASS
    assert corpora.current().corpus is corpus, "a table alone builds no corpus"


def test_a_closed_table_takes_force_though_the_documents_are_broken_too(
    document: Path, tmp_path: Path, clock: Seconds
) -> None:
    config = tmp_path / "identity.yaml"
    corpora = corpora_of(document, clock, config=config)
    document.write_text("---\nidentity: [\n---\n")
    config.write_text("guards: [")
    clock.now += CHECK_SECONDS
    now = corpora.current()
    assert (now.table.closed, len(now.corpus.literals), now.fault) == (True, 1, "IdentityConfigError")


def test_statements_of_memory_count_by_the_map_of_the_configuration(
    document: Path, tmp_path: Path, clock: Seconds
) -> None:
    said = OwnerStatement(subject_is_owner=True, confirmed=True, attribute="work_mail", value="otto@quill.example")
    statements = Watched(fingerprint=lambda: 0, read=lambda: (said,))
    config = tmp_path / "identity.yaml"
    corpora = corpora_of(document, clock, config=config, statements=statements)
    assert {literal.kind for literal in corpora.current().corpus.literals} == {PiiKind.NAME}
    config.write_text("ontology_kinds: {work_mail: email}\n")
    clock.now += CHECK_SECONDS
    assert {literal.kind for literal in corpora.current().corpus.literals} == {PiiKind.NAME, PiiKind.EMAIL}


def test_a_reader_never_sees_half_a_corpus(document: Path) -> None:
    """PII-10: readers beside a writer see one of the two identities, whole, each with its patterns compiled."""
    pairs = (("Ottoline Varga", "Zora Quill"), ("Nadia Holm", "Petra Lind"))
    document.write_text(block(*pairs[0]))
    corpora = corpora_of(document, Seconds())
    seen: set[tuple[str, ...]] = set()
    wrong: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            corpus = corpora.current().corpus
            seen.add(tuple(literal.text for literal in corpus.literals))
            if "lexicon" not in vars(corpus):
                wrong.append("not compiled")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(40):
        aside = document.with_name("aside")
        aside.write_text(block(*pairs[turn % 2]))
        aside.replace(document)
        corpora.invalidate()
    done.set()
    for reader in readers:
        reader.join()
    assert seen <= set(pairs)
    assert wrong == []


def test_a_document_that_cannot_be_read_holds_up_no_other(document: Path, clock: Seconds) -> None:
    other = document.with_name("SOUL.md")
    corpora = Corpora({"USER.md": document, "SOUL.md": other}, clock=clock)
    document.write_bytes(b"\xff")
    other.write_text("write to zora@quill.example")
    clock.now += CHECK_SECONDS
    assert names_in(corpora) == ["Ottoline Varga", "zora@quill.example"]
    assert corpora.current().fault == "UnicodeDecodeError"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_the_place_of_a_document_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "USER.md")
    with pytest.raises(IdentityConfigError):
        watched_file(tmp_path / "USER.md")
