"""Assistant identity: what a registered assistant may not reach. It narrows, and never widens."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.category import Surface
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope

EVERY_SCOPE: Final = frozenset(AdapterScope)


def barred_scopes(identity: AssistantIdentity | None, surface: Surface | None) -> frozenset[AdapterScope]:
    """Return the scopes an assistant may not reach on a surface; for a write, which has none, `surface` is None.

    An assistant that is not registered is held by its consumer's rules alone. The persona is not looked at.
    """
    if identity is None:
        return frozenset()
    if identity.retired_at is not None or (surface is not None and surface not in identity.surfaces):
        return EVERY_SCOPE
    return EVERY_SCOPE - identity.scopes
