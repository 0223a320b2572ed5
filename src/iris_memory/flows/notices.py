"""Notices: the text a tenant shows at present for each consent, kept by its hash, so that changed terms are noticed."""

from __future__ import annotations

from collections.abc import Sequence

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction
from iris_memory.contracts.consent import ConsentNotice
from iris_memory.errors import ContractError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.tenant_records import open_tenant_record, tenant_record
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.consent import CONSENT_NAMES, compute_terms_hash


def publish_notice(
    instruments: Instruments, tenant: str, names: Sequence[str], *, terms: str, language: str = "en"
) -> tuple[ConsentNotice, ...]:
    """Make a text the notice that is shown for some consents in a language, in place of the one before.

    The version of a consent's notice in a language moves where the text does; the same text again changes nothing.

    Raises:
        ContractError: there is no such consent, or none is named.
    """
    if not names:
        raise ContractError("name at least one consent")
    if any(name not in CONSENT_NAMES for name in names):
        raise ContractError("there is no such consent; see the list of consents")
    now, digest = instruments.clock.now(), compute_terms_hash(terms)

    def work(tx: Transaction) -> tuple[ConsentNotice, ...]:
        known = {(notice.type, notice.terms_language): notice for notice in current_notices(instruments, tenant, tx)}
        made = []
        for name in dict.fromkeys(names):
            before = known.get((name, language))
            if before is not None and before.terms_hash == digest:
                made.append(before)
                continue
            notice = ConsentNotice(
                tenant_id=tenant,
                type=name,
                terms_hash=digest,
                terms_language=language,
                version=before.version + 1 if before else 1,
                published_at=now,
            )
            key = f"{name}:{language}"
            tx.put_record(tenant, TENANT, tenant_record(instruments, tenant, RecordKind.NOTICE, key, notice, now=now))
            write_event(
                tx,
                tenant,
                action=AuditAction.NOTICE_PUBLISHED,
                policy=CONSENT_POLICY,
                person=TENANT,
                now=now,
                facts={"consent": name, "terms_hash": digest, "language": language, "version": notice.version},
            )
            made.append(notice)
        return tuple(made)

    return instruments.store.write(work, durable=True)


def notices(instruments: Instruments, tenant: str) -> list[ConsentNotice]:
    """Return the notices a tenant shows at present, by consent and language."""
    with instruments.store.read() as reading:
        return current_notices(instruments, tenant, reading)


def current_notices(instruments: Instruments, tenant: str, reading: Reading) -> list[ConsentNotice]:
    """Return the notices of a tenant as a reading sees them, by consent and language."""
    found = [
        ConsentNotice.model_validate_json(open_tenant_record(instruments, tenant, row))
        for row in reading.records(tenant, TENANT, RecordKind.NOTICE)
    ]
    return sorted(found, key=lambda notice: (notice.type, notice.terms_language))
