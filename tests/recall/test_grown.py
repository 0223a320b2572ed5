"""A grown list or map reads like the plain one it stands for, and growing one leaves the one before as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_memory.recall.grown import GrownList, GrownMap

NUMBERS = st.integers(0, 9)
STEPS = st.lists(st.tuples(st.dictionaries(NUMBERS, NUMBERS, max_size=4), st.lists(NUMBERS, max_size=3)), max_size=5)


@given(st.lists(NUMBERS), st.lists(st.lists(NUMBERS, max_size=3), max_size=4), st.data())
def test_list(base: list[int], steps: list[list[int]], data: st.DataObject) -> None:
    grown, plain, before = GrownList(list(base)), list(base), []
    for more in steps:
        before.append((grown, list(plain)))
        grown, plain = grown.grown(iter(more)), [*plain, *more]
        if plain and data.draw(st.booleans()):
            before.append((grown, list(plain)))
            places = data.draw(st.lists(st.integers(0, len(plain) - 1)))
            grown, plain = grown.blanked(places, -1), [-1 if at in places else x for at, x in enumerate(plain)]
    for found, expected in [*before, (grown, plain)]:
        assert (list(found), len(found)) == (expected, len(expected))
        size = len(expected)
        assert [found[place] for place in range(-size, size)] == [expected[place] for place in range(-size, size)]
        assert list(found[1:4]) == expected[1:4]
        assert found.at([*range(size), *range(0, size, 2)]) == [*expected, *expected[::2]]
        assert list(reversed(found)) == expected[::-1]


@given(st.dictionaries(NUMBERS, NUMBERS), STEPS)
def test_map(base: dict[int, int], steps: list[tuple[dict[int, int], list[int]]]) -> None:
    grown, plain, before = GrownMap(dict(base)), dict(base), []
    for more, gone in steps:
        before.append((grown, dict(plain)))
        grown = grown.grown(more, gone=iter(gone))
        plain = {**{key: value for key, value in plain.items() if key not in gone}, **more}
    for found, expected in [*before, (grown, plain)]:
        assert dict(found) == expected
        assert len(found) == len(expected)
        assert sorted(found) == sorted(expected)
        assert all((key in found) == (key in expected) for key in range(10))
        assert all(found.get(key, "none") == expected.get(key, "none") for key in range(10))
