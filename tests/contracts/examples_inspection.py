"""One JSON form of every contract of operator inspection, written by hand: complete, canonical, no field left out."""

from __future__ import annotations

from typing import Any

_AT, _LATER = "2026-03-01T12:00:00.000000Z", "2027-01-31T23:59:59.999999Z"
_KEY, _HASH = "0123456789abcdef", "0123456789abcdef" * 4


def inspection_examples(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the examples, about an entry."""
    target = {
        "logical_ids": [],
        "categories": ["safety", "work"],
        "adapter_scopes": ["assistant_profile"],
        "scope": {"kind": "profile", "user_id": "u"},
        "since": _AT,
        "until": _LATER,
        "include_sensitive": True,
        "most": 50,
    }
    incident = {
        "incident_id": "INC-7",
        "tenant_id": "t",
        "target": "u",
        "issued_at": _AT,
        "expires_at": _LATER,
        "key_id": _KEY,
        "signature": _HASH * 2,
    }
    step = {"at": _AT, "state": "denied", "actor": "o", "role": "t&s", "reason": "scope-too-wide"}
    approval = {"actor": "o", "role": "legal", "at": _AT}
    grant = {
        "granted_at": _AT,
        "expires_at": _LATER,
        "entries": 3,
        "withheld": {"scope-not-inspectable": 2},
        "consent_snapshot_id": _HASH,
    }
    frozen = {"logical_id": "l", "revision": 2, "entry_id": "e", "commitment": _HASH}
    carve_out = {
        "ground": "legal-order",
        "reference": "r",
        "placed_by": "o",
        "placed_at": _AT,
        "until": _LATER,
    }
    review = {
        "due_at": _LATER,
        "reviewed_by": "o",
        "reviewed_at": _LATER,
        "verdict": "justified",
        "told_overdue": True,
    }
    inspection = {
        "inspection_id": "i",
        "tenant_id": "t",
        "person": "p",
        "path": "incident-escalation",
        "reason": "safety-incident",
        "reference": "INC-7",
        "target": target,
        "is_sensitive": True,
        "break_glass": True,
        "incident": incident,
        "consent_snapshot_id": _HASH,
        "requester": "o",
        "requester_role": "t&s",
        "requested_at": _AT,
        "answer_by": _LATER,
        "grant_minutes": 60,
        "state": "denied",
        "approvals": [approval],
        "trail": [step, {**step, "reason": "expired"}],
        "grant": grant,
        "reads": 4,
        "first_read_at": _AT,
        "carve_out": carve_out,
        "review": review,
    }
    erased = {"receipt_id": "r", "forgotten_at": _LATER, "reason": "forgotten-by-person"}
    shown = {"frozen": frozen, "entry": entry, "erased": erased}
    return {
        "InspectionTarget": target,
        "IncidentReference": incident,
        "IncidentKey": {
            "key_id": _KEY,
            "public_key": _HASH,
            "label": "desk",
            "registered_by": "o",
            "registered_at": _AT,
            "revoked_by": "x",
            "revoked_at": _LATER,
        },
        "InspectionStep": step,
        "InspectionApproval": approval,
        "InspectionGrant": grant,
        "FrozenEntry": frozen,
        "CarveOut": carve_out,
        "BreakGlassReview": review,
        "Inspection": inspection,
        "InspectionRefused": {
            "outcome": "refused",
            "reason": "not-granted",
            "rule": "there is no grant",
            "needs": ["admin"],
        },
        "ErasureProof": erased,
        "InspectedEntry": shown,
        "InspectionPage": {"inspection_id": "i", "entries": [shown], "total": 9, "next_offset": 1},
        "UserNotice": {
            "notice_id": "i",
            "tenant_id": "t",
            "user_id": "u",
            "role": "legal",
            "path": "dsar-fulfillment",
            "reason": "data-subject-request",
            "first_read_at": _AT,
            "due_at": _LATER,
            "held_until": _LATER,
            "overdue": True,
            "attempts": 2,
            "delivered_at": None,
        },
        "OperatorAlarm": {
            "alarm_id": "a",
            "tenant_id": "t",
            "kind": "break-glass",
            "at": _AT,
            "inspection_id": "i",
            "actor": "o",
            "role": "t&s",
            "to_roles": ["admin", "legal"],
            "delivered_at": _LATER,
        },
        "AccessLogEntry": {
            "at": _AT,
            "role": "support",
            "path": "routine-review",
            "reason": "support-case",
            "break_glass": True,
            "replayed": True,
            "inspection_id": "i",
            "logical_ids": ["l"],
            "entry_ids": ["e"],
        },
        "KillSwitch": {"on": True, "actor": "o", "at": _AT},
        "InspectionReport": {
            "days": 30,
            "requested": 9,
            "granted": 5,
            "denied": {"self-approval": 1},
            "waiting": 1,
            "active": 1,
            "reads": 7,
            "entries_read": 70,
            "break_glass": 2,
            "break_glass_justified": 1,
            "break_glass_unjustified": 1,
            "reviews_open": 1,
            "reviews_overdue": 1,
            "notices_pending": 1,
            "notices_overdue": 1,
            "alarms": {"break-glass": 2},
        },
    }
