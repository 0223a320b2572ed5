"""The consent ledger: what is in force at each instant, and that no event of it can be changed, dropped or moved."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from flows.stores import BASE, DAY, START, TERMS, OpenIris, SteppingClock, chain, person, refused, written
from iris_memory.contracts.consent import CaptureMethod, ConsentEvent, ConsentStatus, LegalBasis
from iris_memory.contracts.entry import ConsentSource
from iris_memory.errors import ContractError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.consent import (
    CONSENT_NAMES,
    compute_active_consents,
    compute_terms_hash,
    purged,
    validate_consent_event,
    verify_ledger,
)

MICRO = timedelta(microseconds=1)


def test_the_last_answer_counts(me: PersonMemory, clock: SteppingClock) -> None:
    answers = (
        (lambda: me.consent.grant("personalization", terms=TERMS), True),
        (lambda: me.consent.deny("personalization", terms=TERMS), False),
        (lambda: me.consent.grant("personalization", terms=TERMS), True),
        (lambda: me.consent.revoke("personalization"), False),
    )
    for answer, holds in answers:
        answer()
        assert ("personalization" in me.consent.active()) is holds
        assert me.consent.active() >= {*BASE}, "no other consent is touched"
    assert [event.status for event in me.consent.trail()[2:]] == [
        ConsentStatus.GRANTED,
        ConsentStatus.DENIED,
        ConsentStatus.GRANTED,
        ConsentStatus.REVOKED,
    ]


def test_the_sequence_decides_and_not_the_clock(me: PersonMemory, clock: SteppingClock) -> None:
    """REL-12: a withdrawal counts though the clock was set back before it."""
    me.consent.grant("personalization", terms=TERMS)
    clock.step(-400 * DAY)
    me.consent.revoke("personalization")
    clock.step(800 * DAY)
    assert "personalization" not in me.consent.active()
    assert me.consent.check() == []


def test_expiry_at_its_boundary(me: PersonMemory, clock: SteppingClock) -> None:
    """A consent holds until the instant before its end, and not at its end, for reads and for writes alike."""
    me.consent.grant("category:medical", terms=TERMS, expires_at=clock.now() + DAY)
    assert written(me.remember("Takes statins", category="medical"))
    clock.step(DAY - MICRO)
    assert "category:medical" in me.consent.active()
    assert len(me.recall(contexts=["health"]).hits) == 1
    clock.step(MICRO)
    assert "category:medical" not in me.consent.active()
    assert me.recall(contexts=["health"]).audit_envelope.suppression_counts == {"sensitive-category-without-consent": 1}
    assert refused(me.remember("Takes aspirin", category="medical")).needs == ("category:medical",)
    clock.step(-MICRO)
    assert len(me.recall(contexts=["health"]).hits) == 1, "a clock that steps back is believed"


def test_a_consent_given_in_the_past_or_for_the_past_is_none(me: PersonMemory, clock: SteppingClock) -> None:
    for past in (clock.now(), clock.now() - DAY):
        with pytest.raises(ContractError, match="ends after it begins"):
            me.consent.grant("personalization", terms=TERMS, expires_at=past)
    assert "personalization" not in me.consent.active()


@pytest.mark.parametrize("name", sorted(name for name in CONSENT_NAMES if ":" in name or name == "sensitive_data"))
def test_sensitive_consents_rest_on_consent_alone(name: str, me: PersonMemory) -> None:
    """GDPR Art. 9(2)(a): no other legal basis opens a special category."""
    for basis in set(LegalBasis) - {LegalBasis.CONSENT}:
        with pytest.raises(ContractError):
            me.consent.grant(name, terms=TERMS, legal_basis=basis)
    assert me.consent.active() == frozenset(BASE)


def test_general_consents_take_every_basis(me: PersonMemory) -> None:
    for basis in LegalBasis:
        me.consent.grant("model_improvement", terms=TERMS, legal_basis=basis.value)
        assert me.consent.trail()[-1].legal_basis is basis


@pytest.mark.parametrize(
    "name", ["", "everything", "category:", "category:fact", "category:MEDICAL", "Data_storage", "x y"]
)
def test_there_is_no_such_consent(name: str, me: PersonMemory) -> None:
    with pytest.raises(ContractError, match="no such consent"):
        me.consent.grant(name, terms=TERMS)


def test_several_answers_stand_or_fall_together(me: PersonMemory) -> None:
    with pytest.raises(ContractError):
        me.consent.grant("personalization", "no_such", terms=TERMS)
    with pytest.raises(ContractError):
        me.consent.grant(terms=TERMS)
    assert me.consent.active() == frozenset(BASE)


def test_what_an_event_keeps(me: PersonMemory, clock: SteppingClock) -> None:
    (event,) = me.consent.grant(
        "category:medical",
        terms="Exact words\n",
        terms_language="nl",
        capture_method="voice",
        witness="nurse",
        jurisdiction="NL",
        note="said it twice",
    )
    assert event.terms_hash == compute_terms_hash("Exact words\n") != compute_terms_hash("Exact words")
    assert (event.terms_language, event.jurisdiction, event.witness, event.note) == (
        "nl",
        "NL",
        "nurse",
        "said it twice",
    )
    assert (event.occurred_at, event.capture_method) == (START, CaptureMethod.VOICE)
    entry = written(me.remember("Takes statins", category="medical")).entry
    assert [noted.source for noted in entry.consents] == [ConsentSource.INLINE_PROMPT]
    assert me.consent_trail()[-1] == event


def test_events_are_chained_and_survive_a_restart(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris, consents=["personalization", "category:medical"])
    trail = me.consent.trail()
    assert [event.sequence for event in trail] == [1, 2, 3, 4]
    assert all(after.previous == before.fingerprint for before, after in pairwise(trail))
    iris.close()
    again = open_iris().for_user(tenant="acme", user="ada")
    assert again.consent.trail() == trail
    assert again.consent.check() == []


def ledger(me: PersonMemory) -> list[ConsentEvent]:
    """A ledger of five answers."""
    me.consent.grant("personalization", "category:medical", terms=TERMS, note="first")
    me.consent.revoke("personalization")
    return list(me.consent.trail())


@pytest.mark.parametrize(
    "changes",
    [
        {"status": ConsentStatus.GRANTED},
        {"type": "personalization"},
        {"legal_basis": LegalBasis.CONTRACT},
        {"capture_method": CaptureMethod.GUARDIAN},
        {"terms_hash": "0" * 64},
        {"terms_language": "de"},
        {"witness": "somebody else"},
        {"jurisdiction": "US"},
        {"note": "rewritten"},
        {"occurred_at": START - DAY},
        {"expires_at": START + DAY},
        {"user_id": "bob"},
        {"tenant_id": "other"},
        {"event_id": "another"},
        {"person_commitment": "0" * 64},
        {"note_commitment": "0" * 64},
        {"blinding": "0" * 64},
        {"fingerprint": "0" * 64},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_rewritten_event_is_found(changes: dict[str, object], me: PersonMemory) -> None:
    events = ledger(me)
    for place in range(len(events)):
        forged = events[place].model_copy(update=changes)
        if forged == events[place]:
            continue
        assert not validate_consent_event(forged)
        found = verify_ledger([*events[:place], forged, *events[place + 1 :]])
        assert f"consent-event-rewritten at {place + 1}" in found
        assert all("rewritten" in problem or "chain-broken" in problem for problem in found)


def test_a_dropped_event_is_found(me: PersonMemory) -> None:
    events = ledger(me)
    for place in range(len(events) - 1):
        found = verify_ledger([*events[:place], *events[place + 1 :]])
        assert f"consent-sequence-gap at {place + 1}" in found
        assert f"consent-chain-broken at {place + 1}" in found


def test_reordered_events_are_found(me: PersonMemory) -> None:
    events = ledger(me)
    for place in range(len(events) - 1):
        moved = [*events]
        moved[place], moved[place + 1] = moved[place + 1], moved[place]
        assert f"consent-chain-broken at {place + 1}" in verify_ledger(moved)


def test_a_cut_tail_is_seen_by_the_audit_chain(me: PersonMemory, iris: Iris) -> None:
    """A ledger without its last event verifies by itself; the head of it stands in the tenant's audit chain."""
    events = ledger(me)
    assert verify_ledger(events[:-1]) == []
    told = [event["fingerprint"] for event in chain(iris) if event["action"] == "consent.recorded"]
    assert told == [event.fingerprint for event in events]


