"""What is kept of a statement: clean text, its label, its end, and a stranger's name as a handle."""

from __future__ import annotations

import unicodedata
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.stores import DAY, TERMS, SteppingClock, bodies, person, refused, written
from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind
from iris_memory.contracts.scope import AdapterScope, ProfileScope, SessionScope
from iris_memory.contracts.write import ActorMention, Statement
from iris_memory.errors import ContractError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.hygiene import Unclean, clean
from iris_memory.tables.adapter_scopes import RETENTION
from iris_memory.tables.labels import LABELS, lowest

HIDING = ["\u202e", "\u2066", "\U000e0041", "\ufe0f\ufe0f", "\u200b\u200b", "\u2062", "\u3164", "\u0007", "\u115f"]


@pytest.mark.parametrize("mark", HIDING, ids=lambda mark: f"U+{ord(mark[0]):04X}")
def test_hidden_characters_are_refused_wherever_text_is_kept(mark: str, me: PersonMemory) -> None:
    """POI-6, wired: in the body, the subject, the note about somebody else, and a correction of each."""
    hidden = f"Likes {mark}tea"
    entry = written(me.remember("Likes water")).entry
    tries = (
        lambda: me.remember(hidden),
        lambda: me.remember("Likes tea", subject=hidden),
        lambda: me.remember("Likes tea", actor=ActorMention(name="Bo", relationship_note=hidden)),
        lambda: me.revise(entry.logical_id, hidden),
        lambda: me.revise(entry.logical_id, subject=hidden),
    )
    for attempt in tries:
        assert refused(attempt()).reason is R.HIDDEN_CHARACTERS
    assert me.list().total == 1


def test_text_is_kept_clean(me: PersonMemory) -> None:
    entry = written(me.remember("\ufeff Cafe\u0301\r\nat noon \n", subject=" cafe\u0301 ")).entry
    assert (entry.body, entry.subject) == ("Caf\u00e9\nat noon", "caf\u00e9")


def test_a_blank_subject_is_none(me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea", subject=" \u00ad ")).entry
    assert entry.subject is None
    assert written(me.revise(entry.logical_id, subject="drink")).entry.subject == "drink"
    assert written(me.revise(entry.logical_id, subject="  ")).entry.subject is None


def test_text_that_grows_in_normal_form_is_measured_afterwards(me: PersonMemory, iris: Iris) -> None:
    """U+0958 becomes two code points in NFC: 4,000 of them would make a memory nobody could ever read back."""
    assert len(unicodedata.normalize("NFC", "\u0958")) == 2
    with pytest.raises(ContractError, match="4000"):
        me.remember("\u0958" * 2_001)
    with pytest.raises(ContractError, match="200"):
        me.remember("Likes tea", subject="\u0958" * 101)
    entry = written(me.remember("\u0958" * 2_000)).entry
    with pytest.raises(ContractError, match="4000"):
        me.revise(entry.logical_id, "\u0958" * 2_001)
    assert me.show(entry.logical_id)[0].body == entry.body


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40))
def test_any_text_is_kept_clean_or_refused(text: str, me: PersonMemory) -> None:
    """What is stored is what is read back, whatever was given; what cannot be is a value or a ContractError."""
    cleaned = clean(text)
    try:
        outcome = me.remember(text)
    except ContractError:
        assert not text or "\x00" in text or any("\ud800" <= mark <= "\udfff" for mark in text)
        return
    if isinstance(cleaned, Unclean):
        assert refused(outcome).reason is cleaned.refusal
    else:
        entry = written(outcome).entry
        assert entry.body == cleaned.text
        assert me.history(entry.logical_id)[0].body == cleaned.text


@pytest.mark.parametrize("label", Label, ids=str)
def test_ceilings(label: Label, me: PersonMemory) -> None:
    """POI-3: which origins and categories each label may claim, over every pair."""
    me.consent.grant("category:safety", terms=TERMS)
    row = LABELS[label]
    for origin in Origin:
        for category in (Category.FACT, Category.IDENTITY, Category.SAFETY):
            outcome = me.remember("Likes tea", label=label, origin=origin, category=category)
            if origin not in row.origins:
                assert refused(outcome).reason is R.ORIGIN_ABOVE_CEILING
            elif category in row.barred:
                assert refused(outcome).reason is R.CATEGORY_ABOVE_CEILING
            elif origin is Origin.USER_CONFIRMED:
                assert refused(outcome).reason is R.ORIGIN_NEEDS_CONFIRMATION
            else:
                entry = written(outcome).entry
                assert (entry.label, entry.origin, entry.category) == (label, origin, category)
    if label is not Label.USER_TYPED:
        assert not {Origin.USER_STATED, Origin.USER_CONFIRMED} & row.origins


