"""Admission: may this be stored? Consent and scope policy, the storage gate, off the record, then the label's ceiling.

What a statement says (hygiene, conflict) is looked at afterwards; nothing is read before consent is known.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ConsentType, ScopeMode, ScopePolicy, category_consent
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.scope import AdapterScope, OperatorCopilotScope, Scope, TenantScope, owner_of
from iris_memory.contracts.write import Refused
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.categories import is_sensitive


class Admitting(NamedTuple):
    """A statement as the gate sees it, without its words, and what the person's records say."""

    tenant_id: str
    user_id: str
    scope: Scope
    adapter_scope: AdapterScope
    category: Category
    sensitive_interaction: bool
    policy: ScopePolicy
    causes: tuple[tuple[RefusalReason, str], ...]
    consents: Collection[str]
    paused: bool
    in_session: bool = False
    """Whether it may live in the memory of the process alone, bound to a session."""


def check(asked: Admitting) -> Refused | None:
    """Return the refusal of a statement, or None where it may be stored."""
    return (
        _address(asked)
        or _scope(asked)
        or storage(asked.category, asked.consents, sensitive_interaction=asked.sensitive_interaction)
        or _record(asked)
    )


def _address(asked: Admitting) -> Refused | None:
    foreign_tenant = (
        isinstance(asked.scope, (TenantScope, OperatorCopilotScope)) and asked.scope.tenant_id != asked.tenant_id
    )
    if owner_of(asked.scope) != asked.user_id or foreign_tenant:
        return Refused(
            reason=RefusalReason.SCOPE_NOT_OF_SUBJECT, rule="a scope belongs to the person it is written for"
        )
    if ADAPTER_SCOPES[asked.adapter_scope].kind is not asked.scope.kind:
        return Refused(
            reason=RefusalReason.ADAPTER_SCOPE_MISMATCH,
            rule="an adapter scope is written to its own kind of scope",
            needs=(ADAPTER_SCOPES[asked.adapter_scope].kind.value,),
        )
    return None


def _scope(asked: Admitting) -> Refused | None:
    if asked.policy.mode is ScopeMode.DURABLE or (asked.policy.mode is ScopeMode.EPHEMERAL and asked.in_session):
        return None
    if not asked.causes:
        return Refused(reason=RefusalReason.SCOPE_SUPPRESSED, rule="a scope without a cause for its mode is denied")
    reason = asked.causes[0][0]
    if asked.policy.mode is ScopeMode.EPHEMERAL:
        reason = RefusalReason.SCOPE_EPHEMERAL
    needs = tuple(detail for cause, detail in asked.causes if cause is RefusalReason.CONSENT_MISSING)
    return Refused(reason=reason, rule=" ".join(asked.policy.notes), needs=needs)


def storage(category: Category, consents: Collection[str], *, sensitive_interaction: bool = False) -> Refused | None:
    """Return why nothing of a category may be stored under these consents; None where it may."""
    needed = category_consent(category)
    if is_sensitive(category) and needed not in consents:
        return Refused(
            reason=RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT,
            rule="a sensitive category is stored only with its own consent",
            needs=(needed,),
        )
    if sensitive_interaction and ConsentType.MULTI_ACTOR_SENSITIVE.value not in consents:
        return Refused(
            reason=RefusalReason.MULTI_ACTOR_WITHOUT_CONSENT,
            rule="a sensitive interaction with somebody else is stored only with its own consent",
            needs=(ConsentType.MULTI_ACTOR_SENSITIVE.value,),
        )
    return None


def _record(asked: Admitting) -> Refused | None:
    if asked.paused:
        return Refused(reason=RefusalReason.OFF_THE_RECORD, rule="nothing is written while off the record")
    return None
