"""`iris bench mask` measures every size beside its floor, and names its extra where that is missing."""

from __future__ import annotations

import pytest

from iris_memory.bench import mask, peers
from iris_memory.bench.peers import PEERS
from iris_memory.bench.registry import BENCHES
from iris_memory.errors import SettingError
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.scan import scan
from iris_memory.sources import extra


def test_every_number_stands_beside_a_floor() -> None:
    results = BENCHES["mask"](quick=True)
    assert [(row.name, row.size) for row in results[:4]] == [
        ("scan with literals", 50),
        ("scan with all kinds", 50),
        ("scan with literals", 2_000),
        ("scan with all kinds", 2_000),
    ]
    assert all(row.value > 0 and row.floor and row.floor > 0 for row in results[:9])
    others = results[9:]
    assert len(others) == len(PEERS)
    assert all(row.unit == "of 1 installed" or (row.value > 0 and row.floor) for row in others)


def test_a_peer_is_measured_where_it_is_installed_and_named_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(literals: object) -> object:
        raise ModuleNotFoundError

    made = {"one that is here": lambda literals: lambda text: [text.find(each) for each in literals], "other": absent}
    monkeypatch.setattr(peers, "PEERS", made)
    here, missing = peers.beside(["a text"], literals=["text"], ours=0.08)
    assert (here.name, here.unit, here.floor) == ("peer one that is here, p50", "ms", 0.08)
    assert here.value > 0
    assert (missing.name, missing.value, missing.unit) == ("peer other", 0, "of 1 installed")


@pytest.mark.parametrize("size", [mask.FEW, mask.MANY])
def test_the_measured_text_holds_no_owner_and_the_owner_would_be_found(size: int) -> None:
    corpus = Corpus(mask._literals(size, mask._ALL_KINDS), ("GB",))
    assert {literal.kind for literal in corpus.literals} == set(mask._ALL_KINDS)
    assert scan(mask._ordinary(100_000), corpus) == []
    found = [literal.kind for literal in corpus.literals[:50] if scan(f"see {literal.text} now", corpus)]
    assert set(found) == set(mask._ALL_KINDS)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package_of_iris",))
    with pytest.raises(SettingError) as caught:
        mask.bench()
    assert "install iris-memory[masking]" in str(caught.value)
