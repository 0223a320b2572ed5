"""JSON to model to JSON gives the same bytes, for every contract and every word of their vocabularies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from types import ModuleType
from typing import Any

import pytest
from contract_examples import ACTOR, AT, DEFAULT_ADAPTERS, ENTRY, EXAMPLES, LATER, LINK, SCOPE_TEXTS, SCOPES, example
from pydantic import ValidationError

from iris_memory.contracts import (
    audit,
    audit_trail,
    blueprint,
    bridge,
    bundle,
    category,
    consent,
    continuity,
    decision,
    disclosure,
    entry,
    erasure,
    events,
    guarding,
    identity,
    inference,
    inspection,
    others,
    privacy,
    recall,
    retaining,
    rights,
    scope,
    service_token,
    webhook,
    write,
)
from iris_memory.contracts.category import Category, Consumer, Context, Surface
from iris_memory.contracts.consent import CaptureMethod, ConsentStatus, ConsentType, LegalBasis
from iris_memory.contracts.entry import (
    ConsentSource,
    Label,
    Lifecycle,
    MemoryEntry,
    Origin,
    ProvenanceKind,
    QuarantineReason,
    SuppressionReason,
)
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import AdapterScope, ScopeKind
from iris_memory.contracts.shape import Contract
from iris_memory.tables import adapter_scopes

MODULES: list[ModuleType] = [audit, blueprint, category, consent, decision, entry, erasure, recall, scope, write]
MODULES += [others, privacy]
MODULES += [guarding]
MODULES += [inference]
MODULES += [rights, disclosure]
MODULES += [retaining]
MODULES += [audit_trail]
MODULES += [inspection]
MODULES += [continuity, identity, events, bridge, webhook]
MODULES += [bundle]
MODULES += [service_token]
CONTRACTS = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, Contract) and value.__module__ == module.__name__
    if value is not scope.ScopeKey
}


def compact(form: dict[str, Any]) -> str:
    """Return a JSON form as the models write it."""
    return json.dumps(form, separators=(",", ":"), ensure_ascii=False)


def entries() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield an entry for every word an entry may hold."""
    for kind, key in SCOPES.items():
        yield f"scope-{kind}", {**ENTRY, "scope": key, "adapter_scope": DEFAULT_ADAPTERS[kind]}
    for name, words in VOCABULARIES.items():
        for word in words:
            yield f"{name}-{word}", {**ENTRY, name: word}
    for kind in PROVENANCE_KINDS:
        for label in VOCABULARIES["label"]:
            yield f"link-{kind}-{label}", {**ENTRY, "provenance_chain": [{**LINK, "kind": kind, "label": label}, LINK]}
    for reason in ("crisis-frame", "user-pause", "sensitive-category", "tenant-quarantine"):
        for ends in (None, LATER):
            held = {"reason": reason, "started_at": AT, "ends_at": ends, "notes": None}
            yield f"suppression-{reason}-{ends}", {**ENTRY, "suppression": held}
    for reason in ("instruction-like", "low-trust-source", "sensitive-content", "reported-wrong"):
        yield f"quarantine-{reason}", {**ENTRY, "quarantine": {"reason": reason, "since": AT}}
    for source in ("inline-prompt", "settings-toggle", "dsar-import"):
        given = {"category": "medical", "granted_at": AT, "revoked_at": None, "source": source}
        yield f"consent-{source}", {**ENTRY, "consents": [given]}
    for flag in (False, True):
        for note in (None, "", "my partner"):
            actor = {**ACTOR, "relationship_note": note, "sensitive_interaction": flag}
            yield f"actor-{flag}-{note}", {**ENTRY, "multi_actor": actor}


