"""Retention: until when a memory is kept. The clock runs from the first `created_at` of the logical memory."""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.entry import Origin
from iris_memory.contracts.scope import AdapterScope
from iris_memory.tables.adapter_scopes import RETENTION


def expiry(
    adapter_scope: AdapterScope, origin: Origin, *, created_at: datetime, asked: datetime | None
) -> datetime | None:
    """Return when a memory's envelope ends; the person may ask for earlier, never for later. None: until forgotten."""
    envelope = RETENTION[adapter_scope]
    is_summary = origin is Origin.SUMMARIZED_FROM_SESSION and envelope.keeps_summary
    window = envelope.summarised if is_summary else envelope.raw
    if window is None:
        return asked
    end = created_at + window
    return end if asked is None else min(asked, end)
