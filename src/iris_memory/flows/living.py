"""Whether a person can still be written to: the mark of an erasure that has begun, and what one that ended left."""

from __future__ import annotations

from typing import Final

from iris_memory.errors import KeyDestroyedError
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.unit_of_work import Reading

ERASING: Final = "erasing"
"""The key of the empty intent record that marks a person whose erasure has begun."""


def require_living(reading: Reading, tenant: str, subject: str) -> None:
    """Require that a person's erasure has neither begun nor ended.

    A flow that reads the person in its transaction learns the same from that; this is for one that only adds a record.

    Raises:
        KeyDestroyedError: it has.
    """
    erasing = reading.record(tenant, subject, RecordKind.INTENT, ERASING)
    if erasing is not None or reading.state(tenant, subject).version == ERASED:
        raise KeyDestroyedError("the person was erased; what comes after belongs to a new subject")
