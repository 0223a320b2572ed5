"""Integrity: what a label may claim (POI-1, POI-3). No machine raises a label; the person's own word does."""

from __future__ import annotations

from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, Origin, ProvenanceLink
from iris_memory.tables.labels import LABELS, lowest


def above_ceiling(label: Label, origin: Origin, category: Category) -> RefusalReason | None:
    """Return why a label may not carry an origin or a category; None where it may."""
    row = LABELS[label]
    if origin not in row.origins:
        return RefusalReason.ORIGIN_ABOVE_CEILING
    if category in row.barred:
        return RefusalReason.CATEGORY_ABOVE_CEILING
    return None


def label_of_sources(label: Label, provenance: tuple[ProvenanceLink, ...]) -> Label:
    """Return the lowest of a statement's own label and those of its sources."""
    return lowest(label, *(link.label for link in provenance))
