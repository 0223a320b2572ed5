"""Ledgers against the chain: each consent event stands in the person's ledger and, by fingerprint, in the audit chain.

A ledger whose last rows were cut away is a valid chain of its own; only the comparison shows what is missing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.consent import ConsentEvent
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.unit_of_work import Reading

_PAGE = 4_096
_MARK = f'"action":"{AuditAction.CONSENT_RECORDED.value}"'.encode()


def recorded_fingerprints(reading: Reading, tenant: str) -> dict[str, list[str]]:
    """Return, per person, the fingerprints of the consent events that a tenant's chain tells of, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in _lines(reading, tenant):
        if _MARK in line:
            event = json.loads(line)
            found[event["person"]].append(event["fingerprint"])
    return found


def missing_events(recorded: list[str], events: list[ConsentEvent]) -> list[str]:
    """Return what the chain tells of and the ledger lacks, or the other way round, in codes with the sequence."""
    held = [event.fingerprint for event in events]
    if held == recorded:
        return []
    place = next((n for n, pair in enumerate(zip(held, recorded, strict=False)) if pair[0] != pair[1]), None)
    if place is not None:
        return [f"consent-not-in-audit-chain at {place + 1}"]
    if len(held) < len(recorded):
        return [f"consent-ledger-cut at {len(held) + 1}"]
    return [f"consent-not-in-audit-chain at {len(recorded) + 1}"]


def shortened_ledgers(reading: Reading, tenant: str) -> int:
    """Count the people of a tenant whose ledger has another length than the chain tells, erased ones left out."""
    return sum(
        len(reading.records(tenant, person, RecordKind.CONSENT)) != len(fingerprints)
        for person, fingerprints in recorded_fingerprints(reading, tenant).items()
        if reading.state(tenant, person).version != ERASED
    )


def _lines(reading: Reading, tenant: str) -> Iterator[bytes]:
    start = 1
    while rows := reading.audit_lines(tenant, start=start, limit=_PAGE):
        for row in rows:
            yield row.line
        start += len(rows)
