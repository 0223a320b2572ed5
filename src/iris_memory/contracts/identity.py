"""Assistant identity: which assistant a recall or write serves, and the most it may reach."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Surface
from iris_memory.contracts.continuity import Reference
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Identifier, Instant, Storable, Unordered


class AssistantIdentity(Contract):
    """An assistant of a tenant.

    `surfaces` and `scopes` are the most it may reach: they narrow what consents and policy allow, and widen nothing.
    Its persona (`display_name`, `persona_ref`) is how it speaks, and has no part in what it reaches. One that is
    retired reaches nothing.
    """

    assistant_id: Identifier
    display_name: Annotated[str, Field(min_length=1, max_length=120), Storable]
    persona_ref: Reference
    surfaces: Annotated[frozenset[Surface], *Unordered]
    scopes: Annotated[frozenset[AdapterScope], *Unordered]
    registered_at: Instant
    updated_at: Instant
    retired_at: Instant | None = None
