"""JSON forms of the contracts of guards: decisions, firings and the report."""

from __future__ import annotations

from typing import Any

_AT = "2026-03-01T12:00:00.000000Z"
_LATER = "2027-01-31T23:59:59.999999Z"
_CELL = {"guard": "egress", "kind": "email", "action": "deny", "first_name_alone": False, "log_only_destination": True}
_CHOICE = {"calls": 8, "masked": 1, "denied": 2, "halted": 0, "logged": 1, "went_on": 3, "share": 375_000}
_SHADOW_CELL = {"point": "pre_tool_use", **_CELL, "occurrences": 3, "calls": 2, "distinct": 1}
_REACH = {"point": "pre_tool_use", "guard": "egress", "calls": 4}
_MISS = {"point": "pre_response", "why": "no_corpus", "failure": "CorpusMissingError", "calls": 2}
_DISAGREEMENT = {"kind": "name", "milder": "egress", "stricter": "web_search", "calls": 2}
_FLAG = {"name": "IRIS_GOVERNANCE_OWNER_PII", "value": "shadow", "accepts": "off, shadow or enforce", "warning": "x"}
_ROW = {
    "columns": ["egress"],
    "tallies": [{**_CELL, "count": 2, "spans": [[0, 3, 9]], "marks": [0]}],
    "digests": ["0123456789abcdef" * 4],
    "failed": None,
}

GUARDING_EXAMPLES: dict[str, Any] = {
    "GuardCount": {**_CELL, "count": 1},
    "Halted": {
        "point": "pre_response",
        "audience": "other",
        "reason": "owner-pii-halted",
        "kinds": ["email", "secret"],
    },
    "Firing": {
        "at": _AT,
        "point": "pre_tool_use",
        "mode": "enforce",
        "enforced": ["email", "phone"],
        "outcome": "deny",
        "row": _ROW,
    },
    "ShadowCell": _SHADOW_CELL,
    "ShadowReach": _REACH,
    "ShadowMiss": _MISS,
    "ShadowDisagreement": _DISAGREEMENT,
    "ShadowChoice": {"kind": "email", "enforced": True, **_CHOICE},
    "ShadowReport": {
        "since": _AT,
        "until": _LATER,
        "rows": 9,
        "cells": [_SHADOW_CELL],
        "reach": [_REACH],
        "missed": [_MISS],
        "disagreements": [_DISAGREEMENT],
        "choices": [{"kind": "email", "enforced": True, **_CHOICE}],
    },
    "GovernanceFlag": _FLAG,
    "GovernanceState": {
        "flags": [_FLAG],
        "enforced": ["email"],
        "table": "configured",
        "log_only_destinations": ["mcp_*"],
    },
}
