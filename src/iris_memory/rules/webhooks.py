"""Webhooks: signatures, pauses between attempts, and which audit events are told.

Signatures follow the Standard Webhooks specification 1.0: HMAC-SHA256 over `id.timestamp.body`, base64, version `v1`.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.events import EventName
from iris_memory.contracts.shape import EPOCH, format_instant, from_micros
from iris_memory.tables.bridging import FIRST_PAUSE, LONGEST_PAUSE

_WRITTEN: Final = frozenset({AuditAction.MEMORY_WRITTEN, AuditAction.MEMORY_BATCH_WRITTEN, AuditAction.MEMORY_REVISED})
PREFIX: Final = "whsec_"


def pause_after(failures: int) -> timedelta:
    """Return how long to wait after so many failures in a row: doubling, up to an hour."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * (1 << min(max(failures - 1, 0), 20)))


def secret_text(secret: bytes) -> str:
    """Return a secret of 32 bytes as it is told."""
    return PREFIX + base64.b64encode(secret).decode("ascii")


def signed_headers(secret: bytes, *, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of one message."""
    stamp = str((at - EPOCH) // timedelta(seconds=1))
    mac = hmac.digest(secret, f"{message_id}.{stamp}.".encode() + body, "sha256")
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(mac).decode('ascii')}",
    }


def told_of(event: Mapping[str, Any], *, tenant: str, sequence: int) -> list[dict[str, Any]]:
    """Return what an audit event is told as: none, one or two events, of ids, codes and counts."""
    action = event.get("action")
    base = {
        "tenant_id": tenant,
        "person": event.get("person", ""),
        "at": format_instant(from_micros(int(event.get("at", 0)))),
    }
    found: list[tuple[EventName, dict[str, Any]]] = []
    if action == AuditAction.RECALL_RESOLVED:
        returned = event.get("returned_ids", [])
        counts = {"returned": len(returned), "withheld": sum(event.get("suppression_counts", {}).values())}
        found.append((EventName.RECALL_COMPLETED, {"object_ids": returned, "counts": counts}))
    if action in _WRITTEN and event.get("object_ids"):
        ids = event["object_ids"]
        found.append((EventName.MEMORY_WRITTEN, {"object_ids": ids, "counts": {"written": len(ids)}}))
    refused = event.get("refused", {})
    if refused:
        found.append((EventName.MEMORY_REFUSED, {"counts": {str(k): int(v) for k, v in refused.items()}}))
    questions = event.get("questions", [])
    if questions or action == AuditAction.QUESTION_ASKED:
        raised = len(questions) or int(event.get("category_questions", 1))
        found.append((EventName.QUESTION_RAISED, {"object_ids": questions, "counts": {"raised": raised}}))
    if action == AuditAction.PAUSE_CHANGED:
        found.append((EventName.PAUSE_CHANGED, {"code": "paused" if event.get("paused") else "resumed"}))
    if action == AuditAction.INSPECTION_NOTED and event.get("state") == "delivered":
        found.append((EventName.INSPECTION_NOTICED, {"object_ids": [event.get("inspection", "")]}))
    if action == AuditAction.INSPECTION_ALARMED:
        ids = [event.get("inspection", ""), event.get("alarm", "")]
        found.append((EventName.INSPECTION_ALARMED, {"object_ids": ids, "code": event.get("kind", "")}))
    return [{"event_id": f"{sequence}.{name.value}", "name": name.value, **base, **more} for name, more in found]
