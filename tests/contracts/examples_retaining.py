"""One JSON form of every contract of ageing, written by hand: complete, canonical, no field left out."""

from __future__ import annotations

from typing import Any

_AT, _LATER = "2026-03-01T12:00:00.000000Z", "2027-01-31T23:59:59.999999Z"


def retaining_examples(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the examples, about an entry."""
    source = {
        "kind": "session-summary",
        "ref": "of:m1@2#0-4",
        "captured_at": _AT,
        "label": "user-typed",
        "state": "gone",
        "logical_id": "m1",
        "revision": 2,
        "entry": None,
        "gone_at": _LATER,
        "gone_because": "retention-ended",
    }
    return {
        "Review": {"entry": entry, "waiting_since": _AT, "ends_at": _LATER, "extends_to": _LATER},
        "ExpandedSource": source,
        "Expansion": {
            "entry": entry,
            "made_by": "iris-extractive-1",
            "sources": [source, {**source, "state": "there", "entry": entry, "gone_at": None, "gone_because": None}],
        },
        "SweepReport": {
            "at": _AT,
            "dry_run": False,
            "people": 2,
            "due": 9,
            "summarized": 3,
            "aggregated": 1,
            "summaries": 2,
            "ended": 1,
            "in_review": 1,
            "postponed": 1,
            "held": 1,
            "again": 1,
            "unreadable": 1,
            "expired_records": 4,
            "finished_forgets": 1,
            "files_scrubbed": True,
            "by_scope": {"session": 5, "pose": 1},
        },
    }
