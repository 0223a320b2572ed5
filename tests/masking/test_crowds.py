"""Crowds of hits are put in order and resolved as few are: the short ways give what the long way gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.pattern import Hit
from iris_memory.masking.scan import _FEW, EXTENT_MOST, Resolver, Stretch, _in_order, resolved

hits = st.lists(
    st.builds(
        lambda start, size, kind, literal: Hit(start, start + size, kind, literal),
        st.integers(0, 60),
        st.integers(1, 12),
        st.sampled_from([PiiKind.NAME, PiiKind.EMAIL, PiiKind.HANDLE]),
        st.integers(0, 2),
    ),
    max_size=40,
)


def by_resolver(ordered: list[Hit]) -> list[Stretch]:
    resolver = Resolver()
    done = [resolver.take(hit) for hit in ordered]
    return [stretch for stretch in [*done, resolver.close()] if stretch is not None]


def key(hit: Hit) -> tuple[int, int, str, int]:
    return hit.start, -hit.end, hit.kind, hit.literal


@given(hits)
def test_hits_are_resolved_as_the_resolver_does_one_by_one(found: list[Hit]) -> None:
    ordered = sorted(found, key=key)
    assert list(resolved(ordered)) == by_resolver(ordered)


@given(hits)
def test_a_crowd_is_put_in_the_order_of_few(found: list[Hit]) -> None:
    crowd = [hit._replace(start=hit.start + shift, end=hit.end + shift) for hit in found for shift in (0, 3, 7)]
    crowd += [Hit(0, 1, PiiKind.LINK, number) for number in range(_FEW + 1)]
    assert _in_order(crowd) == sorted(crowd, key=key)


def test_a_stretch_that_grows_too_long_is_cut_as_the_resolver_cuts_it() -> None:
    chain = [Hit(start, start + 200, PiiKind.NAME, start) for start in range(0, 3 * EXTENT_MOST, 150)]
    assert list(resolved(chain)) == by_resolver(chain)
    assert len(by_resolver(chain)) > 1
