"""One JSON form of every contract, written by hand from the specification: complete, canonical, no field left out."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from examples_audit_trail import AUDIT_TRAIL_EXAMPLES
from examples_consent import consent_examples
from examples_continuity import CONTINUITY_EXAMPLES
from examples_export import export_examples
from examples_guarding import GUARDING_EXAMPLES
from examples_inference import inference_examples
from examples_inspection import inspection_examples
from examples_privacy import OFFER, PRIVACY_EXAMPLES
from examples_retaining import retaining_examples
from examples_rights import EXAMPLES_RIGHTS
from examples_service import EXAMPLES_SERVICE

AT = "2026-03-01T12:00:00.000000Z"
LATER = "2027-01-31T23:59:59.999999Z"
DIGEST = "0123456789abcdef" * 4

SCOPES: dict[str, dict[str, str]] = {
    "profile": {"kind": "profile", "user_id": "u"},
    "session": {"kind": "session", "user_id": "u", "session_id": "s"},
    "notebook": {"kind": "notebook", "user_id": "u", "notebook_id": "n"},
    "operator-copilot": {"kind": "operator-copilot", "tenant_id": "t", "operator_id": "o"},
    "tenant": {"kind": "tenant", "tenant_id": "t", "user_id": "u"},
    "scene": {"kind": "scene", "user_id": "u", "session_id": "s", "scene_id": "c", "room_id": "r"},
    "pose": {"kind": "pose", "user_id": "u", "session_id": "s", "scene_id": "c", "pose_id": "p"},
    "crisis": {"kind": "crisis", "user_id": "u", "session_id": "s"},
}
SCOPE_TEXTS = {
    "profile": "profile:u",
    "session": "session:u:s",
    "notebook": "notebook:u:n",
    "operator-copilot": "operator-copilot:t:o",
    "tenant": "tenant:t:u",
    "scene": "scene:u:s:c:r",
    "pose": "pose:u:s:c:p",
    "crisis": "crisis:u:s",
}
DEFAULT_ADAPTERS = {
    "profile": "assistant_profile",
    "session": "session",
    "notebook": "notebook",
    "operator-copilot": "operator_copilot",
    "tenant": "tenant",
    "scene": "scene",
    "pose": "pose",
    "crisis": "crisis",
}

LINK = {"kind": "session-turn", "ref": "session-1/turn-4", "captured_at": AT, "label": "user-typed"}
CONSENT = {"category": "medical", "granted_at": AT, "revoked_at": None, "source": "inline-prompt"}
SUPPRESSION = {"reason": "user-pause", "started_at": AT, "ends_at": LATER, "notes": "until the trip"}
ACTOR = {"actor_handle": "actor-1", "relationship_note": "my professor", "sensitive_interaction": True}
QUARANTINE = {"reason": "instruction-like", "since": AT}
ENTRY: dict[str, Any] = {
    "id": "0195f2b0-0000-7000-8000-000000000001",
    "logical_id": "0195f2b0-0000-7000-8000-000000000000",
    "tenant_id": "t",
    "user_id": "u",
    "scope": SCOPES["profile"],
    "adapter_scope": "assistant_profile",
    "category": "preference",
    "subject": "seat preference",
    "body": "prefers the window seat, 窓際 🪟",
    "origin": "user-stated",
    "lifecycle": "active",
    "revision": 2,
    "supersedes": "0195f2b0-0000-7000-8000-000000000002",
    "superseded_by": None,
    "provenance_chain": [LINK],
    "label": "user-typed",
    "quarantine": None,
    "consents": [],
    "suppression": None,
    "multi_actor": None,
    "reference_count": 3,
    "last_referenced_at": AT,
    "confidence": 900_000,
    "created_at": AT,
    "updated_at": LATER,
    "expires_at": None,
}
FULL_ENTRY = {
    **ENTRY,
    "quarantine": QUARANTINE,
    "consents": [CONSENT, {**CONSENT, "revoked_at": LATER}],
    "suppression": SUPPRESSION,
    "multi_actor": ACTOR,
    "superseded_by": "x",
    "expires_at": LATER,
}
PARTS = {"recency": 1, "semantic": 0, "reference_count": 300_000, "origin": 1_000_000}
HIT = {
    "entry": ENTRY,
    "score": 145_000_400,
    "score_parts": PARTS,
    "surface_rationale": ["recent", "user-stated"],
    "provenance_chain": [LINK],
}
ENVELOPE = {
    "scope_key": "profile:u",
    "returned_ids": ["a"],
    "suppression_counts": {"tenant-mismatch": 2},
    "evaluated_count": 5,
    "deduplicated_count": 1,
    "over_budget_count": 1,
    "recall_version": "iris-recall-1",
}
VERDICT = {"gate": "tenant", "passed": False, "reason": "tenant-mismatch", "rule": "the tenant is the request's"}
RECENT = {
    "at": AT,
    "surface": "assistant",
    "consumer": "tara",
    "assistant_id": None,
    "request_scope": "profile:u",
    "rationale": ["recent"],
}
RESIDUE = {"files": 3, "size": 4_096, "patterns": 2, "too_short": 0, "found": {"text": 1}}

RETENTION: dict[str, Any] = {
    "raw_days": 1,
    "summarised_days": 30,
    "at_expiry": "aggregate",
    "keeps_summary": True,
    "aggregates_only": True,
    "until_contract_ends": False,
}

EXAMPLES: dict[str, dict[str, Any]] = {
    "ProfileScope": SCOPES["profile"],
    "SessionScope": SCOPES["session"],
    "NotebookScope": SCOPES["notebook"],
    "OperatorCopilotScope": SCOPES["operator-copilot"],
    "TenantScope": SCOPES["tenant"],
    "SceneScope": SCOPES["scene"],
    "PoseScope": SCOPES["pose"],
    "CrisisScope": SCOPES["crisis"],
    "ProvenanceLink": LINK,
    "ConsentEntry": CONSENT,
    "Suppression": SUPPRESSION,
    "MultiActor": ACTOR,
    "Quarantine": QUARANTINE,
    "MemoryEntry": FULL_ENTRY,
    "Tombstone": {
        "logical_id": "l",
        "tenant_id": "t",
        "person": "p-1",
        "created_at": AT,
        "forgotten_at": LATER,
        "reason": "forgotten-by-person",
        "receipt_id": "r",
    },
    "RecentRecall": RECENT,
    "UsageRecord": {"logical_id": "l", "reference_count": 1, "last_referenced_at": AT, "recent": [RECENT]},
    "RecallRequest": {
        "tenant_id": "t",
        "user_id": "u",
        "scope": SCOPES["notebook"],
        "adapter_scope": "notebook",
        "consumer": "nisaba",
        "assistant_id": "a",
        "surface": "notebook",
        "text": "which seat",
        "contexts": ["general", "work"],
        "consented_categories": ["medical", "multi-actor-sensitive"],
        "crisis_frame": False,
        "safety_critical_context": True,
        "dsar_workflow": False,
        "tenant_policy": True,
        "now": AT,
        "limit": 5,
    },
    "ScoreParts": PARTS,
    "RecallHit": HIT,
    "RecallAuditEnvelope": ENVELOPE,
    "RecallResult": {"hits": [HIT], "audit_envelope": ENVELOPE},
    "GateVerdict": VERDICT,
    "Explanation": {
        "logical_id": "l",
        "entry_id": "e",
        "verdicts": [VERDICT],
        "counted_under": "tenant-mismatch",
        "score": 0,
        "score_parts": PARTS,
        "weights": {"recency": 400},
        "outcome": "dropped",
        "rank": 1,
    },
    "ActorMention": {"name": "Ada", "relationship_note": "my partner", "sensitive_interaction": False},
    "Statement": {
        "body": "prefers the window seat",
        "category": "preference",
        "subject": "seat preference",
        "scope": SCOPES["session"],
        "adapter_scope": "conversation",
        "origin": "user-stated",
        "label": "user-typed",
        "provenance": [LINK],
        "actor": {"name": "Ada", "relationship_note": None, "sensitive_interaction": False},
        "session_id": "s",
        "confidence": 0,
        "expires_at": LATER,
        "again": False,
        "as_said": DIGEST,
    },
    "Written": {
        "outcome": "written",
        "entry": ENTRY,
        "replaced": "x",
        "rule": "most-recent-wins",
        "mode": "durable",
        "offer": OFFER,
    },
    "AskUser": {
        "outcome": "ask-user",
        "question_id": "q",
        "entry": ENTRY,
        "conflicting_id": "x",
        "rule": "most-recent-wins",
        "question": "should it be updated?",
        "expires_at": LATER,
    },
    "Refused": {
        "outcome": "refused",
        "reason": "consent-missing",
        "rule": "a scope needs its consents",
        "needs": ["data_storage"],
    },
    "Question": {
        "question_id": "q",
        "kind": "conflict",
        "asked_at": AT,
        "expires_at": LATER,
        "rule": "most-recent-wins",
        "existing_id": "a",
        "draft_id": "b",
        "existing_body": "window",
        "draft_body": "aisle",
        "prompt": "which?",
        "digest": DIGEST,
    },
    "Revision": {"body": "aisle", "category": "fact", "subject": "seat", "expires_at": LATER},
    "ConsentEvent": {
        "record_version": 1,
        "event_id": "e",
        "tenant_id": "t",
        "user_id": "u",
        "type": "category:medical",
        "status": "granted",
        "legal_basis": "consent",
        "capture_method": "inline_prompt",
        "terms_hash": DIGEST,
        "terms_language": "en",
        "witness": "settings page",
        "jurisdiction": "EU",
        "note": "asked twice",
        "occurred_at": AT,
        "expires_at": LATER,
        "sequence": 1,
        "previous": "0" * 64,
        "person_commitment": DIGEST,
        "note_commitment": DIGEST,
        "blinding": DIGEST,
        "fingerprint": DIGEST,
    },
    "RetentionEnvelope": RETENTION,
    "ScopeBlueprint": {
        "adapter_scope": "pose",
        "kind": "pose",
        "required_consents": ["data_processing", "data_storage", "sensitive_data"],
        "opt_outs": ["biometric", "embodied", "memory"],
        "tiers": ["episodic"],
        "needs_governance_review": True,
        "admin_reviewable": False,
        "consumers": ["tara"],
        "retention": RETENTION,
    },
    "GovernanceApproval": {
        "tenant_id": "t",
        "adapter_scope": "pose",
        "approver": "o",
        "reason": "pilot",
        "granted_at": AT,
        "expires_at": LATER,
    },
    "ScopePolicy": {"adapter_scope": "session", "enabled": True, "mode": "durable", "notes": ["fine"]},
    "AuditEvent": {
        "action": "memory.recall.resolved",
        "policy_id": "iris-memory-recall-v1",
        "severity": "warning",
        "tenant_id": "t",
        "person": "p-1",
        "at": AT,
        "scope_key": "profile:u",
        "object_ids": ["a"],
        "counts": {"tenant-mismatch": 1},
        "details": {"rule": "most-recent-wins"},
    },
    "ForgetTarget": {
        "logical_id": "l",
        "category": "medical",
        "everything": False,
        "source": "mail-7",
        "since": AT,
        "mention": "Ada",
    },
    "ForgetPreview": {"memories": 1, "revisions": 2, "reached": {"entries": 2}, "stays": ["audit"]},
    "ResidueFinding": RESIDUE,
    "ForgetReceipt": {
        "format": "iris-forget-receipt",
        "version": 2,
        "receipt_id": "r",
        "tenant_id": "t",
        "person": "p-1",
        "reason": "category-cleared",
        "asked_at": AT,
        "completed_at": LATER,
        "memories": 1,
        "keys_destroyed": 2,
        "reached": {"entries": 2},
        "residue": RESIDUE,
        "files_scrubbed": True,
        "vault_backup_days": 14,
        "audit_size": 9,
        "audit_root": "x",
        "stays": ["audit"],
        "is_complete": True,
        "keys": ["3", "7-12"],
        "read_back": {"entries": 0},
        "steps": [{"step": "keys-destroyed", "at": LATER, "count": 2}],
        "note": "signed",
    },
}
EXAMPLES.update(PRIVACY_EXAMPLES)
EXAMPLES.update(AUDIT_TRAIL_EXAMPLES)
EXAMPLES.update(consent_examples(EXAMPLES["ConsentEvent"], EXAMPLES["ForgetReceipt"]))
EXAMPLES.update(GUARDING_EXAMPLES)
EXAMPLES.update(CONTINUITY_EXAMPLES)
EXAMPLES.update(inference_examples(ENTRY, LINK, EXAMPLES["AskUser"]))
EXAMPLES.update(EXAMPLES_RIGHTS)
EXAMPLES.update(EXAMPLES_SERVICE)
EXAMPLES.update(retaining_examples(ENTRY))
EXAMPLES.update(inspection_examples(ENTRY))
EXAMPLES.update(export_examples(EXAMPLES["ExportPayload"]))


def example(name: str, **changes: Any) -> dict[str, Any]:
    """Return a copy of an example with some fields changed."""
    return {**deepcopy(EXAMPLES[name]), **changes}