def test_a_purge_leaves_the_chain_valid(iris: Iris) -> None:
    """Fingerprints cover blinded commitments, so values and blindings may go; what is left verifies link by link."""
    events = ledger(person(iris, "quillon"))
    for first in range(len(events) + 1):
        mixed = [*(purged(event) for event in events[:first]), *events[first:]]
        assert verify_ledger(mixed) == []
    left = "".join(event.model_dump_json() for event in map(purged, events)).encode()
    assert b"quillon" not in left
    assert b"first" not in left


def test_a_purge_is_no_way_to_rewrite(me: PersonMemory) -> None:
    events = ledger(me)
    for changes in ({"user_id": "bob"}, {"note": "rewritten"}, {"witness": "eve"}, {"status": ConsentStatus.DENIED}):
        forged = [purged(events[0]).model_copy(update=changes), *events[1:]]
        assert "consent-event-rewritten at 1" in verify_ledger(forged)


def test_commitments_do_not_tell_who(iris: Iris) -> None:
    """The same person answering twice gives two commitments that nobody can join or guess (LOG-5)."""
    me = person(iris, "quillon")
    ledger(me)
    commitments = {event.person_commitment for event in me.consent.trail()}
    assert len(commitments) == len(me.consent.trail())
    exported = b"".join(iris.export_audit(tenant="acme"))
    for word in (b"quillon", b"first", b"personalization", b"category:medical", b"data_storage"):
        assert word not in exported


def test_a_fold_does_not_depend_on_the_order_it_is_given(me: PersonMemory, clock: SteppingClock) -> None:
    events = ledger(me)
    assert compute_active_consents(reversed(events), clock.now()) == compute_active_consents(events, clock.now())


def test_asking_about_somebody_unknown_makes_nobody(iris: Iris) -> None:
    nobody = iris.for_user(tenant="acme", user="nobody")
    assert nobody.consent.active() == frozenset()
    assert list(nobody.consent.trail()) == []
    assert nobody.consent.check() == []
    assert nobody.scope_policies()
    assert iris.instruments.vault.find_subject("acme", "nobody") is None


def test_a_withdrawal_stops_what_runs(me: PersonMemory, clock: SteppingClock) -> None:
    """DSR-16: a write reads the ledger in its own transaction, so nothing that starts after the answer gets in."""
    assert written(me.remember("Likes tea"))
    me.consent.revoke("data_storage")
    outcomes = [me.remember("Likes gin"), *me.remember_many([])]
    assert refused(outcomes[0]).reason.value == "scope-ephemeral"
    assert me.list().total == 1
