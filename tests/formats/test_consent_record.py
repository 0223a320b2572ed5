"""Consent records: every event becomes one, with the vocabulary's terms, and gives back every fact."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_memory.contracts.consent import CaptureMethod, ConsentEvent, ConsentStatus, LegalBasis
from iris_memory.errors import FormatError
from iris_memory.formats.consent_record import CONFORMS_TO, consent_record, event_of
from iris_memory.rules.consent import CONSENT_NAMES, purged, sealed_event, validate_consent_event

ZERO = "0" * 64
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=40)
INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))
NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-:é", min_size=1, max_size=20)


@st.composite
def events(draw: st.DrawFn) -> ConsentEvent:
    drawn = ConsentEvent(
        event_id=draw(st.uuids()).hex,
        tenant_id=draw(NAMES),
        user_id=draw(NAMES),
        type=draw(st.sampled_from(sorted(CONSENT_NAMES))),
        status=draw(st.sampled_from(ConsentStatus)),
        legal_basis=draw(st.sampled_from(LegalBasis)),
        capture_method=draw(st.sampled_from(CaptureMethod)),
        terms_hash=draw(st.binary(min_size=32, max_size=32)).hex(),
        terms_language=draw(st.sampled_from(["en", "nl", "pt-BR"])),
        witness=draw(TEXT),
        jurisdiction=draw(st.sampled_from(["NL", "US-CA", "unspecified"])),
        note=draw(st.none() | TEXT),
        occurred_at=draw(INSTANTS),
        expires_at=draw(st.none() | INSTANTS),
        sequence=draw(st.integers(1, 10**9)),
        previous=draw(st.binary(min_size=32, max_size=32)).hex(),
        person_commitment=ZERO,
        note_commitment=ZERO,
        blinding=draw(st.binary(min_size=32, max_size=32)).hex(),
        fingerprint=ZERO,
    )
    return sealed_event(drawn)


@given(events(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_record_gives_back_every_fact(event: ConsentEvent, is_purged: bool) -> None:
    event = purged(event) if is_purged else event
    back = event_of(json.loads(json.dumps(consent_record(event))))
    assert back == event
    assert validate_consent_event(back)


@given(events())
@settings(max_examples=50, deadline=None)
def test_a_record_speaks_the_vocabulary(event: ConsentEvent) -> None:
    record = consent_record(event)
    assert (record["@type"], record["dct:conformsTo"]) == ("dpv:ConsentRecord", CONFORMS_TO)
    prefixes = set(record["@context"])
    keys = {key for key in _keys(record) if not key.startswith("@") and ":" in key}
    assert {key.partition(":")[0] for key in keys} <= prefixes
    bases = record["dpv:hasLegalBasis"]
    special = event.type.startswith("category:") or event.type == "sensitive_data"
    assert ("eu-gdpr:A9-2-a" in bases) is special
    assert record["dpv:hasConsentStatus"] in {
        "dpv:ConsentGiven",
        "dpv:ConsentRefused",
        "dpv:ConsentWithdrawn",
        "dpv:ConsentExpired",
    }


@pytest.mark.parametrize("missing", ["dpv:hasNotice", "iris:record", "dpv:hasConsentStatus", "dpv:hasDuration"])
def test_less_is_no_record(missing: str) -> None:
    record = consent_record(_one())
    del record[missing]
    with pytest.raises(FormatError):
        event_of(record)


@pytest.mark.parametrize(
    "changes", [{"dpv:hasConsentStatus": "dpv:Consent"}, {"dpv:hasLegalBasis": 7}, {"iris:record": None}]
)
def test_other_words_are_no_record(changes: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        event_of({**consent_record(_one()), **changes})


def _one() -> ConsentEvent:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return sealed_event(
        ConsentEvent(
            event_id="e",
            tenant_id="t",
            user_id="u",
            type="category:medical",
            status=ConsentStatus.GRANTED,
            legal_basis=LegalBasis.CONSENT,
            capture_method=CaptureMethod.VOICE,
            terms_hash=ZERO,
            terms_language="en",
            witness="w",
            jurisdiction="NL",
            occurred_at=at,
            sequence=1,
            previous=ZERO,
            person_commitment=ZERO,
            note_commitment=ZERO,
            blinding=ZERO,
            fingerprint=ZERO,
        )
    )


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for part in value.values() for key in _keys(part)}
    return set()
