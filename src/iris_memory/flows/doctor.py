"""Doctor: look at the store, the vault, the chains and the keys, and say plainly what is found."""

from __future__ import annotations

from dataclasses import dataclass

from iris_memory.flows.audit import verify_audit
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.ledgers import shortened_ledgers
from iris_memory.flows.people import TENANT
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.vault import KeyProvider


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str


def examine(instruments: Instruments, *, provider: KeyProvider | None = None) -> list[Finding]:
    """Look at everything; change nothing but the checkpoints that an audit check signs."""
    findings = [
        _listed("the data file", instruments.store.problems()),
        _listed("the vault file", instruments.vault.problems()),
    ]
    if provider is not None:
        findings.append(Finding("the root key", ok=True, detail=provider.describe()))
    with instruments.store.read() as reading:
        pending = sum(person == TENANT for _, person, _ in reading.records_everywhere(RecordKind.INTENT))
        tenants = reading.tenants()
    detail = "none" if not pending else f"{pending} to be finished when the store is opened next"
    findings.append(Finding("forgets in progress", ok=pending == 0, detail=detail))
    for place, tenant in enumerate(tenants, start=1):
        found = verify_audit(instruments, tenant)
        codes = ", ".join(sorted({problem.code.value for problem in found.problems}))
        findings.append(
            Finding(
                f"audit chain {place} of {len(tenants)}",
                ok=found.ok,
                detail=codes or f"{found.report.size} events, all linked and signed",
            )
        )
        known = set(instruments.vault.subjects(tenant))
        with instruments.store.read() as reading:
            strangers = {
                person
                for owner, person, _ in reading.records_everywhere(RecordKind.CONSENT)
                if owner == tenant
                and person
                and person not in known
                and reading.state(tenant, person).version != ERASED
            }
            told = f"{len(strangers)} people of the data are not in the vault" if strangers else "everybody is known"
            findings.append(Finding(f"people {place} of {len(tenants)}", ok=not strangers, detail=told))
            short = shortened_ledgers(reading, tenant)
        told = f"{short} do not fit the audit chain" if short else "as long as the audit chain tells"
        findings.append(Finding(f"consent ledgers {place} of {len(tenants)}", ok=short == 0, detail=told))
    return findings


def _listed(what: str, problems: list[str]) -> Finding:
    return Finding(what, ok=not problems, detail="; ".join(problems[:5]) or "sound")
