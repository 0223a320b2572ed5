"""The score of a memory: four parts in millionths, each rounded half up, summed with integer weights.

`0.4 recency + 0.35 semantic + 0.15 min(1, references / 10) + 0.1 origin`, as an integer from 0 to 1,000,000,000.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import NamedTuple

import numpy as np

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import ScoreParts
from iris_memory.contracts.shape import to_micros
from iris_memory.recall.columns import Columns, Ints, still
from iris_memory.recall.lexical import Semantic, overlap, share, tokens
from iris_memory.recall.recency import MINUTE, recency, table
from iris_memory.tables.limits import MILLION, REFERENCES_FOR_FULL_SCORE
from iris_memory.tables.origins import ORIGINS


class Scored(NamedTuple):
    """Scores of all rows, and the recency and semantic parts they were made from."""

    scores: Ints
    recency: Ints
    semantic: Ints | None


def score_columns(
    columns: Columns, *, text: str, now: int, weights: Mapping[str, int], default_weights: bool
) -> Scored:
    """Score every row of columns against a text at an instant (microseconds)."""
    values = table()
    ages = (now - columns.use.referenced) // MINUTE
    recent = values[np.minimum(np.maximum(ages, 0), len(values) - 1)]  # `clip` says the same and takes longer
    scores = recent * weights["recency"]
    if default_weights:
        scores += columns.use.still
    else:
        scores += still_points(columns, weights)
    alike = semantic_columns(columns, text)
    if alike is not None:
        scores += alike * weights["semantic"]
    return Scored(scores, recent, alike)


def still_points(columns: Columns, weights: Mapping[str, int]) -> Ints:
    """Return the points that depend on neither the text nor the time, under given weights."""
    return still(columns.use.references, columns.traits.origin, weights)


def semantic_columns(columns: Columns, text: str) -> Ints | None:
    """Return the token overlap of every row with a text in millionths; None where nothing overlaps."""
    wanted = tokens(text) if text else []
    if not wanted or not columns.size:
        return None
    postings = columns.postings
    found = np.searchsorted(postings.tokens, np.array(wanted, dtype=np.uint64))
    hits = [
        postings.rows[postings.starts[place] : postings.starts[place + 1]]
        for place, mark in zip(found.tolist(), wanted, strict=True)
        if place < len(postings.tokens) and int(postings.tokens[place]) == mark
    ]
    alike = np.zeros(columns.size, dtype=np.int64)
    if hits:
        shared = np.bincount(np.concatenate(hits), minlength=columns.base)
        rows = np.flatnonzero(shared)
        part = shared[rows]
        whole = len(wanted) + columns.token_count[rows] - part
        alike[rows] = (2 * MILLION * part + whole) // (2 * whole)
    if columns.tail_tokens:
        asked = frozenset(wanted)
        for offset, held in enumerate(columns.tail_tokens):
            if not asked.isdisjoint(held):
                alike[columns.base + offset] = overlap(asked, held)
    return alike


def injected(semantic: Semantic, text: str, entry: MemoryEntry) -> int:
    """Return an injected relevance in millionths, rounded half up and cut to 0..1; what is no number counts as 0."""
    value: object = semantic(text, entry)
    number = float(value) if isinstance(value, Real) else math.nan
    return math.floor(min(max(number, 0.0), 1.0) * MILLION + 0.5) if math.isfinite(number) else 0


def parts_of(entry: MemoryEntry, *, text: str, now: int, semantic: Semantic | None = None) -> ScoreParts:
    """Return the four parts of one entry's score."""
    since = to_micros(entry.last_referenced_at or entry.updated_at)
    alike = (
        injected(semantic, text, entry) if semantic else overlap(frozenset(tokens(text)), frozenset(tokens(entry.body)))
    )
    return ScoreParts(
        recency=recency(now, since),
        semantic=alike,
        reference_count=share(min(entry.reference_count, REFERENCES_FOR_FULL_SCORE), REFERENCES_FOR_FULL_SCORE),
        origin=ORIGINS[entry.origin].weight,
    )


def weigh(parts: ScoreParts, weights: Mapping[str, int]) -> int:
    """Return the score of four parts."""
    return (
        parts.recency * weights["recency"]
        + parts.semantic * weights["semantic"]
        + parts.reference_count * weights["reference_count"]
        + parts.origin * weights["origin"]
    )
