"""Audit: check a tenant's chain where it lies, and write an export that anybody can check offline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iris_memory.chain.export import ExportHeader, KeyPeriod, export_lines
from iris_memory.chain.findings import Problem
from iris_memory.chain.verify import Report, verify_export, verify_lines
from iris_memory.errors import StoreCorruptError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of
from iris_memory.flows.seal import key_periods, seal
from iris_memory.ports.unit_of_work import Reading

_PAGE = 4_096


@dataclass(frozen=True, slots=True)
class OnlineReport:
    """What a check of one tenant's chain found."""

    tenant_id: str
    report: Report
    head_matches: bool

    @property
    def ok(self) -> bool:
        """Say whether all is well."""
        return self.report.ok and self.head_matches

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong."""
        return tuple(self.report.problems)


def export_audit(instruments: Instruments, tenant: str) -> Iterator[bytes]:
    """Yield the lines of a tenant's export (see `chain.export`), up to the size it is sealed at.

    Events that come meanwhile belong to the next export. A tenant without a chain gives a header and no lines.
    """
    if _is_known(instruments, tenant):
        seal(instruments, tenant)
    yield from _export(instruments, tenant)


def verify_audit(instruments: Instruments, tenant: str) -> OnlineReport:
    """Check a tenant's chain where it lies, against its checkpoints, the head kept outside and the stored head."""
    outside = instruments.heads.kept(tenant)
    try:
        if _is_known(instruments, tenant):
            seal(instruments, tenant)
    except StoreCorruptError:  # the stored head is no head: `_head_matches` says so
        pass
    report = verify_export(
        _export(instruments, tenant),
        anchors=[outside] if outside else [],
        trusted_keys=_periods(instruments, tenant),
    )
    return OnlineReport(tenant, report, head_matches=_head_matches(instruments, tenant, report))


def is_sound(instruments: Instruments, tenant: str) -> bool:
    """Say whether a chain is whole and signed as far as it goes, whatever heads outside say; change nothing."""
    report = verify_export(_export(instruments, tenant), trusted_keys=_periods(instruments, tenant))
    return report.ok and _head_matches(instruments, tenant, report)


def _export(instruments: Instruments, tenant: str) -> Iterator[bytes]:
    with instruments.store.read() as reading:
        notes = reading.checkpoints(tenant)
        header = ExportHeader(tenant, _periods(instruments, tenant), tuple(row.note for row in notes))
        yield from export_lines(header, events=_lines(reading, tenant, until=notes[-1].size if notes else 0))


def _periods(instruments: Instruments, tenant: str) -> tuple[KeyPeriod, ...]:
    # asking for the keys of a tenant makes them
    return key_periods(instruments, tenant) if _is_known(instruments, tenant) else ()


def _is_known(instruments: Instruments, tenant: str) -> bool:
    with instruments.store.read() as reading:
        return reading.audit_head(tenant) is not None or instruments.heads.kept(tenant) is not None


def _head_matches(instruments: Instruments, tenant: str, report: Report) -> bool:
    """Say whether the stored head is what the stored lines give, none missing and none left over."""
    with instruments.store.read() as reading:
        try:
            head = head_of(reading, tenant)
        except StoreCorruptError:
            return False
        if reading.audit_lines(tenant, start=head.size + 1, limit=1):
            return False
        if head.size == report.size:
            return head.frontier.root().hex() == report.root
        walked, problems = verify_lines(_lines(reading, tenant, until=head.size), tenant_id=tenant)
        return not problems and (walked.size, walked.frontier.root()) == (head.size, head.frontier.root())


def tenants(instruments: Instruments) -> list[str]:
    """Return every tenant with a chain."""
    with instruments.store.read() as reading:
        return reading.tenants()


def _lines(reading: Reading, tenant: str, *, until: int) -> Iterator[bytes]:
    start = 1
    while start <= until and (rows := reading.audit_lines(tenant, start=start, limit=min(_PAGE, until - start + 1))):
        for row in rows:
            yield row.line
        start += len(rows)
