"""Correcting a memory: a new revision each time, each with one predecessor, and nothing written that may not be."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, bodies, chain, person, refused, sound, written
from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Lifecycle, Origin
from iris_memory.contracts.scope import SessionScope
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory


def test_a_history_is_one_line(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris)
    first = written(me.remember("Version 1")).entry
    for number in range(2, 8):
        clock.step()
        after = written(me.revise(first.logical_id, f"Version {number}"))
        assert after.entry.supersedes == after.replaced
    history = me.history(first.logical_id)
    assert [entry.body for entry in history] == [f"Version {number}" for number in range(1, 8)]
    assert [entry.revision for entry in history] == list(range(1, 8))
    assert history[0].supersedes is None
    assert history[-1].superseded_by is None
    for before, after_it in pairwise(history):
        assert (after_it.supersedes, before.superseded_by) == (before.id, after_it.id)
        assert (before.lifecycle, after_it.created_at) == (Lifecycle.SUPERSEDED, first.created_at)
        assert before.updated_at <= after_it.updated_at
    assert len({entry.id for entry in history}) == 7
    assert bodies(me) == ["Version 7"]
    iris.close()
    again = open_iris()
    assert again.for_user(tenant="acme", user="ada").history(first.logical_id) == history
    sound(again)


def test_what_is_left_out_stays(me: PersonMemory, clock: SteppingClock) -> None:
    ends = clock.now() + DAY
    first = written(me.remember("Likes tea", subject="drink", category="preference", expires_at=ends)).entry
    body = written(me.revise(first.logical_id, "Likes gin")).entry
    assert (body.subject, body.category, body.expires_at) == ("drink", Category.PREFERENCE, ends)
    subject = written(me.revise(first.logical_id, subject="glass")).entry
    assert (subject.body, subject.subject, subject.category) == ("Likes gin", "glass", Category.PREFERENCE)
    category = written(me.revise(first.logical_id, category="goal")).entry
    assert (category.body, category.subject, category.category) == ("Likes gin", "glass", Category.GOAL)
    ended = written(me.revise(first.logical_id, expires_at=clock.now() + timedelta(hours=1))).entry
    assert (ended.body, ended.expires_at) == ("Likes gin", clock.now() + timedelta(hours=1))


def test_stale(me: PersonMemory) -> None:
    """Two corrections of the same revision: the second is refused, and told that it is stale."""
    seen = written(me.remember("Likes tea")).entry
    assert written(me.revise(seen.logical_id, "Likes gin", expected=seen.id))
    assert refused(me.revise(seen.logical_id, "Likes rum", expected=seen.id)).reason is R.STALE_REVISION
    assert bodies(me) == ["Likes gin"]


def test_a_sensitive_category_needs_its_consent(me: PersonMemory) -> None:
    entry = written(me.remember("Takes one pill")).entry
    outcome = refused(me.revise(entry.logical_id, category="medical"))
    assert (outcome.reason, outcome.needs) == (R.SENSITIVE_CATEGORY_WITHOUT_CONSENT, ("category:medical",))
    assert me.show(entry.logical_id)[0].category is Category.FACT
    me.consent.grant("category:medical", terms="x")
    moved = written(me.revise(entry.logical_id, category="medical")).entry
    assert [noted.category for noted in moved.consents] == [Category.MEDICAL]
    back = written(me.revise(entry.logical_id, category="fact")).entry
    assert back.consents == ()
    me.consent.revoke("data_storage")
    assert refused(me.revise(entry.logical_id, "Takes two pills")).reason is R.SCOPE_EPHEMERAL


def test_a_correction_never_outlives_the_envelope(me: PersonMemory, clock: SteppingClock) -> None:
    """Contracts §2: the clock runs from the first `created_at`; a person may shorten and lengthen within it."""
    scope = SessionScope(user_id="ada", session_id="s1")
    entry = written(me.remember("Is tired", scope=scope)).entry
    end = entry.created_at + DAY
    clock.step(timedelta(hours=1))
    assert (
        written(me.revise(entry.logical_id, expires_at=clock.now() + timedelta(hours=1))).entry.expires_at is not None
    )
    assert written(me.revise(entry.logical_id, expires_at=end + 100 * DAY)).entry.expires_at == end
    assert written(me.revise(entry.logical_id, "Is awake")).entry.expires_at == end
    assert refused(me.revise(entry.logical_id, expires_at=clock.now())).reason is R.ALREADY_EXPIRED
    clock.instant = end
    assert refused(me.revise(entry.logical_id, "Is asleep")).reason is R.ALREADY_EXPIRED


def test_a_corrected_summary_keeps_its_window(me: PersonMemory, clock: SteppingClock) -> None:
    scope = SessionScope(user_id="ada", session_id="s1")
    summary = written(me.remember("Talked of tea", scope=scope, origin="summarized-from-session")).entry
    clock.step(5 * DAY)
    corrected = written(me.revise(summary.logical_id, "Talked of gin")).entry
    assert (corrected.origin, corrected.expires_at) == (Origin.USER_STATED, summary.expires_at)


def test_forgotten_words_do_not_come_back_by_correction(me: PersonMemory) -> None:
    """DSR-13: the tag holds for corrections as for statements, until the person says `again`."""
    gone = written(me.remember("Likes tea")).entry
    kept = written(me.remember("Likes gin")).entry
    me.forget(gone.logical_id, scan=False)
    outcome = refused(me.revise(kept.logical_id, "likes TEA"))
    assert (outcome.reason, outcome.needs) == (R.FORGOTTEN_BEFORE, ("again",))
    assert written(me.revise(kept.logical_id, "likes TEA", again=True))
    assert written(me.revise(kept.logical_id, "likes TEA", category="goal")), "its own words are no return"


def test_blank_and_too_long(me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea")).entry
    assert refused(me.revise(entry.logical_id, " \u00ad")).reason is R.EMPTY_AFTER_CLEANING
    for bad in ("", "x" * 4_001, "\x00", "\ud800"):
        with pytest.raises(ContractError) as caught:
            me.revise(entry.logical_id, bad)
        assert "x" * 50 not in str(caught.value)
    assert len(me.history(entry.logical_id)) == 1


def test_nothing_to_correct(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    bob = person(iris, "bob")
    other = person(iris, "ada", tenant="other")
    for stranger in (bob, other, iris.for_user(tenant="acme", user="nobody")):
        with pytest.raises(UnknownMemoryError):
            stranger.revise(entry.logical_id, "Likes gin")
    me.forget(entry.logical_id, scan=False)
    with pytest.raises(UnknownMemoryError):
        me.revise(entry.logical_id, "Likes gin")


def test_what_is_told(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    after = written(me.revise(entry.logical_id, "Likes gin")).entry
    refused(me.revise(entry.logical_id, "Likes rum", expected="another"))
    told = chain(iris)[-2:]
    assert [event["action"] for event in told] == ["memory.revised", "memory.refused"]
    assert (told[0]["object_ids"], told[0]["replaced"], len(told[0]["commitments"])) == ([after.id], [entry.id], 1)
    assert told[1]["refused"] == {"stale-revision": 1}


def test_a_clock_that_steps_back_leaves_an_order(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    """REL-12: revisions do not run backwards though the clock does."""
    entry = written(me.remember("Version 1")).entry
    clock.step(-365 * DAY)
    second = written(me.revise(entry.logical_id, "Version 2")).entry
    assert second.updated_at == entry.updated_at
    clock.step(730 * DAY)
    third = written(me.revise(entry.logical_id, "Version 3")).entry
    assert third.updated_at == clock.now()
    assert [one.body for one in me.history(entry.logical_id)] == ["Version 1", "Version 2", "Version 3"]
    assert bodies(me) == ["Version 3"]
    sound(iris)


def test_labels_of_a_correction(me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea", origin="model-inferred", label="assistant")).entry
    moved = written(me.revise(entry.logical_id, subject="drink")).entry
    assert (moved.label, moved.origin) == (Label.ASSISTANT, Origin.MODEL_INFERRED)
    said = written(me.revise(entry.logical_id, "Likes gin")).entry
    assert (said.label, said.origin) == (Label.USER_TYPED, Origin.USER_STATED)
