"""JSON forms of the contracts about other people and about words that look sensitive."""

from __future__ import annotations

from typing import Any

_AT = "2026-03-01T12:00:00.000000Z"
_LATER = "2027-01-31T23:59:59.999999Z"

OFFER: dict[str, Any] = {"body": "met [person:0123456789abcdef]", "kinds": ["person"]}
_TOKEN: dict[str, Any] = {"kind": "email", "tag": "0123456789abcdef", "start": 5, "end": 20}

PRIVACY_EXAMPLES: dict[str, Any] = {
    "MaskedOffer": OFFER,
    "AskCategory": {
        "outcome": "ask-category",
        "question_id": "q",
        "said": "fact",
        "looks_like": ["medical", "mental_health"],
        "needs": ["category:medical"],
        "question": "is it about health?",
        "digest": "0123456789abcdef" * 4,
        "expires_at": _LATER,
    },
    "PiiToken": _TOKEN,
    "RedactedText": {"text": "mail [email:0123456789abcdef]", "tokens": [_TOKEN]},
    "MentionedPerson": {
        "handle": "actor-1",
        "relationship_notes": ["my partner"],
        "memories": 2,
        "sensitive": 1,
        "since": _AT,
        "last_at": _LATER,
    },
}
