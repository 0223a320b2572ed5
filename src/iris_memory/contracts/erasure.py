"""Forgetting: what will be reached, what was reached, and the receipt that says so."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Storable


class ForgetTarget(Contract):
    """What to forget: exactly one of these. `mention` is the name of somebody else, or their handle.

    `source` is a reference of the provenance; `since` reaches what was first written at that instant or later.
    """

    logical_id: Identifier | None = None
    category: Category | None = None
    everything: bool = False
    source: Annotated[str, Field(min_length=1, max_length=512), Storable] | None = None
    since: Instant | None = None
    mention: Annotated[str, Field(min_length=1, max_length=200), Storable] | None = None


class ForgetPreview(Contract):
    """What a forget would reach, counted by where it lives; nothing was changed."""

    memories: Count
    revisions: Count
    reached: dict[str, Count]
    stays: Annotated[tuple[str, ...], Field(strict=False)]


class ResidueFinding(Contract):
    """What was found when every file was searched for what should be gone."""

    files: Count
    size: Count
    patterns: Count
    too_short: Count
    found: dict[str, Count]


class ForgetReceipt(Contract):
    """The receipt of a forget. It holds no personal data, and `note` signs every other field (C2SP signed note)."""

    format: Literal["iris-forget-receipt"] = "iris-forget-receipt"
    version: Literal[1] = 1
    receipt_id: Identifier
    tenant_id: Identifier
    person: Identifier
    reason: TombstoneReason
    asked_at: Instant
    completed_at: Instant
    memories: Count
    keys_destroyed: Count
    reached: dict[str, Count]
    residue: ResidueFinding | None
    files_scrubbed: bool
    vault_backup_days: Count
    audit_size: Count
    audit_root: str
    stays: Annotated[tuple[str, ...], Field(strict=False)]
    note: str
