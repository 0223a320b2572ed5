"""Other people, as the person who mentioned them sees them: never a profile, never a name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iris_memory.contracts.shape import Contract, Count, Identifier, Instant


class MentionedPerson(Contract):
    """Somebody the person mentioned: an opaque handle, what they are to the person, and how often. No fact of them."""

    handle: Identifier
    relationship_notes: Annotated[tuple[str, ...], Field(strict=False)] = ()
    memories: Count
    sensitive: Count
    since: Instant
    last_at: Instant | None = None
