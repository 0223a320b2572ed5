"""Scope changes: from which kind of scope memory may go to which, as what, and why not.

Every pair of kinds has a cell. What is named `copy` is read-only and stays under the tenant's policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import ProvenanceKind
from iris_memory.contracts.scope import ScopeKind as K


class Passage(StrEnum):
    """As what memory goes."""

    MOVE = "move"
    COPY = "copy"


class ScopeChangeCell(NamedTuple):
    """What one pair of kinds allows: a passage with the provenance it leaves, or the reason of the refusal."""

    passage: Passage | None = None
    provenance: ProvenanceKind | None = None
    refused: R | None = None


_PROMOTED: Final = ScopeChangeCell(Passage.MOVE, ProvenanceKind.PROFILE_PROMOTION)
_ATTACHED: Final = ScopeChangeCell(Passage.MOVE, ProvenanceKind.NOTEBOOK_ATTACHMENT)
_COPIED: Final = ScopeChangeCell(Passage.COPY, ProvenanceKind.PROFILE_PROMOTION)
_NO: Final = ScopeChangeCell(refused=R.SCOPE_CHANGE_NOT_ALLOWED)
_TENANT: Final = ScopeChangeCell(refused=R.TENANT_MEMORY_STAYS)
_OPERATOR: Final = ScopeChangeCell(refused=R.OPERATOR_MEMORY_STAYS)

_ALLOWED: Final = {
    (K.SESSION, K.PROFILE): _PROMOTED,
    (K.SESSION, K.NOTEBOOK): _ATTACHED,
    (K.PROFILE, K.NOTEBOOK): _ATTACHED,
    (K.TENANT, K.PROFILE): _COPIED,
}
_REFUSED: Final = {K.TENANT: _TENANT, K.OPERATOR_COPILOT: _OPERATOR}

SCOPE_CHANGES: Final[Mapping[tuple[K, K], ScopeChangeCell]] = MappingProxyType(
    {(source, target): _ALLOWED.get((source, target), _REFUSED.get(source, _NO)) for source in K for target in K}
)
"""By the kind memory is of and the kind it would go to."""