CATEGORIES = [
    "fact", "preference", "goal", "relationship", "commitment", "identity", "spatial", "pose_alignment", "biometric",
    "spiritual", "medical", "sexual", "financial", "legal", "work", "family", "safety", "physical_health",
    "mental_health", "substance_use", "sexuality", "gender_identity", "religion_user_redacted", "abuse_history",
    "immigration_status", "financial_distress", "relationship_violence", "legal_jeopardy", "other",
]  # fmt: skip
CONSUMERS = ["assistant", "tara", "arete", "veritas", "nyx", "nisaba", "metis", "studio", "admin", "support"]
CONTEXTS = [
    "general", "health", "safety", "crisis", "identity", "spiritual", "financial", "legal", "relationship", "work",
]  # fmt: skip
CONSENTS = [
    "data_processing", "data_storage", "sensitive_data", "personalization", "cross_domain_sharing", "cross_device",
    "tenant_processing", "operator_review", "multi_actor_sensitive", "model_improvement",
]  # fmt: skip
VOCABULARIES: dict[str, list[str]] = {
    "adapter_scope": [
        "assistant_profile", "session", "scene", "pose", "conversation", "domain", "cross_domain", "notebook",
        "operator_copilot", "tenant", "admin_review", "crisis",
    ],
    "category": CATEGORIES,
    "origin": [
        "user-stated", "user-confirmed", "model-inferred", "operator-copilot", "summarized-from-session", "imported",
    ],
    "lifecycle": ["draft", "active", "paused", "superseded", "tombstoned"],
    "label": ["user-typed", "user-pasted", "assistant", "tool", "web", "file", "import", "operator"],
}  # fmt: skip
PROVENANCE_KINDS = [
    "session-turn", "session-summary", "profile-promotion", "manual-import", "inference-batch", "notebook-attachment",
    "scene-event", "pose-sample",
]  # fmt: skip
ENTRIES = dict(entries())


@pytest.mark.parametrize("form", ENTRIES.values(), ids=ENTRIES.keys())
def test_entry_keeps_every_byte(form: dict[str, Any]) -> None:
    model = MemoryEntry.model_validate_json(json.dumps(form))
    assert model.model_dump_json() == compact(form)
    assert MemoryEntry.model_validate(dict(model)) == model


@pytest.mark.parametrize("name", CONTRACTS)
def test_contract_keeps_every_byte(name: str) -> None:
    form = EXAMPLES[name]
    model = CONTRACTS[name].model_validate_json(json.dumps(form))
    assert set(form) == set(CONTRACTS[name].model_fields), "an example leaves no field out"
    assert model.model_dump_json() == compact(form)
    assert CONTRACTS[name].model_validate_json(model.model_dump_json()) == model


def test_every_contract_has_an_example() -> None:
    assert EXAMPLES.keys() == CONTRACTS.keys()


@pytest.mark.parametrize("mode", ["validation", "serialization"])
@pytest.mark.parametrize("name", CONTRACTS)
def test_contract_has_a_json_schema(name: str, mode: Any) -> None:
    schema = CONTRACTS[name].model_json_schema(mode=mode)
    assert schema["additionalProperties"] is False
    assert schema["properties"].keys() == EXAMPLES[name].keys()


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        (Category, CATEGORIES),
        (AdapterScope, VOCABULARIES["adapter_scope"]),
        (Origin, VOCABULARIES["origin"]),
        (Lifecycle, VOCABULARIES["lifecycle"]),
        (Label, VOCABULARIES["label"]),
        (ScopeKind, list(SCOPES)),
        (ProvenanceKind, PROVENANCE_KINDS),
        (SuppressionReason, ["crisis-frame", "user-pause", "sensitive-category", "tenant-quarantine"]),
        (QuarantineReason, ["instruction-like", "low-trust-source", "sensitive-content", "reported-wrong"]),
        (ConsentSource, ["inline-prompt", "settings-toggle", "dsar-import"]),
        (Surface, ["assistant", "shell", "notebook", "admin"]),
        (Context, CONTEXTS),
        (Consumer, CONSUMERS),
        (ConsentStatus, ["granted", "denied", "revoked", "expired"]),
        (CaptureMethod, ["inline_prompt", "settings_toggle", "dsar_import", "voice", "guardian", "api"]),
        (
            LegalBasis,
            ["consent", "contract", "legal_obligation", "vital_interests", "public_task", "legitimate_interests"],
        ),
        (ConsentType, CONSENTS),
    ],
)
def test_vocabulary_is_the_specification_s(vocabulary: type[StrEnum], words: list[str]) -> None:
    assert sorted(word.value for word in vocabulary) == sorted(words)


