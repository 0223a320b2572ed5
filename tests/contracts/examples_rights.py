"""One JSON form of every contract of data rights and legal holds, written by hand from the specification."""

from __future__ import annotations

from typing import Any

AT = "2026-03-01T12:00:00.000000Z"
LATER = "2027-01-31T23:59:59.999999Z"
DIGEST = "0123456789abcdef" * 4

ITEM = {"item": "memory-1", "ground": "rights-of-others"}
ACCESS = {"kind": "access", "scopes": ["notebook"]}
TRAIL = {"at": AT, "event": "submitted", "actor": "subject", "note": None}
NOTICE = {"at": AT, "about": "extended", "text": "More time is needed."}
PROOF = {"method": "email-link", "at": AT, "by": "subject", "fresh": True, "declared": False}
ON_HOLD = {"reason": "Which account?", "since": AT, "until": LATER}
DENIAL = {
    "ground": "excessive",
    "legal_reference": "GDPR Art. 12(5)",
    "items": [ITEM],
    "remedy": "You can appeal.",
    "by": "operator-1",
    "at": AT,
}
APPEAL = {"at": AT, "reason": "It is founded.", "decided_at": LATER, "decided_by": "operator-2", "overturned": True}
RESULT = {"fingerprint": DIGEST, "receipt_id": "r", "before": "a", "after": "b", "counts": {"memories": 2}}
REQUEST: dict[str, Any] = {
    "request_id": "r-1",
    "tenant_id": "t",
    "payload": ACCESS,
    "regime": "uk-gdpr",
    "state": "submitted",
    "submitted_at": AT,
    "verify_by": LATER,
    "acknowledge_by": None,
    "first_deadline": LATER,
    "deadline": LATER,
    "level_needed": "two-factors",
    "proofs": [PROOF],
    "trail": [TRAIL],
    "notices": [NOTICE],
    "duplicate_of": None,
    "pending": ON_HOLD,
    "grace_ends_at": LATER,
    "set_aside": ["memory-1"],
    "denial": DENIAL,
    "decided_by": "operator-1",
    "appeal": APPEAL,
    "result": RESULT,
}
TARGET = {"scopes": ["pose"], "categories": ["work"], "logical_ids": ["memory-1"]}
HOLD: dict[str, Any] = {
    "hold_id": "h",
    "person": "p-1",
    "target": TARGET,
    "reference": "case 1",
    "reason": "A court asked to keep it.",
    "is_sealed": True,
    "state": "in-force",
    "placed_by": "operator-1",
    "placed_at": AT,
    "confirmed_by": "operator-2",
    "confirmed_at": AT,
    "review_at": LATER,
    "expires_at": LATER,
    "ended_by": None,
    "ended_at": None,
}
INFORMATION = {
    "purposes": ["to remember"],
    "categories": ["work"],
    "recipients": ["assistant"],
    "retention": {"notebook": "until it is forgotten"},
    "sources": {"user-typed": 1},
    "rights": ["to appeal"],
    "automated_decisions": "None.",
    "transfers": "None.",
}

EXAMPLES_RIGHTS: dict[str, dict[str, Any]] = {
    "AccessPayload": ACCESS,
    "ExportPayload": {
        "kind": "export",
        "scopes": [],
        "format": "ndjson",
        "include_consents": True,
        "include_opt_outs": False,
        "include_notebooks": True,
        "include_session_memory": True,
        "include_scene_memory": False,
        "include_pose_memory": True,
        "delivery_channel": "email-link",
        "encrypted": True,
    },
    "DeletePayload": {
        "kind": "delete",
        "mode": "soft",
        "scopes": [],
        "categories": ["work"],
        "retention_grace_ms": 86_400_000,
        "purge_consent_ledger": True,
    },
    "RectifyPayload": {
        "kind": "rectify",
        "logical_id": "l",
        "body": "Likes coffee",
        "category": None,
        "subject": "drink",
    },
    "RestrictPayload": {"kind": "restrict", **TARGET},
    "ObjectPayload": {"kind": "object", "purposes": ["personalization"]},
    "WithdrawPayload": {"kind": "withdraw-consent", "consents": ["data_storage"]},
    "TrailEvent": TRAIL,
    "RightsNotice": NOTICE,
    "IdentityProof": PROOF,
    "OnHold": ON_HOLD,
    "DeniedItem": ITEM,
    "Denial": DENIAL,
    "Appeal": APPEAL,
    "RightsResult": RESULT,
    "RightsRequest": REQUEST,
    "RightsRefused": {"outcome": "refused", "reason": "own-decision", "rule": "somebody else decides", "needs": []},
    "IdentityChallenge": {
        "request_id": "r-1",
        "challenge_id": "c",
        "method": "phone-otp",
        "secret": "01234567",
        "expires_at": LATER,
    },
    "DeskRow": {
        "request_id": "r-1",
        "person": "p-1",
        "kind": "delete",
        "regime": "ccpa",
        "state": "completed",
        "level_needed": "step-up",
        "submitted_at": AT,
        "deadline": LATER,
        "extended": True,
        "on_hold": False,
        "overdue": False,
        "closed_at": LATER,
        "result_fingerprint": DIGEST,
        "receipt_id": "r",
        "person_erased_at": LATER,
    },
    "HoldTarget": TARGET,
    "LegalHold": HOLD,
    "HoldRefused": {"outcome": "refused", "reason": "hold-already-over", "rule": "the hold is over", "needs": []},
    "ProcessingInformation": INFORMATION,
    "Disclosure": {
        "request_id": "r-1",
        "generated_at": AT,
        "information": INFORMATION,
        "holdings": {"entries": 0},
        "memories": [],
        "uses": [],
        "consents": [],
        "opt_outs": ["history"],
        "holds": [HOLD],
    },
}
