"""A crowd decided in columns gives what is found where each occurrence is checked by itself (PII-9)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from owner_sample import corpus_of, owner
from texts import AWKWARD, DISGUISES

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking import crowds, scan
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.crowds import Crowd
from iris_memory.masking.folding import Folded
from iris_memory.masking.pattern import Hit

WEAK = corpus_of(
    (PiiKind.NAME, "Mark Will"),
    (PiiKind.NAME, "Will"),
    (PiiKind.NAME, "Li"),
    (PiiKind.NAME, "김철수"),
    (PiiKind.NAME, "Νίκος"),
    (PiiKind.HANDLE, "@will"),
    (PiiKind.EMAIL, "will.mark@quill.example"),
    (PiiKind.SECRET, "aaaaaaaaaaaaaaaaaaaaaaaa"),
)
CORPORA = {
    "owner": owner(),
    "weak": WEAK,
    "spared": Corpus(WEAK.literals, WEAK.regions, frozenset({"will", "markwill"})),
}
PIECES = [
    *DISGUISES[:: len(DISGUISES) // 60], *AWKWARD, "Will", "Mark Will", "Will Mark", "li", "will.mark@quill.example",
    "김철수", "Νίκος", "@will", "a" * 30, "M. Will", "[owner:name#1]", "\u200b" * 80, " " * 70, "words between " * 20,
]  # fmt: skip

repeated = st.tuples(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5),
    st.sampled_from(["", " ", ", ", "\u200b", "é ", "x"]),
    st.integers(1, 12),
).map(lambda parts: (parts[1].join(parts[0]) + parts[1]) * parts[2])
texts = st.lists(repeated, min_size=1, max_size=4).map("".join)


def every_way(text: str, corpus: Corpus) -> list[tuple[list[Hit], list[tuple[int, int, tuple[Hit, ...]]]]]:
    """What is found with every text taken for a crowd, for many, and for few."""
    out = []
    most = 1 << 40
    for crowd, few in ((-most, 0), (most, 0), (most, most)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scan, "_CROWD", crowd)
            patch.setattr(scan, "_FEW", few)
            found = scan.scan(text, corpus)
            assert len(found) == len(list(found))
            stretches = [(one.start, one.end, one.hits) for one in found]
            assert [found[index] for index in range(-len(found), 0)] == list(found) == list(found[:])
            out.append((scan.candidates(text, corpus), stretches))
    return out


@pytest.mark.parametrize("name", CORPORA)
@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_a_crowd_is_found_as_each_one_is(name: str, text: str) -> None:
    crowd, many, each = every_way(text, CORPORA[name])
    assert crowd == many == each


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(["Mark Will ", "김철수 Will ", "will.mark@quill.example "]))
def test_near_repeats_are_told_apart(random, unit: str) -> None:
    letters = list(unit * 40)
    for _ in range(random.randrange(12)):
        letters[random.randrange(len(letters))] = random.choice("wW. @\u200bé1\n")
    crowd, many, each = every_way("".join(letters), WEAK)
    assert crowd == many == each


def test_stretches_of_several_hits_stand_among_those_of_one() -> None:
    corpus = corpus_of((PiiKind.NAME, "Ada Lovelace"), (PiiKind.NAME, "Lovelace Bell"), (PiiKind.HANDLE, "@ada"))
    crowd, many, each = every_way("Ada Lovelace Bell, Ada Lovelace or @ada. " * 40 + "Ada Lovelace Bell", corpus)
    assert crowd == many == each
    assert {len(hits) > 1 for _, _, hits in each[1]} == {False, True}


def test_surroundings_made_to_collide_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number is the same, as if an attacker had found texts that collide."""
    monkeypatch.setattr(crowds, "_number", lambda codes, low, high: np.zeros(low.size, np.uint64))
    monkeypatch.setattr(crowds, "_SALTS", (np.uint64(0),) * 3)
    text = "mark will, Mark Will. xMark Will Mark Willow " * 30 + "김철수는 will.mark@quill.example " * 30
    crowd, many, each = every_way(text, WEAK)
    assert crowd == many == each


@pytest.mark.parametrize("padding", ["", "\u00e9", "".join(map(chr, range(0x4E00, 0x4F40)))])
@pytest.mark.parametrize("size", [8, 9, 15, 16, 17, 40])
def test_stretches_are_equal_where_every_character_is(size: int, padding: str) -> None:
    one = "abcdefghij" * 4
    places = np.array([0, 0]), np.array([size, 0]), np.array([size, 8])
    for changed in range(size):
        other = one[:changed] + "z" + one[changed + 1 : size]
        codes = crowds._codes(one[:size] + other + padding)
        assert crowds._are_equal(codes, *places).tolist() == [False, True]
        assert crowds._are_equal(codes, *(place[:1] for place in places)).tolist() == [False]
    codes = crowds._codes(one[:size] * 2 + padding)
    assert crowds._are_equal(codes, *places).tolist() == [True, True]


def test_code_points_are_numbered_as_small_as_they_can_be() -> None:
    wide = "".join(map(chr, range(0x4E00, 0x4F40)))
    texts = ("abc", "\u00e9\U0001f600a\U0001f600", wide + "a")
    assert [crowds._codes(text).itemsize for text in texts] == [1, 1, 2]
    for text in texts:
        pairs = set(zip(text, crowds._codes(text).tolist(), strict=True))
        assert len(pairs) == len({number for _, number in pairs}) == len(set(text))


@given(st.lists(st.integers(0, 30)))
def test_each_number_is_led_by_an_equal_one(numbers: list[int]) -> None:
    array = np.array(numbers, np.uint64)
    leader = crowds._firsts(array)
    assert (array[leader] == array).all()
    assert len(set(leader.tolist())) == len(set(numbers))


def test_hits_come_back_from_columns_as_they_were() -> None:
    hits = [Hit(3, 9, PiiKind.NAME, 1, True, False, True), Hit(1, 2, PiiKind.SECRET, -1), Hit(3, 9, PiiKind.NAME, 1)]
    crowd = Crowd.joined([Crowd.of(hits), Crowd.of([]), Crowd.of(hits[:1])])
    assert list(crowd.each()) == [*hits, hits[0]]
    assert [crowd.hit(index) for index in range(4)] == [*hits, hits[0]]
    assert list(crowd.in_order().each()) == [hits[1], hits[0], hits[2], hits[0]]


def test_the_surroundings_of_a_text_with_unseen_characters_reach_as_far_as_is_seen() -> None:
    folded = Folded("ab\u200b\u200bcd\u200bef")
    low, high = folded.around(np.array([4, 0]), np.array([5, 8]), np.array([1, 2]))
    assert (low.tolist(), high.tolist()) == ([1, 0], [7, 9])
    assert not folded.is_all_visible
