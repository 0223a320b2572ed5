"""Blueprints: the governance of one adapter scope, and how long its memory is kept, as others read them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.consent import ConsentType, OptOut
from iris_memory.contracts.scope import AdapterScope, ScopeKind
from iris_memory.contracts.shape import Contract, Unordered


class Tier(StrEnum):
    """The memory tiers a scope spans."""

    CORE = "core"
    WORKING = "working"
    ARCHIVAL = "archival"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


class AtExpiry(StrEnum):
    """What happens when an envelope ends."""

    NONE = "none"
    SUMMARIZE = "summarize"
    AGGREGATE = "aggregate"
    REVIEW = "review"


class RetentionEnvelope(Contract):
    """How long memory of a scope lives, in days from the first `created_at`; null: until it is forgotten."""

    raw_days: Annotated[int, Field(ge=1)] | None
    summarised_days: Annotated[int, Field(ge=1)] | None
    at_expiry: AtExpiry
    keeps_summary: bool
    aggregates_only: bool
    until_contract_ends: bool


class ScopeBlueprint(Contract):
    """The governance of one adapter scope."""

    adapter_scope: AdapterScope
    kind: ScopeKind
    required_consents: tuple[ConsentType, ...]
    opt_outs: Annotated[frozenset[OptOut], *Unordered]
    tiers: Annotated[frozenset[Tier], *Unordered]
    needs_governance_review: bool
    admin_reviewable: bool
    consumers: Annotated[frozenset[Consumer], *Unordered]
    retention: RetentionEnvelope