@pytest.mark.parametrize("kind", SCOPES)
@pytest.mark.parametrize("name", ["MemoryEntry", "RecallRequest"])
def test_adapter_scope_left_out_follows_the_kind(name: str, kind: str) -> None:
    form = example(name, scope=SCOPES[kind])
    del form["adapter_scope"]
    model = CONTRACTS[name].model_validate_json(json.dumps(form))
    assert json.loads(model.model_dump_json())["adapter_scope"] == DEFAULT_ADAPTERS[kind]
    assert json.loads(model.model_dump_json())["scope"] == SCOPES[kind]


def test_what_may_be_left_out_of_a_request_denies() -> None:
    """A request that names only who asks has no consent, no context, no frame and no policy flag."""
    request = RecallRequest.model_validate_json(
        json.dumps({"tenant_id": "t", "user_id": "u", "scope": SCOPES["profile"], "now": AT})
    )
    assert not request.consented_categories
    assert not request.contexts
    flags = (request.crisis_frame, request.safety_critical_context, request.dsar_workflow, request.tenant_policy)
    assert flags == (False, False, False, False)
    assert (request.consumer, request.surface, request.limit) == (Consumer.ASSISTANT, Surface.ASSISTANT, None)


@pytest.mark.parametrize("words", [[], ["work"], ["work", "general"], ["work", "general", "health"]])
def test_sets_are_written_sorted_whatever_their_order(words: list[str]) -> None:
    request = RecallRequest.model_validate_json(json.dumps(example("RecallRequest", contexts=words)))
    assert json.loads(request.model_dump_json())["contexts"] == sorted(set(words))


def test_a_set_that_repeats_an_item_is_refused_as_its_schema_says() -> None:
    assert RecallRequest.model_json_schema()["properties"]["contexts"]["uniqueItems"] is True
    with pytest.raises(ValidationError, match="each item stands once"):
        RecallRequest.model_validate_json(json.dumps(example("RecallRequest", contexts=["work", "general", "work"])))


def test_instants_of_other_zones_are_written_in_utc() -> None:
    for given, kept in [
        ("2026-03-01T14:00:00+02:00", AT),
        ("2026-03-01T12:00:00Z", AT),
        ("2026-03-01T12:00:00.5Z", "2026-03-01T12:00:00.500000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
        ("0999-12-31T23:59:59.999999Z", "0999-12-31T23:59:59.999999Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ]:
        model = MemoryEntry.model_validate_json(json.dumps({**ENTRY, "updated_at": given}))
        assert json.loads(model.model_dump_json())["updated_at"] == kept


@pytest.mark.parametrize("kind", SCOPES)
def test_scope_text_is_the_specification_s(kind: str) -> None:
    key = CONTRACTS["MemoryEntry"].model_validate_json(json.dumps({**ENTRY, "scope": SCOPES[kind]}))
    assert isinstance(key, MemoryEntry)
    assert key.scope.text() == SCOPE_TEXTS[kind]
    assert scope.parse_scope(SCOPE_TEXTS[kind]) == key.scope


@pytest.mark.parametrize("scope_of", AdapterScope)
def test_every_scope_has_a_blueprint_that_others_can_read(scope_of: AdapterScope) -> None:
    made = adapter_scopes.blueprint(scope_of)
    assert type(made).model_validate_json(made.model_dump_json()) == made
    assert made.adapter_scope is scope_of
    row, envelope = adapter_scopes.ADAPTER_SCOPES[scope_of], adapter_scopes.RETENTION[scope_of]
    assert (made.consumers, made.required_consents, made.kind) == (row.consumers, row.required_consents, row.kind)
    assert made.retention.raw_days == (envelope.raw.days if envelope.raw else None)