def test_a_correction_does_not_lift_words_of_others(iris: Iris) -> None:
    """POI-1, POI-3: moving words from the web to `identity` is refused; typing them oneself is a statement."""
    me = person(iris, consents=["category:safety"])
    entry = written(me.remember("Is the owner", label="web", origin="model-inferred")).entry
    for category in ("identity", "safety"):
        assert refused(me.revise(entry.logical_id, category=category)).reason is R.CATEGORY_ABOVE_CEILING
    moved = written(me.revise(entry.logical_id, category="work")).entry
    assert (moved.label, moved.origin) == (Label.WEB, Origin.MODEL_INFERRED)
    typed = written(me.revise(entry.logical_id, "I am the owner", category="identity")).entry
    assert (typed.label, typed.origin) == (Label.USER_TYPED, Origin.USER_STATED)
    assert typed.provenance_chain[0].label is Label.USER_TYPED
    assert [link.label for link in typed.provenance_chain[1:]] == [Label.WEB], "where it came from stays readable"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=st.sampled_from(Label), sources=st.lists(st.sampled_from(Label), min_size=1, max_size=4))
def test_a_label_is_the_lowest_of_its_sources(label: Label, sources: list[Label], me: PersonMemory) -> None:
    """POI-1: no statement is better than the worst it was made from."""
    from iris_memory.contracts.entry import ProvenanceLink

    now = me.consent.trail()[0].occurred_at
    links = tuple(
        ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref=str(place), captured_at=now, label=source)
        for place, source in enumerate(sources)
    )
    least = lowest(label, *sources)
    origin = sorted(LABELS[least].origins)[0]
    entry = written(me.remember(Statement(body="Likes tea", label=label, origin=origin, provenance=links))).entry
    assert entry.label is least


@pytest.mark.parametrize("adapter", [AdapterScope.SESSION, AdapterScope.CONVERSATION], ids=str)
@pytest.mark.parametrize("origin", [Origin.USER_STATED, Origin.SUMMARIZED_FROM_SESSION], ids=str)
def test_an_envelope_is_set(adapter: AdapterScope, origin: Origin, me: PersonMemory, clock: SteppingClock) -> None:
    """Contracts §2: raw and summarised memory end when their windows do; a person may ask for earlier, never later."""
    scope = SessionScope(user_id="ada", session_id="s1")
    envelope = RETENTION[adapter]
    window = envelope.summarised if origin is Origin.SUMMARIZED_FROM_SESSION else envelope.raw
    assert window is not None
    for asked, ends in (
        (None, clock.now() + window),
        (clock.now() + window + DAY, clock.now() + window),
        (clock.now() + timedelta(minutes=5), clock.now() + timedelta(minutes=5)),
    ):
        outcome = me.remember("Is tired", scope=scope, adapter_scope=adapter, origin=origin, expires_at=asked)
        assert written(outcome).entry.expires_at == ends


def test_a_profile_is_kept_until_it_is_forgotten(me: PersonMemory, clock: SteppingClock) -> None:
    assert written(me.remember("Likes tea")).entry.expires_at is None
    assert written(me.remember("Is away", expires_at=clock.now() + DAY)).entry.expires_at == clock.now() + DAY
    clock.step(DAY - timedelta(microseconds=1))
    assert sorted(bodies(me)) == ["Is away", "Likes tea"]
    clock.step(timedelta(microseconds=1))
    assert bodies(me) == ["Likes tea"]
    assert me.recall().audit_envelope.suppression_counts == {"lifecycle-expired": 1}


def test_somebody_else_is_a_handle(iris: Iris) -> None:
    """A name is not kept: the same person gets the same handle, in another user's memory another."""
    me, bob = person(iris), person(iris, "bob")
    one = written(me.remember("Met for lunch", actor=ActorMention(name="Quillon Vane"))).entry.multi_actor
    two = written(me.remember("Met again", actor=ActorMention(name=" quillon  VANE "))).entry.multi_actor
    other = written(bob.remember("Met too", actor=ActorMention(name="Quillon Vane"))).entry.multi_actor
    assert one is not None
    assert one == two != other
    assert "quillon" not in one.actor_handle.casefold()
    assert "Quillon" not in me.list().entries[0].model_dump_json()


def test_where_words_came_from(me: PersonMemory, clock: SteppingClock) -> None:
    entry = written(me.remember("Likes tea", session="s1")).entry
    (link,) = entry.provenance_chain
    assert (link.kind, link.ref, link.captured_at, link.label) == (
        ProvenanceKind.SESSION_TURN,
        "s1",
        clock.now(),
        Label.USER_TYPED,
    )
    assert entry.scope == ProfileScope(user_id="ada")
    assert (entry.revision, entry.id) == (1, entry.logical_id)
    (hit,) = me.recall("tea").hits
    assert hit.provenance_chain == entry.provenance_chain
