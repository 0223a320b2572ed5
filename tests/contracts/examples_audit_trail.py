"""One JSON form of every contract of the audit trail as it is read, written by hand."""

from __future__ import annotations

from typing import Any, Final

_AT, _LATER = "2026-03-01T12:00:00.000000Z", "2027-01-31T23:59:59.999999Z"
_LINE: Final[dict[str, Any]] = {
    "sequence": 7,
    "at": _AT,
    "action": "memory.written",
    "policy_id": "iris-memory-write-v1",
    "severity": "info",
    "person": "p",
    "facts": {"object_ids": '["m1"]'},
}

AUDIT_TRAIL_EXAMPLES: Final[dict[str, Any]] = {
    "TrailFilter": {
        "action": "memory.written",
        "severity": "warning",
        "person": "p",
        "object_id": "m1",
        "since": _AT,
        "until": _LATER,
    },
    "TrailLine": _LINE,
    "TrailPage": {"lines": [_LINE], "size": 9, "looked_at": 3, "next_before": 7},
    "EventProof": {
        "format": "iris-event-proof",
        "version": 1,
        "tenant_id": "t",
        "sequence": 7,
        "line": "{}",
        "hashes": ["0123456789abcdef" * 4],
        "checkpoint": "origin\n9\nAAAA\n",
        "vkeys": ["name+00000000+AAAA"],
    },
}
