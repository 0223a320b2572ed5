"""Recall: what may be asked, what comes back, and the account of everything that was held back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.category import Category, Consumer, Context, Surface
from iris_memory.contracts.entry import MemoryEntry, ProvenanceLink
from iris_memory.contracts.scope import AdapterScope, AnyScope, adapter_scope_after_kind
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Millionths, Storable, Unordered

REQUEST_TEXT_MOST = 20_000


class RecallRequest(Contract):
    """One question to memory.

    The library-level pipeline takes every right from here; a store takes them from its own records.
    """

    tenant_id: Identifier
    user_id: Identifier
    scope: AnyScope
    adapter_scope: AdapterScope = Field(default_factory=adapter_scope_after_kind)
    consumer: Consumer = Consumer.ASSISTANT
    assistant_id: Identifier | None = None
    surface: Surface = Surface.ASSISTANT
    text: Annotated[str, Field(max_length=REQUEST_TEXT_MOST), Storable] = ""
    contexts: Annotated[frozenset[Context], *Unordered] = frozenset()
    consented_categories: Annotated[frozenset[Category | Literal["multi-actor-sensitive"]], *Unordered] = frozenset()
    crisis_frame: bool = False
    safety_critical_context: bool = False
    dsar_workflow: bool = False
    tenant_policy: bool = False
    now: Instant
    limit: Annotated[int, Field(ge=0)] | None = None


class ScoreParts(Contract):
    """The four parts of a score, each in millionths, before weighing."""

    recency: Millionths
    semantic: Millionths
    reference_count: Millionths
    origin: Millionths


class RecallHit(Contract):
    """A memory that may be shown, with its reason and its source."""

    entry: MemoryEntry
    score: Annotated[int, Field(ge=0, le=1_000_000_000)]
    score_parts: ScoreParts
    surface_rationale: tuple[str, ...] | None
    provenance_chain: tuple[ProvenanceLink, ...]


class RecallAuditEnvelope(Contract):
    """The account of a recall: counts only, never content.

    Always `evaluated_count = len(returned_ids) + sum(suppression_counts) + deduplicated_count + over_budget_count`.
    """

    scope_key: str
    returned_ids: tuple[Identifier, ...]
    suppression_counts: dict[str, Count]
    evaluated_count: Count
    deduplicated_count: Count
    over_budget_count: Count
    recall_version: str


class RecallResult(Contract):
    """What a recall gives back."""

    hits: tuple[RecallHit, ...]
    audit_envelope: RecallAuditEnvelope


class GateVerdict(Contract):
    """What one gate says of one entry."""

    gate: str
    passed: bool
    reason: str | None
    rule: str


class Explanation(Contract):
    """Why one memory would or would not surface for one request: every gate, whichever comes first, and the score."""

    logical_id: Identifier
    entry_id: Identifier
    verdicts: tuple[GateVerdict, ...]
    counted_under: str | None
    score: int
    score_parts: ScoreParts
    weights: dict[str, int]
    outcome: Literal["returned", "dropped", "deduplicated", "over-budget"]
    rank: int | None
