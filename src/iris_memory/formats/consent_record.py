"""Consent records: each event of the ledger as JSON-LD, shaped after ISO/IEC TS 27560:2023 with W3C DPV terms.

The shape follows the community guide for consent records with DPV (`dpv-27560:record`): a `dpv:ConsentRecord` with its
data subject, controller, notice, legal basis, process (purpose and personal data), status, and how and when it was
indicated. What the vocabulary has no term for stands under `iris:`, so that a record gives back every fact of its
event.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from iris_memory.contracts.consent import (
    SENSITIVE_CONSENT_PREFIX,
    CaptureMethod,
    ConsentEvent,
    ConsentStatus,
    ConsentType,
    LegalBasis,
)
from iris_memory.contracts.shape import format_instant
from iris_memory.errors import FormatError

CONTEXT: Final = MappingProxyType(
    {
        "dpv": "https://w3id.org/dpv#",
        "pd": "https://w3id.org/dpv/pd#",
        "eu-gdpr": "https://w3id.org/dpv/legal/eu/gdpr#",
        "dct": "http://purl.org/dc/terms/",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "iris": "urn:iris-memory:consent:",
    }
)
CONFORMS_TO: Final = "https://w3id.org/dpv/schema/dpv-27560#record"
SCHEMA_VERSION: Final = "ISO/IEC TS 27560:2023"

_STATUS: Final = MappingProxyType(
    {
        ConsentStatus.GRANTED: "dpv:ConsentGiven",
        ConsentStatus.DENIED: "dpv:ConsentRefused",
        ConsentStatus.REVOKED: "dpv:ConsentWithdrawn",
        ConsentStatus.EXPIRED: "dpv:ConsentExpired",
    }
)
_BASIS: Final = MappingProxyType(
    {
        LegalBasis.CONSENT: "eu-gdpr:A6-1-a",
        LegalBasis.CONTRACT: "eu-gdpr:A6-1-b",
        LegalBasis.LEGAL_OBLIGATION: "eu-gdpr:A6-1-c",
        LegalBasis.VITAL_INTERESTS: "eu-gdpr:A6-1-d",
        LegalBasis.PUBLIC_TASK: "eu-gdpr:A6-1-e",
        LegalBasis.LEGITIMATE_INTERESTS: "eu-gdpr:A6-1-f",
    }
)
_SPECIAL: Final = "eu-gdpr:A9-2-a"
_PURPOSE: Final = MappingProxyType(
    {
        ConsentType.DATA_PROCESSING: "dpv:ServiceProvision",
        ConsentType.DATA_STORAGE: "dpv:ServicePersonalisation",
        ConsentType.SENSITIVE_DATA: "dpv:ServicePersonalisation",
        ConsentType.PERSONALIZATION: "dpv:Personalisation",
        ConsentType.CROSS_DOMAIN_SHARING: "dpv:ServicePersonalisation",
        ConsentType.CROSS_DEVICE: "dpv:ServiceProvision",
        ConsentType.TENANT_PROCESSING: "dpv:OrganisationGovernance",
        ConsentType.OPERATOR_REVIEW: "dpv:EnforceSecurity",
        ConsentType.MULTI_ACTOR_SENSITIVE: "dpv:ServicePersonalisation",
        ConsentType.MODEL_IMPROVEMENT: "dpv:ImproveExistingProductsAndServices",
    }
)
_PROCESSING: Final = MappingProxyType(
    {
        ConsentType.DATA_STORAGE: "dpv:Store",
        ConsentType.CROSS_DOMAIN_SHARING: "dpv:Share",
        ConsentType.CROSS_DEVICE: "dpv:Transfer",
        ConsentType.OPERATOR_REVIEW: "dpv:Consult",
        ConsentType.MODEL_IMPROVEMENT: "dpv:Analyse",
    }
)


def consent_record(event: ConsentEvent) -> dict[str, Any]:
    """Return the record of an event. `event_of` gives the event back."""
    special = event.type.startswith(SENSITIVE_CONSENT_PREFIX) or event.type == ConsentType.SENSITIVE_DATA
    bases = [_BASIS[event.legal_basis], *([_SPECIAL] if special else [])]
    return {
        "@context": dict(CONTEXT),
        "@id": f"urn:uuid:{event.event_id}",
        "@type": "dpv:ConsentRecord",
        "dct:identifier": event.event_id,
        "dct:conformsTo": CONFORMS_TO,
        "dct:hasVersion": SCHEMA_VERSION,
        "dct:created": _instant(event.occurred_at),
        "dpv:hasDataSubject": {"@type": "dpv:DataSubject", "dct:identifier": event.user_id},
        "dpv:hasDataController": {"@type": "dpv:DataController", "dct:identifier": event.tenant_id},
        "dpv:hasJurisdiction": event.jurisdiction,
        "dpv:hasLegalBasis": bases if len(bases) > 1 else bases[0],
        "dpv:hasNotice": {
            "@type": "dpv:ConsentNotice",
            "dct:language": event.terms_language,
            "iris:sha256": event.terms_hash,
        },
        "dpv:hasProcess": _process(event.type, special=special),
        "dpv:hasConsentStatus": _STATUS[event.status],
        "dpv:isIndicatedBy": event.witness,
        "dpv:isIndicatedAtTime": _instant(event.occurred_at),
        "dpv:hasIndicationMethod": event.capture_method.value,
        "dpv:hasDuration": (
            {"@type": "dpv:UntilTimeDuration", "dct:valid": _instant(event.expires_at)}
            if event.expires_at is not None
            else {"@type": "dpv:IndeterminateDuration"}
        ),
        "dct:description": event.note,
        "iris:consent": event.type,
        "iris:record": {
            "version": event.record_version,
            "sequence": event.sequence,
            "previous": event.previous,
            "person_commitment": event.person_commitment,
            "note_commitment": event.note_commitment,
            "blinding": event.blinding,
            "fingerprint": event.fingerprint,
        },
    }


def event_of(record: dict[str, Any]) -> ConsentEvent:
    """Return the event of a record that `consent_record` made.

    Raises:
        FormatError: it is no such record.
    """
    try:
        bases = record["dpv:hasLegalBasis"]
        chain = record["iris:record"]
        duration = record["dpv:hasDuration"]
        fields = {
            "record_version": chain["version"],
            "event_id": record["dct:identifier"],
            "tenant_id": record["dpv:hasDataController"]["dct:identifier"],
            "user_id": record["dpv:hasDataSubject"]["dct:identifier"],
            "type": record["iris:consent"],
            "status": _key(_STATUS, record["dpv:hasConsentStatus"]),
            "legal_basis": _key(_BASIS, bases[0] if isinstance(bases, list) else bases),
            "capture_method": CaptureMethod(record["dpv:hasIndicationMethod"]),
            "terms_hash": record["dpv:hasNotice"]["iris:sha256"],
            "terms_language": record["dpv:hasNotice"]["dct:language"],
            "witness": record["dpv:isIndicatedBy"],
            "jurisdiction": record["dpv:hasJurisdiction"],
            "note": record["dct:description"],
            "occurred_at": record["dpv:isIndicatedAtTime"]["@value"],
            "expires_at": duration["dct:valid"]["@value"] if "dct:valid" in duration else None,
            **{name: chain[name] for name in _CHAIN},
        }
        return ConsentEvent.model_validate_json(json.dumps(fields))
    except (KeyError, TypeError, ValueError, StopIteration):
        raise FormatError("this is no consent record of this format") from None


_CHAIN: Final = ("sequence", "previous", "person_commitment", "note_commitment", "blinding", "fingerprint")


def _process(name: str, *, special: bool) -> dict[str, Any]:
    kind = ConsentType.SENSITIVE_DATA if name.startswith(SENSITIVE_CONSENT_PREFIX) else ConsentType(name)
    process: dict[str, Any] = {"@type": "dpv:Process", "dpv:hasPurpose": _PURPOSE[kind]}
    if kind in _PROCESSING:
        process["dpv:hasProcessing"] = _PROCESSING[kind]
    data = "dpv:SpecialCategoryPersonalData" if special else "dpv:PersonalData"
    process["dpv:hasPersonalData"] = {"@type": data, "iris:category": name.removeprefix(SENSITIVE_CONSENT_PREFIX)}
    return process


def _instant(value: Any) -> dict[str, str]:
    return {"@type": "xsd:dateTime", "@value": format_instant(value)}


def _key(table: Mapping[Any, str], value: str) -> str:
    return next(str(key) for key, term in table.items() if term == value)
