"""JSON forms of the contracts about inference, questions, answers and budgets."""

from __future__ import annotations

from typing import Any

_AT = "2026-03-01T12:00:00.000000Z"
_LATER = "2027-01-31T23:59:59.999999Z"
_DIGEST = "0123456789abcdef" * 4


def inference_examples(entry: dict[str, Any], link: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """Return an example of each, around those of an entry, a provenance link and a question asked."""
    said = {
        "body": "Prefers early trains",
        "category": "preference",
        "subject": "train",
        "scope": {"kind": "session", "user_id": "u", "session_id": "s"},
        "adapter_scope": "session",
        "origin": "summarized-from-session",
        "label": "web",
        "session_id": "s",
        "provenance": [link],
        "actor": {"name": "Bo", "relationship_note": "brother", "sensitive_interaction": True},
        "confidence": 700000,
    }
    choice = {"decision": "yes", "effect": "it is remembered"}
    source = {"label": "web", "ref": "page", "captured_at": _AT}
    ref = {"session": "tag", "at": _AT, "label": "user-typed"}
    return {
        "Inference": said,
        "Observed": {
            "outcome": "observed",
            "sessions": 2,
            "needed": 3,
            "why": "sensitive-looking",
            "question_id": "q",
        },
        "Promoted": {"outcome": "promoted", "reason": "explicit-promotion", "entry": entry, "replaced": "e"},
        "Choice": choice,
        "Source": source,
        "InboxQuestion": {
            "question_id": "q",
            "kind": "re-consent",
            "asked_at": _AT,
            "expires_at": _LATER,
            "revision": 2,
            "rule": "expired",
            "prompt": "Does it hold?",
            "was": "before",
            "new": "after",
            "category": "medical",
            "subject": "dose",
            "needs": ["category:medical"],
            "sources": [source],
            "choices": [choice],
            "is_held": False,
            "digest": _DIGEST,
        },
        "Answered": {
            "question_id": "q",
            "kind": "inference",
            "decision": "yes",
            "entry": entry,
            "replaced": "e",
            "rule": "most-recent-wins",
            "asked": asked,
        },
        "InferenceQuestion": {
            "question_id": "q",
            "inference": said,
            "memory_id": "l",
            "fingerprint": "tag",
            "asked_at": _AT,
            "expires_at": _LATER,
            "revision": 3,
        },
        "ObservationRef": ref,
        "Observation": {"refs": [ref]},
        "WriteBudget": {"since": _AT, "written": 5, "burst_since": _LATER, "burst": 2, "alarmed": True},
    }
