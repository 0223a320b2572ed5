"""JSON forms of the contracts about exports and the steps of an erasure."""

from __future__ import annotations

from typing import Any

_AT = "2026-03-01T12:00:00.000000Z"
_LATER = "2026-03-08T12:00:00.000000Z"
_DIGEST = "0123456789abcdef" * 4


def export_examples(payload: dict[str, Any]) -> dict[str, Any]:
    """Return an example of each, around the payload of an export request."""
    part = {"name": "data/memories.json", "records": 1, "size": 9, "sha256": _DIGEST}
    manifest = {
        "format": "iris-export",
        "version": 1,
        "tenant_id": "t",
        "person": "p-1",
        "request_id": "r",
        "as_of": _AT,
        "options": payload,
        "counts": {"memories": 1},
        "masked": 0,
        "biometric_aggregate_only": True,
        "left_out": ["not asked for: pose memory"],
        "parts": [part],
        "vkey": "k",
        "note": "signed",
    }
    problem = {"code": "digest-differs", "part": "data/memories.json"}
    return {
        "ErasureStep": {"step": "keys-destroyed", "at": _AT, "count": 2},
        "ExportedOptOut": {"name": "history"},
        "ExportedRecord": {
            "kind": "pause",
            "key": "k",
            "created_at": _AT,
            "expires_at": _LATER,
            "value": {},
        },
        "BundlePart": part,
        "BundleManifest": manifest,
        "StoredExport": {
            "request_id": "r",
            "state": "ready",
            "made_at": _AT,
            "expires_at": _LATER,
            "size": 9,
            "sha256": _DIGEST,
            "chunks": 1,
            "encrypted": True,
            "delivery_channel": "api",
            "counts": {"memories": 1},
        },
        "BundleProblem": problem,
        "BundleReport": {"ok": False, "signature": "fits", "problems": [problem], "manifest": manifest},
    }
