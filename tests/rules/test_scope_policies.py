"""`build_scope_policies` against the specification: every scope, consumer, consent, opt-out and approval."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.consent import OptOut, ScopeMode
from iris_memory.contracts.scope import AdapterScope
from iris_memory.rules.scope_policy import build_scope_policies, closed_scopes, is_shown_to, suppressed_scopes

EVERYDAY = "assistant tara arete veritas nyx nisaba metis"
TABLE = {
    # scope: required consents | opt-outs | governance review | consumers
    "assistant_profile": ("data_processing data_storage", "memory personalization", False, EVERYDAY),
    "session": ("data_processing data_storage", "memory", False, EVERYDAY),
    "scene": ("data_processing data_storage", "memory embodied", False, "assistant tara nyx"),
    "pose": ("data_processing data_storage sensitive_data", "memory embodied biometric", True, "tara"),
    "conversation": ("data_processing data_storage", "memory history", False, "assistant support"),
    "domain": ("data_processing data_storage personalization", "memory personalization", False, EVERYDAY),
    "cross_domain": (
        "data_processing data_storage personalization cross_domain_sharing",
        "memory personalization cross_domain",
        True,
        "assistant",
    ),
    "notebook": ("data_processing data_storage", "memory notebooks", False, "assistant nisaba metis studio"),
    "operator_copilot": ("data_processing data_storage", "operator_copilot", True, "admin"),
    "tenant": ("data_processing data_storage tenant_processing", "memory tenant", True, "assistant metis admin"),
    "admin_review": ("data_processing operator_review", "operator_copilot", True, "admin support"),
    "crisis": ("data_processing", "", False, "assistant tara"),
}
"""Written down from the specification, apart from the table of the package."""

CONSENTS = sorted(set(chain.from_iterable(row[0].split() for row in TABLE.values())))


def expected(
    scope: str, consents: set[str], opt_outs: set[str], consumer: str, *, approved: bool
) -> tuple[ScopeMode, int]:
    """Return the mode the specification gives, and how many causes there are."""
    needed, outs, reviewed, consumers = TABLE[scope]
    missing = [name for name in needed.split() if name not in consents]
    others = len(opt_outs & set(outs.split())) + (consumer not in consumers.split()) + (reviewed and not approved)
    if not missing and not others:
        return ScopeMode.DURABLE, 0
    if missing == ["data_storage"] and not others:
        return ScopeMode.EPHEMERAL, 1
    return ScopeMode.SUPPRESSED, len(missing) + others


def test_the_specification_names_every_scope() -> None:
    assert set(TABLE) == {scope.value for scope in AdapterScope}


@pytest.mark.parametrize("consumer", Consumer, ids=str)
def test_every_cell(consumer: Consumer) -> None:
    """Every set of consents of up to two missing, every single opt-out, with and without approvals."""
    everything = frozenset(CONSENTS)
    left_out = [frozenset(gone) for size in range(3) for gone in combinations(CONSENTS, size)]
    looked_at = 0
    for gone in [*left_out, everything]:
        for outs in [frozenset[OptOut](), *(frozenset({name}) for name in OptOut), frozenset(OptOut)]:
            for approvals in (frozenset[AdapterScope](), frozenset(AdapterScope)):
                consents = everything - gone
                policies = build_scope_policies(consents, outs, consumer, approvals=approvals)
                suppressed = suppressed_scopes(consents, outs, consumer, approvals)
                closed = closed_scopes(consents, outs, consumer, approvals)
                for scope in AdapterScope:
                    mode, causes = expected(
                        scope.value,
                        set(consents),
                        {out.value for out in outs},
                        consumer.value,
                        approved=bool(approvals),
                    )
                    policy = policies[scope]
                    assert (policy.mode, len(policy.notes)) == (mode, causes), (scope, gone, outs)
                    assert policy.enabled is (mode is not ScopeMode.SUPPRESSED)
                    assert (scope in suppressed) is (mode is not ScopeMode.DURABLE)
                    assert (scope in closed) is (mode is ScopeMode.SUPPRESSED)
                    assert all(note.endswith(".") and note[0].isupper() for note in policy.notes)
                    looked_at += 1
    assert looked_at == len(AdapterScope) * 2 * (len(OptOut) + 2) * (len(left_out) + 1)


@pytest.mark.parametrize("scope", AdapterScope, ids=str)
def test_who_is_shown_what_a_scope_holds(scope: AdapterScope) -> None:
    _, _, reviewed, consumers = TABLE[scope.value]
    for consumer in Consumer:
        for approvals in ((), (scope,)):
            allowed = consumer.value in consumers.split() and (not reviewed or bool(approvals))
            assert is_shown_to(scope, consumer, approvals=approvals) is allowed


def test_the_sentences() -> None:
    policies = build_scope_policies((), (OptOut.MEMORY,), Consumer.SUPPORT)
    assert policies[AdapterScope.SESSION].notes == (
        "Session memory requires data processing consent.",
        "Session memory requires data storage consent.",
        "Session memory is off: the person opted out of memory.",
        "Consumer support is not allowed to use this scope.",
    )
    assert policies[AdapterScope.TENANT].notes[-1] == "Tenant memory waits for a governance approval."
