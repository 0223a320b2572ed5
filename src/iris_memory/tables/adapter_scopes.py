"""Adapter scopes: consents, opt-outs, tiers, flags and consumers of each, and how long its memory is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple

from iris_memory.contracts.blueprint import AtExpiry, RetentionEnvelope, ScopeBlueprint, Tier
from iris_memory.contracts.category import Consumer as U
from iris_memory.contracts.consent import ConsentType as T
from iris_memory.contracts.consent import OptOut as O
from iris_memory.contracts.scope import AdapterScope as A
from iris_memory.contracts.scope import ScopeKind as K
from iris_memory.tables.totality import total

OPERATOR_COPILOT_RETENTION_DAYS: Final = 14
REVIEW_GRACE: Final = timedelta(days=30)
"""How long a memory whose envelope ended in `review` waits for a decision before it is tombstoned."""


class Blueprint(NamedTuple):
    """The governance of one adapter scope."""

    kind: K
    required_consents: tuple[T, ...]
    opt_outs: frozenset[O]
    tiers: frozenset[Tier]
    needs_governance_review: bool
    admin_reviewable: bool
    consumers: frozenset[U]


class Envelope(NamedTuple):
    """How long memory lives, from the first `created_at` of the logical memory. None: until it is forgotten.

    `keeps_summary` is false where nothing summarised may stay; `until_contract_ends` where the tenant's contract
    bounds it.
    """

    raw: timedelta | None
    summarised: timedelta | None
    at_expiry: AtExpiry
    keeps_summary: bool = True
    aggregates_only: bool = False
    until_contract_ends: bool = False


_BASE = (T.DATA_PROCESSING, T.DATA_STORAGE)
_EVERYDAY = frozenset({U.ASSISTANT, U.TARA, U.ARETE, U.VERITAS, U.NYX, U.NISABA, U.METIS})
_DAY = timedelta(days=1)


def _blueprint(
    kind: K,
    consents: tuple[T, ...],
    opt_outs: set[O],
    tiers: set[Tier],
    consumers: frozenset[U],
    flags: str = "",
) -> Blueprint:
    return Blueprint(
        kind, consents, frozenset(opt_outs), frozenset(tiers), "G" in flags, "R" in flags, frozenset(consumers)
    )


ADAPTER_SCOPES: Final = total(
    "adapter_scopes",
    A,
    [
        (
            A.ASSISTANT_PROFILE,
            _blueprint(
                K.PROFILE, _BASE, {O.MEMORY, O.PERSONALIZATION}, {Tier.CORE, Tier.SEMANTIC}, _EVERYDAY, flags="R"
            ),
        ),
        (A.SESSION, _blueprint(K.SESSION, _BASE, {O.MEMORY}, {Tier.WORKING}, _EVERYDAY)),
        (
            A.SCENE,
            _blueprint(
                K.SCENE, _BASE, {O.MEMORY, O.EMBODIED}, {Tier.EPISODIC}, frozenset({U.ASSISTANT, U.TARA, U.NYX})
            ),
        ),
        (
            A.POSE,
            _blueprint(
                K.POSE,
                (*_BASE, T.SENSITIVE_DATA),
                {O.MEMORY, O.EMBODIED, O.BIOMETRIC},
                {Tier.EPISODIC},
                frozenset({U.TARA}),
                flags="G",
            ),
        ),
        (
            A.CONVERSATION,
            _blueprint(
                K.SESSION,
                _BASE,
                {O.MEMORY, O.HISTORY},
                {Tier.EPISODIC, Tier.ARCHIVAL},
                frozenset({U.ASSISTANT, U.SUPPORT}),
                flags="R",
            ),
        ),
        (
            A.DOMAIN,
            _blueprint(
                K.PROFILE,
                (*_BASE, T.PERSONALIZATION),
                {O.MEMORY, O.PERSONALIZATION},
                {Tier.SEMANTIC},
                _EVERYDAY,
                flags="R",
            ),
        ),
        (
            A.CROSS_DOMAIN,
            _blueprint(
                K.PROFILE,
                (*_BASE, T.PERSONALIZATION, T.CROSS_DOMAIN_SHARING),
                {O.MEMORY, O.PERSONALIZATION, O.CROSS_DOMAIN},
                {Tier.SEMANTIC},
                frozenset({U.ASSISTANT}),
                flags="GR",
            ),
        ),
        (
            A.NOTEBOOK,
            _blueprint(
                K.NOTEBOOK,
                _BASE,
                {O.MEMORY, O.NOTEBOOKS},
                {Tier.SEMANTIC, Tier.ARCHIVAL},
                frozenset({U.ASSISTANT, U.NISABA, U.METIS, U.STUDIO}),
            ),
        ),
        (
            A.OPERATOR_COPILOT,
            _blueprint(
                K.OPERATOR_COPILOT, _BASE, {O.OPERATOR_COPILOT}, {Tier.WORKING}, frozenset({U.ADMIN}), flags="G"
            ),
        ),
        (
            A.TENANT,
            _blueprint(
                K.TENANT,
                (*_BASE, T.TENANT_PROCESSING),
                {O.MEMORY, O.TENANT},
                {Tier.SEMANTIC, Tier.ARCHIVAL},
                frozenset({U.ASSISTANT, U.METIS, U.ADMIN}),
                flags="GR",
            ),
        ),
        (
            A.ADMIN_REVIEW,
            _blueprint(
                K.OPERATOR_COPILOT,
                (T.DATA_PROCESSING, T.OPERATOR_REVIEW),
                {O.OPERATOR_COPILOT},
                {Tier.ARCHIVAL},
                frozenset({U.ADMIN, U.SUPPORT}),
                flags="GR",
            ),
        ),
        (
            A.CRISIS,
            _blueprint(K.CRISIS, (T.DATA_PROCESSING,), set(), {Tier.WORKING}, frozenset({U.ASSISTANT, U.TARA})),
        ),
    ],
)

RETENTION: Final = total(
    "retention",
    A,
    [
        (A.SESSION, Envelope(1 * _DAY, 30 * _DAY, AtExpiry.SUMMARIZE)),
        (A.CONVERSATION, Envelope(90 * _DAY, 365 * _DAY, AtExpiry.SUMMARIZE)),
        (A.ASSISTANT_PROFILE, Envelope(None, None, AtExpiry.NONE)),
        (A.DOMAIN, Envelope(365 * _DAY, None, AtExpiry.SUMMARIZE)),
        (A.CROSS_DOMAIN, Envelope(90 * _DAY, 365 * _DAY, AtExpiry.REVIEW)),
        (A.NOTEBOOK, Envelope(None, None, AtExpiry.NONE)),
        (A.SCENE, Envelope(7 * _DAY, 90 * _DAY, AtExpiry.SUMMARIZE)),
        (A.POSE, Envelope(1 * _DAY, 30 * _DAY, AtExpiry.AGGREGATE, aggregates_only=True)),
        (
            A.OPERATOR_COPILOT,
            Envelope(OPERATOR_COPILOT_RETENTION_DAYS * _DAY, None, AtExpiry.REVIEW, keeps_summary=False),
        ),
        (A.TENANT, Envelope(365 * _DAY, None, AtExpiry.REVIEW, until_contract_ends=True)),
        (A.ADMIN_REVIEW, Envelope(30 * _DAY, None, AtExpiry.REVIEW, keeps_summary=False)),
        (A.CRISIS, Envelope(3 * _DAY, None, AtExpiry.REVIEW, keeps_summary=False)),
    ],
)


def blueprint(scope: A) -> ScopeBlueprint:
    """Return the rows of a scope as the contract that others read."""
    row, envelope = ADAPTER_SCOPES[scope], RETENTION[scope]
    return ScopeBlueprint(
        adapter_scope=scope,
        **row._asdict(),
        retention=RetentionEnvelope(
            raw_days=envelope.raw.days if envelope.raw else None,
            summarised_days=envelope.summarised.days if envelope.summarised else None,
            at_expiry=envelope.at_expiry,
            keeps_summary=envelope.keeps_summary,
            aggregates_only=envelope.aggregates_only,
            until_contract_ends=envelope.until_contract_ends,
        ),
    )
