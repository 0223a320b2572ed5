"""Pose samples become numbers and names of a closed list; no other word of theirs passes."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.rules.aggregating import aggregate, measures
from iris_memory.tables.pose_measures import NAMES

VALUES = st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=30)
LINE = re.compile(r"([a-z_]+): count (\d+), mean (-?[\d.]+), min (-?[\d.]+), max (-?[\d.]+)")


@pytest.mark.parametrize(
    ("sample", "found"),
    [
        ("left_knee_angle: 91.5", {"left_knee_angle": 91_500}),
        ("Hip tilt = -3, spine.flexion: +12.3456", {"hip_tilt": -3_000, "spine_flexion": 12_346}),
        ('{"knee_angle": 90, "note": "call 112"}', {"knee_angle": 90_000}),
        ("knee_angle: 12345678901", {}),
        ("secret: 4444 pin code = 1234", {}),
        ("knee_secret: 7", {}),
        ("her knee: 7", {}),
        ("knee angle 90", {}),
        ("knee: 1.2.3.4", {}),
        ("", {}),
    ],
)
def test_measures_are_read_exactly_and_only_under_known_names(sample: str, found: dict[str, int]) -> None:
    assert measures(sample) == found


@given(VALUES)
def test_the_aggregate_is_that_of_exact_arithmetic(values: list[int]) -> None:
    digest = aggregate([f"knee_angle: {_written(value)}" for value in values])
    assert digest is not None
    assert digest.parts is None
    found = LINE.fullmatch(digest.text)
    assert found is not None
    name, count, mean, least, most = found.groups()
    assert (name, int(count)) == ("knee_angle", len(values))
    assert (Fraction(least), Fraction(most)) == (Fraction(min(values), 1000), Fraction(max(values), 1000))
    exact = Fraction(sum(values), 1000 * len(values))
    assert abs(Fraction(mean) - exact) <= Fraction(1, 2000)


def _written(thousandths: int) -> str:
    sign = "-" if thousandths < 0 else ""
    return f"{sign}{abs(thousandths) // 1000}.{abs(thousandths) % 1000:03d}"


@given(st.lists(st.text(max_size=60), max_size=6))
def test_no_word_of_a_sample_passes(texts: list[str]) -> None:
    digest = aggregate([*texts, "knee_angle: 1 says hello", "knee_angle: 3 says goodbye"])
    assert digest is not None
    words = set(re.findall(r"[^\W\d_]+", digest.text))
    assert words <= NAMES | {"count", "mean", "min", "max"}


def test_one_sample_is_no_aggregate() -> None:
    assert aggregate(["knee_angle: 90"]) is None
    assert aggregate(["knee_angle: 90", "hip_angle: 12"]) is None
    assert aggregate(["rests on the left side", "rests"]) is None
