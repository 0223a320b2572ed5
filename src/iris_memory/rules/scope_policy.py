"""Scope policy: what a person's consents and opt-outs make of each scope, for one consumer.

Laws:
* a scope whose only unmet consent is `data_storage` is ephemeral: it lives in the session and is never written to disk;
* any other unmet consent, an active opt-out, a consumer outside the allow-list, or a governance review that is not in
  force suppresses the scope;
* every cause is named in one plain sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.consent import ConsentType, OptOut, ScopeMode, ScopePolicy
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.scope import AdapterScope
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES


def build_scope_policies(
    consents: Collection[str],
    opt_outs: Collection[OptOut],
    consumer: Consumer,
    *,
    approvals: Collection[AdapterScope] = (),
) -> Mapping[AdapterScope, ScopePolicy]:
    """Return the policy of every scope. `approvals` are the scopes with a governance approval in force."""
    return MappingProxyType(
        {scope: policy_of(scope, consents, opt_outs, consumer, approvals=approvals) for scope in AdapterScope}
    )


def policy_of(
    scope: AdapterScope,
    consents: Collection[str],
    opt_outs: Collection[OptOut],
    consumer: Consumer,
    *,
    approvals: Collection[AdapterScope] = (),
) -> ScopePolicy:
    """Return the policy of one scope."""
    causes = refusals(scope, consents, opt_outs, consumer, approvals=approvals)
    name = scope.value.replace("_", " ").capitalize()
    notes = tuple(_sentence(name, reason, detail) for reason, detail in causes)
    if not causes:
        mode = ScopeMode.DURABLE
    elif causes == [STORAGE_UNMET]:
        mode = ScopeMode.EPHEMERAL
    else:
        mode = ScopeMode.SUPPRESSED
    return ScopePolicy(adapter_scope=scope, enabled=mode is not ScopeMode.SUPPRESSED, mode=mode, notes=notes)


STORAGE_UNMET: Final = (RefusalReason.CONSENT_MISSING, ConsentType.DATA_STORAGE.value)


@lru_cache(maxsize=1_024)
def suppressed_scopes(
    consents: frozenset[str],
    opt_outs: frozenset[OptOut],
    consumer: Consumer,
    approvals: frozenset[AdapterScope],
) -> frozenset[AdapterScope]:
    """Return the scopes whose stored memory may not be recalled: all that are not durable (see `build_scope_policies`).

    What is ephemeral lives in the session; without storage consent nothing is read from the disk either.
    """
    policies = build_scope_policies(consents, opt_outs, consumer, approvals=approvals)
    return frozenset(scope for scope, policy in policies.items() if policy.mode is not ScopeMode.DURABLE)


@lru_cache(maxsize=1_024)
def closed_scopes(
    consents: frozenset[str],
    opt_outs: frozenset[OptOut],
    consumer: Consumer,
    approvals: frozenset[AdapterScope],
) -> frozenset[AdapterScope]:
    """Return the scopes in which nothing lives, not even in the session: those that are suppressed."""
    policies = build_scope_policies(consents, opt_outs, consumer, approvals=approvals)
    return frozenset(scope for scope, policy in policies.items() if policy.mode is ScopeMode.SUPPRESSED)


def is_shown_to(scope: AdapterScope, consumer: Consumer, *, approvals: Collection[AdapterScope]) -> bool:
    """Say whether a consumer may be shown what a scope holds: it is in the allow-list, and a review is in force.

    Consents and opt-outs do not decide it: the person sees what is kept of them whatever they agreed to.
    """
    row = ADAPTER_SCOPES[scope]
    return consumer in row.consumers and (not row.needs_governance_review or scope in approvals)


def refusals(
    scope: AdapterScope,
    consents: Collection[str],
    opt_outs: Collection[OptOut],
    consumer: Consumer,
    *,
    approvals: Collection[AdapterScope] = (),
) -> list[tuple[RefusalReason, str]]:
    """Return every cause that keeps a scope from being durable: (reason, what it is about)."""
    row = ADAPTER_SCOPES[scope]
    causes = [
        (RefusalReason.CONSENT_MISSING, consent.value)
        for consent in row.required_consents
        if consent.value not in consents
    ]
    causes += [(RefusalReason.OPTED_OUT, opt_out.value) for opt_out in sorted(row.opt_outs & set(opt_outs))]
    if consumer not in row.consumers:
        causes.append((RefusalReason.CONSUMER_NOT_ALLOWED, consumer.value))
    if row.needs_governance_review and scope not in approvals:
        causes.append((RefusalReason.GOVERNANCE_REVIEW_MISSING, scope.value))
    return causes


def _sentence(name: str, reason: RefusalReason, detail: str) -> str:
    words = detail.replace("_", " ")
    if reason is RefusalReason.CONSENT_MISSING:
        return f"{name} memory requires {words} consent."
    if reason is RefusalReason.OPTED_OUT:
        return f"{name} memory is off: the person opted out of {words}."
    if reason is RefusalReason.CONSUMER_NOT_ALLOWED:
        return f"Consumer {detail} is not allowed to use this scope."
    return f"{name} memory waits for a governance approval."
