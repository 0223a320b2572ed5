"""JSON forms of the contracts about notices, withdrawals and approvals."""

from __future__ import annotations

from typing import Any

_AT = "2026-03-01T12:00:00.000000Z"
_LATER = "2027-01-31T23:59:59.999999Z"
_DIGEST = "0123456789abcdef" * 4


def consent_examples(event: dict[str, Any], receipt: dict[str, Any]) -> dict[str, Any]:
    """Return an example of each, around those of a consent event and of a receipt."""
    notice = {
        "tenant_id": "t",
        "type": "category:medical",
        "terms_hash": _DIGEST,
        "terms_language": "nl",
        "version": 2,
        "published_at": _AT,
    }
    change = {"adapter_scope": "session", "before": "durable", "after": "ephemeral"}
    return {
        "ConsentNotice": notice,
        "ConsentDue": {
            "name": "category:medical",
            "reason": "terms-changed",
            "since": _LATER,
            "in_force": True,
            "event_id": "e",
            "given_at": _AT,
            "notices": [notice],
        },
        "ScopeChange": change,
        "RevocationPreview": {
            "names": ["data_storage"],
            "deleted": {"memories": 1},
            "hidden": 2,
            "ephemeral": 0,
            "scopes": [change],
            "notes": ["Session memory requires data storage consent."],
        },
        "Withdrawal": {"events": [event], "receipt": receipt},
        "ApprovalRequest": {
            "request_id": "r",
            "tenant_id": "t",
            "adapter_scope": "pose",
            "asked_by": "o",
            "reason": "pilot",
            "asked_at": _AT,
            "answer_by": _LATER,
            "wanted_until": _LATER,
            "state": "withdrawn",
            "granted_by": "p",
            "granted_at": _AT,
            "withdrawn_by": "o",
            "withdrawn_at": _LATER,
        },
    }
