"""Aggregating: pose samples become counts, means and ranges of their numbers. No word of a sample passes.

A sample holds measures such as `left_knee_angle: 91.5`, `hip tilt = -3` or the members of a JSON object. Numbers are
read as decimals exactly and kept in thousandths; the mean is rounded half up. What cannot be read is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from iris_memory.rules.extracting import Digest
from iris_memory.tables.pose_measures import NAMES, SAMPLES_LEAST

AGGREGATE_NAME: Final = "iris-aggregate-1"
"""Changes with every change of what is made from the same samples."""

THOUSAND: Final = 1_000
_NAME_MOST: Final = 6
_MEASURE: Final = re.compile(
    r"(?<![^\W_])(?P<name>[A-Za-z]+(?:[ _.\-][A-Za-z]+){0,5})\"?\s{0,4}[:=]\s{0,4}"
    r"(?P<number>[+-]?\d{1,9}(?:\.\d{1,9})?)(?![\w.]*[\d])"
)
_LINES_MOST: Final = 40


def measures(text: str) -> dict[str, int]:
    """Return the measures of one sample in thousandths, by name; of a name that stands twice, the last."""
    found = {}
    for match in _MEASURE.finditer(text):
        parts = re.split(r"[ _.\-]", match["name"].casefold())
        if len(parts) <= _NAME_MOST and all(part in NAMES for part in parts):
            found["_".join(parts)] = _thousandths(match["number"])
    return found


def aggregate(texts: Sequence[str]) -> Digest | None:
    """Return the aggregate of samples; None where fewer than two of them share a measure.

    Every sample is a source of the whole text: an aggregate cannot be taken apart.
    """
    values: dict[str, list[int]] = {}
    for text in texts:
        for name, value in measures(text).items():
            values.setdefault(name, []).append(value)
    told = [(name, found) for name, found in sorted(values.items()) if len(found) >= SAMPLES_LEAST][:_LINES_MOST]
    if not told:
        return None
    lines = [
        f"{name}: count {len(found)}, mean {_written(_mean(found))}, min {_written(min(found))},"
        f" max {_written(max(found))}"
        for name, found in told
    ]
    return Digest("\n".join(lines), None)


def _mean(values: Sequence[int]) -> int:
    return (2 * sum(values) + len(values)) // (2 * len(values))


def _thousandths(number: str) -> int:
    whole, _, fraction = number.lstrip("+-").partition(".")
    digits = (fraction + "0000")[:4]
    value = (int(whole) * 10 * THOUSAND + int(digits) + 5) // 10
    return -value if number.startswith("-") else value


def _written(thousandths: int) -> str:
    sign, value = ("-", -thousandths) if thousandths < 0 else ("", thousandths)
    whole, rest = divmod(value, THOUSAND)
    return f"{sign}{whole}.{rest:03d}".rstrip("0").rstrip(".") if rest else f"{sign}{whole}"
