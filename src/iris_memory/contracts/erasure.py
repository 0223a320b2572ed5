"""Forgetting: what will be reached, what was reached, and the receipt that says so."""

from __future__ import annotations

from enum import StrEnum
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


class ErasureStepName(StrEnum):
    """The steps of an erasure, in order."""

    HIDDEN = "hidden"
    KEYS_DESTROYED = "keys-destroyed"
    ROWS_DELETED = "rows-deleted"
    READ_BACK = "read-back"
    FILES_SCRUBBED = "files-scrubbed"
    RESIDUE_SEARCHED = "residue-searched"


class ErasureStep(Contract):
    """A step that was taken: when, and how many it was about (of a read-back and a search: how many were found)."""

    step: ErasureStepName
    at: Instant
    count: Count


class ForgetReceipt(Contract):
    """The receipt of a forget. It holds no personal data, and `note` signs every other field (C2SP signed note).

    `keys` names the numbers of the slots that were destroyed, as ranges; `read_back` says what each place that was
    asked afterwards still had, and `is_complete` that nothing was found there or in any file that was searched.
    """

    format: Literal["iris-forget-receipt"] = "iris-forget-receipt"
    version: Literal[1, 2] = 2
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
    is_complete: bool = False
    keys: Annotated[tuple[str, ...], Field(strict=False)] = ()
    read_back: dict[str, Count] = Field(default_factory=dict)
    steps: Annotated[tuple[ErasureStep, ...], Field(strict=False)] = ()
    note: str
