"""Retention: until when a memory is kept, and what becomes of it then.

The clock of an envelope runs from the first `created_at` of the logical memory. A summary carries on the clock of its
earliest source, so that a sweep that comes late keeps nothing longer.
"""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.blueprint import AtExpiry
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Origin
from iris_memory.contracts.retaining import Fate
from iris_memory.contracts.scope import AdapterScope
from iris_memory.tables.adapter_scopes import RETENTION, REVIEW_GRACE


def envelope_end(adapter_scope: AdapterScope, origin: Origin, *, created_at: datetime) -> datetime | None:
    """Return when the envelope of a memory ends; None: when it is forgotten."""
    window = RETENTION[adapter_scope].summarised if is_summary(adapter_scope, origin) else RETENTION[adapter_scope].raw
    return None if window is None else created_at + window


def is_summary(adapter_scope: AdapterScope, origin: Origin) -> bool:
    """Say whether a memory has the summarised window: it was made by summarising, and the scope keeps summaries."""
    return origin is Origin.SUMMARIZED_FROM_SESSION and RETENTION[adapter_scope].keeps_summary


def expiry(
    adapter_scope: AdapterScope, origin: Origin, *, created_at: datetime, asked: datetime | None
) -> datetime | None:
    """Return when a memory's envelope ends; the person may ask for earlier, never for later. None: until forgotten."""
    end = envelope_end(adapter_scope, origin, created_at=created_at)
    if end is None:
        return asked
    return end if asked is None else min(asked, end)


def fate(entry: MemoryEntry, *, now: datetime, contract_ended: bool = False) -> Fate | None:
    """Return what becomes of a memory at an instant; None while its time is not over.

    A memory that was asked to end before its envelope just ends: nobody asked for a summary of it. So does what is no
    statement that stands (a draft, what is paused, held back or in quarantine), and a summary at the end of its window.
    """
    envelope = RETENTION[entry.adapter_scope]
    if contract_ended and envelope.until_contract_ends:
        return Fate.END
    if entry.expires_at is None or entry.expires_at > now:
        return None
    end = envelope_end(entry.adapter_scope, entry.origin, created_at=entry.created_at)
    if end is None or entry.expires_at < end:
        return Fate.END
    if envelope.at_expiry is AtExpiry.REVIEW:
        return Fate.END if entry.expires_at + REVIEW_GRACE <= now else Fate.REVIEW
    if is_summary(entry.adapter_scope, entry.origin) or not stands(entry):
        return Fate.END
    return {AtExpiry.SUMMARIZE: Fate.SUMMARIZE, AtExpiry.AGGREGATE: Fate.AGGREGATE}.get(envelope.at_expiry, Fate.END)


def stands(entry: MemoryEntry) -> bool:
    """Say whether something may be made of a memory: it is active, and neither in quarantine nor held back."""
    return entry.lifecycle is Lifecycle.ACTIVE and entry.quarantine is None and entry.suppression is None


def later_end(prior: MemoryEntry, adapter_scope: AdapterScope, *, asked: datetime | None) -> datetime | None:
    """Return when a revision ends whose memory a review has kept on; None where no review has, or it leaves the scope.

    What was decided in review holds for the words that come after: a correction ends a memory no sooner, and no later.
    """
    end = envelope_end(prior.adapter_scope, prior.origin, created_at=prior.created_at)
    if end is None or prior.expires_at is None or prior.expires_at <= end or prior.adapter_scope is not adapter_scope:
        return None
    return prior.expires_at if asked is None else min(asked, prior.expires_at)


def extended(entry: MemoryEntry, *, now: datetime, contract_ends_at: datetime | None = None) -> datetime | None:
    """Return until when a memory in review may be kept: one more raw window from now; None where it may not.

    It ends with the summarised window of its scope at the latest, and with the tenant's contract where that bounds it.
    """
    envelope = RETENTION[entry.adapter_scope]
    if envelope.at_expiry is not AtExpiry.REVIEW or envelope.raw is None:
        return None
    ends = [now + envelope.raw]
    if envelope.summarised is not None:
        ends.append(entry.created_at + envelope.summarised)
    if envelope.until_contract_ends and contract_ends_at is not None:
        ends.append(contract_ends_at)
    return min(ends) if min(ends) > now else None
