"""JSON forms of the contracts of continuity, assistants, events and bridges."""

from __future__ import annotations

from typing import Any

_AT = "2026-03-01T12:00:00.000000Z"
_LATER = "2027-01-31T23:59:59.999999Z"

_SHOWN: dict[str, Any] = {"surface": "ritual", "title_ref": "rituals/evening", "locale": "en-GB"}
_ANCHOR: dict[str, Any] = {"surface": "ritual", "ref": "rituals/evening", "position": 3, "unit": "step"}
_WISH: dict[str, Any] = {
    "device_id": "phone",
    "scope": {"kind": "profile", "user_id": "u"},
    "surface_context": _SHOWN,
    "anchor_ref": _ANCHOR,
    "posture": "paused",
    "sensitive_categories": ["medical"],
    "cross_device_consent_id": "consent-1",
    "idempotency_key": "phone-1",
}
_TOKEN: dict[str, Any] = {
    "token_id": "token-1",
    "version": 2,
    "tenant_id": "t",
    "user_id": "u",
    **_WISH,
    "sequence": 7,
    "created_at": _AT,
    "updated_at": _AT,
    "expires_at": _LATER,
}
_NOTICE: dict[str, Any] = {
    "notice_id": "notice-1",
    "device_id": "phone",
    "other_device_id": "tablet",
    "token_id": "token-1",
    "surface": "ritual",
    "ref": "rituals/evening",
    "told": "this was also playing on your other device",
    "at": _AT,
    "expires_at": _LATER,
}
CONTINUITY_EXAMPLES: dict[str, Any] = {
    "SurfaceContext": _SHOWN,
    "AnchorRef": _ANCHOR,
    "Checkpoint": _WISH,
    "ContinuationToken": _TOKEN,
    "DeviceNotice": _NOTICE,
    "CheckpointKept": {"stands": False, "token": _TOKEN, "notice": _NOTICE},
    "Device": {"device_id": "phone", "name": "My phone", "first_seen": _AT, "last_seen": _LATER},
}

_WEBHOOK: dict[str, Any] = {
    "webhook_id": "hook-1",
    "url": "https://audit.example/iris",
    "events": ["pause.changed", "recall.completed"],
    "registered_at": _AT,
    "delivered": 41,
    "failures": 2,
    "next_attempt_at": _LATER,
    "last_status": 503,
}
CONTINUITY_EXAMPLES |= {
    "AssistantIdentity": {
        "assistant_id": "nova",
        "display_name": "Nova",
        "persona_ref": "personas/nova-2",
        "surfaces": ["assistant", "shell"],
        "scopes": ["assistant_profile", "session"],
        "registered_at": _AT,
        "updated_at": _LATER,
        "retired_at": _LATER,
    },
    "MemoryEvent": {
        "event_id": "event-1",
        "name": "memory.refused",
        "tenant_id": "t",
        "person": "p",
        "consumer": "assistant",
        "assistant_id": "nova",
        "at": _AT,
        "object_ids": ["e-1"],
        "counts": {"consent-missing": 1},
        "code": "consent-missing",
    },
    "Turn": {"turn_id": "t1", "sequence": 1, "role": "user", "text": "Good evening", "label": "user-typed"},
    "TurnLogged": {
        "turn_id": "t1",
        "session_id": "s1",
        "sequence": 1,
        "role": "user",
        "label": "user-typed",
        "at": _AT,
        "kept_until": _LATER,
        "text": "Good evening",
    },
    "TurnsKept": {"session_id": "s1", "appended": 1, "already": 1, "last_sequence": 2},
    "BridgeSession": {
        "session_id": "s1",
        "mode": "customer",
        "began_at": _AT,
        "last_sequence": 2,
        "ended_at": _LATER,
        "off_the_record": True,
    },
    "SessionEnded": {"session_id": "s1", "last_sequence": 2, "forgotten": 1, "was_over": False},
    "Webhook": _WEBHOOK,
    "WebhookRegistered": {"webhook": _WEBHOOK, "secret": f"whsec_{'A' * 43}="},
}
