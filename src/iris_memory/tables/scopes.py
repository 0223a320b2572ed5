"""Reach: which kinds of scope a request scope sees. Every identifier that both keys carry must be the same."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.scope import ScopeKind as K
from iris_memory.tables.totality import total


class ReachRow(NamedTuple):
    """What one request kind reaches: always, and only under the tenant's policy flag."""

    reaches: frozenset[K]
    under_tenant_policy: frozenset[K]


def _reach(*kinds: K, under_tenant_policy: frozenset[K] = frozenset()) -> ReachRow:
    return ReachRow(reaches=frozenset(kinds), under_tenant_policy=under_tenant_policy)


REACH: Final = total(
    "scopes",
    K,
    [
        (K.PROFILE, _reach(K.PROFILE)),
        (K.SESSION, _reach(K.SESSION, K.PROFILE)),
        (K.SCENE, _reach(K.SCENE, K.SESSION, K.PROFILE)),
        (K.POSE, _reach(K.POSE, K.SCENE, K.SESSION, K.PROFILE)),
        (K.NOTEBOOK, _reach(K.NOTEBOOK, K.PROFILE, under_tenant_policy=frozenset({K.TENANT}))),
        (K.CRISIS, _reach(K.CRISIS, K.SESSION, K.PROFILE)),
        (K.TENANT, _reach(K.TENANT)),
        (K.OPERATOR_COPILOT, _reach(K.OPERATOR_COPILOT)),
    ],
)
