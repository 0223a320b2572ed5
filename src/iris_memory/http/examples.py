"""Examples of the API's documentation. The tests run each one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from fastapi.openapi.models import Example
from pydantic import BaseModel

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, MemoryEntry, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.recall import RecallAuditEnvelope, RecallHit, RecallResult, ScoreParts
from iris_memory.contracts.scope import ProfileScope
from iris_memory.contracts.write import Written

_AT: Final = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_ID: Final = "019cae3f-5c40-7000-8000-5f2c1d9a7b31"


def _example(summary: str, value: Any) -> Example:
    return {"summary": summary, "value": value}


REMEMBER: Final[dict[str, Example]] = {
    "preference": _example(
        "A preference; a new value for the same subject becomes a question",
        {"body": "Prefers a window seat on trains", "category": "preference", "subject": "seat preference"},
    ),
    "inference": _example(
        "Something an assistant inferred in a session",
        {
            "body": "Often travels on Fridays",
            "scope": {"kind": "session", "session_id": "trip-to-lisbon"},
            "origin": "model-inferred",
            "label": "assistant",
            "session_id": "trip-to-lisbon",
            "confidence": 700_000,
        },
    ),
}
BATCH: Final[dict[str, Example]] = {
    "two": _example(
        "Two facts at once",
        {"statements": [{"body": "Works from Porto in winter"}, {"body": "Learns Portuguese", "category": "goal"}]},
    )
}
RECALL: Final[dict[str, Example]] = {
    "trip": _example(
        "What matters while a trip is planned", {"text": "booking a train seat", "contexts": ["general"], "limit": 5}
    ),
    "session": _example(
        "Within a session", {"text": "Friday", "scope": {"kind": "session", "session_id": "trip-to-lisbon"}}
    ),
}
SEARCH: Final[dict[str, Example]] = {"words": _example("Memories that hold a word", {"words": "train"})}
REVISE: Final[dict[str, Example]] = {
    "body": _example("New words", {"body": "Prefers an aisle seat on trains"}),
}
FORGET: Final[dict[str, Example]] = {
    "category": _example("Everything in a category", {"category": "preference"}),
    "everything": _example("Everything, without the search of all files", {"everything": True, "scan": False}),
}
ERASE: Final[dict[str, Example]] = {"all": _example("The person whole", {"erase": "everything-about-me"})}
ANSWER: Final[dict[str, Example]] = {
    "replace": _example(
        "The new statement replaces the old one; `digest` is the question's",
        {"decision": "replace", "digest": "0" * 64},
    )
}
PAUSE: Final[dict[str, Example]] = {
    "session": _example("One session", {"session_id": "trip-to-lisbon"}),
    "everywhere": _example("Every session", {}),
}
GRANT: Final[dict[str, Example]] = {
    "base": _example(
        "What storing anything needs",
        {
            "names": ["data_processing", "data_storage"],
            "terms": "We keep what you tell us until you ask us to forget it.",
            "capture_method": "inline_prompt",
        },
    ),
    "medical": _example(
        "A sensitive category's own consent",
        {"names": ["category:medical"], "terms": "We keep what you tell us about your health."},
    ),
}
OPT_OUTS: Final[dict[str, Example]] = {
    "history": _example("No memory of past conversations", {"names": ["history"]}),
    "nothing": _example("Out of nothing", {"names": []}),
}
IMPORT: Final[dict[str, Any]] = {
    "required": True,
    "content": {
        "application/octet-stream": {
            "schema": {"type": "string", "format": "binary"},
            "examples": {
                "jsonl": {
                    "summary": "Iris's own JSON lines, with format=jsonl",
                    "value": '{"text": "Plays the cello", "author": "user", "said_at": "2026-02-01T18:00:00Z"}\n',
                }
            },
        }
    },
}

_ENTRY: Final = MemoryEntry(
    id=_ID,
    logical_id=_ID,
    tenant_id="local",
    user_id="me",
    scope=ProfileScope(user_id="me"),
    category=Category.PREFERENCE,
    subject="seat preference",
    body="Prefers a window seat on trains",
    origin=Origin.USER_STATED,
    provenance_chain=(
        ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref="direct", captured_at=_AT, label=Label.USER_TYPED),
    ),
    label=Label.USER_TYPED,
    created_at=_AT,
    updated_at=_AT,
    expires_at=None,
)
WRITTEN: Final = Written(entry=_ENTRY)
RECALLED: Final = RecallResult(
    hits=(
        RecallHit(
            entry=_ENTRY.model_copy(update={"reference_count": 2, "last_referenced_at": _AT}),
            score=588_315_050,
            score_parts=ScoreParts(recency=999_954, semantic=166_667, reference_count=200_000, origin=1_000_000),
            surface_rationale=("recent", "matches-request", "often-used", "user-stated"),
            provenance_chain=_ENTRY.provenance_chain,
        ),
    ),
    audit_envelope=RecallAuditEnvelope(
        scope_key="profile:me",
        returned_ids=(_ID,),
        suppression_counts={"sensitive-category-outside-relevant-context": 1},
        evaluated_count=2,
        deduplicated_count=0,
        over_budget_count=0,
        recall_version="iris-recall-1;weights=400.350.150.100;semantic=jaccard;tokens=word3;unicode=15.0.0",
    ),
)


ANSWERS: Final[tuple[tuple[str, str, str, BaseModel], ...]] = (
    ("/v1/memories", "post", "201", WRITTEN),
    ("/v1/recall", "post", "200", RECALLED),
)
"""What the first example of an operation is answered, by path, method and status."""
