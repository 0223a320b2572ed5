"""Use is not a revision: counts and a bounded log of recent recalls, marked by recalls that were served alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, bodies, person, sound, written
from iris_memory.contracts.category import Consumer, Surface
from iris_memory.contracts.scope import SessionScope
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from iris_memory.tables.limits import RECALL_LOGS_KEPT, RECENT_RECALLS_KEPT
from words import stands_in


def test_a_served_recall_is_counted(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    entry = written(me.remember("Likes tea")).entry
    assert (entry.reference_count, entry.last_referenced_at) == (0, None)
    for times in range(1, 4):
        at = clock.step(timedelta(minutes=1))
        me.recall("tea")
        iris.flush()
        shown, usage = me.show(entry.logical_id)
        assert (usage.reference_count, usage.last_referenced_at) == (times, at)
        assert (shown.reference_count, shown.last_referenced_at) == (times, at)
        assert (shown.id, shown.revision, shown.updated_at) == (entry.id, 1, entry.updated_at)
    (hit,) = me.recall("tea").hits
    assert hit.entry.reference_count == 3
    assert hit.score_parts.reference_count == 300_000
    assert len(me.history(entry.logical_id)) == 1


def test_marks_wait_for_the_flush_and_are_not_lost_by_closing(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris)
    entry = written(me.remember("Likes tea")).entry
    me.recall("tea")
    me.recall("tea")
    assert me.list().entries[0].reference_count == 0
    iris.close()
    me = open_iris().for_user(tenant="acme", user="ada")
    assert me.show(entry.logical_id)[1].reference_count == 2


def test_two_instances_add_up(open_iris: OpenIris) -> None:
    """Marks are differences: neither instance overwrites what the other counted."""
    one, two = open_iris(), open_iris()
    me, again = person(one), two.for_user(tenant="acme", user="ada")
    entry = written(me.remember("Likes tea")).entry
    for _ in range(3):
        me.recall("tea")
        again.recall("tea")
    one.flush()
    two.flush()
    me.recall("tea")
    one.flush()
    assert me.show(entry.logical_id)[1].reference_count == 7
    assert again.show(entry.logical_id)[1].reference_count == 7
    assert again.recall("tea").hits[0].entry.reference_count == 7


def test_what_marks_nothing(me: PersonMemory, iris: Iris) -> None:
    """Explaining, listing, showing, the history, the admin surface, and a recall that held it back."""
    entry = written(me.remember("Likes tea")).entry
    me.explain(entry.logical_id, "tea")
    me.list()
    me.show(entry.logical_id)
    me.history(entry.logical_id)
    me.preview_forget(everything=True)
    me.recall("tea", surface="admin")
    me.recall("tea", limit=0)
    me.pause()
    me.recall("tea")
    me.resume()
    iris.flush()
    assert me.show(entry.logical_id)[1].reference_count == 0


def test_what_is_noted_of_a_recall(iris: Iris, clock: SteppingClock) -> None:
    person(iris)
    me = iris.for_user(tenant="acme", user="ada", consumer="tara", assistant_id="coach-1")
    entry = written(me.remember("Likes tea")).entry
    me.recall("tea", surface="notebook", scope=SessionScope(user_id="ada", session_id="s1"))
    iris.flush()
    (noted,) = me.show(entry.logical_id)[1].recent
    assert (noted.at, noted.surface, noted.consumer, noted.assistant_id) == (
        clock.now(),
        Surface.NOTEBOOK,
        Consumer.TARA,
        "coach-1",
    )
    assert noted.request_scope == "session:ada:s1"
    assert noted.rationale == ("recent", "matches-request", "user-stated")
    assert not stands_in("tea", noted.model_dump_json())


def test_the_log_is_bounded(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    entry = written(me.remember("Likes tea")).entry
    times = RECALL_LOGS_KEPT + 40
    for _ in range(times):
        clock.step()
        me.recall("tea")
        iris.instruments.people.usage.flush(iris.instruments.store)
    usage = me.show(entry.logical_id)[1]
    assert usage.reference_count == times
    assert [noted.at for noted in usage.recent] == [
        clock.now() - timedelta(seconds=back) for back in reversed(range(RECENT_RECALLS_KEPT))
    ]
    subject = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        assert len(reading.records("acme", subject.person, RecordKind.RECALL)) < RECALL_LOGS_KEPT + 40


def test_use_goes_with_a_revision(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    me.recall("tea")
    iris.flush()
    me.revise(entry.logical_id, "Likes green tea")
    me.recall("tea")
    iris.flush()
    assert me.show(entry.logical_id)[1].reference_count == 2


def test_what_was_forgotten_meanwhile_is_passed_over(me: PersonMemory, open_iris: OpenIris, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    other = open_iris()
    again = other.for_user(tenant="acme", user="ada")
    assert bodies(again) == ["Likes tea"]
    me.forget(entry.logical_id, scan=False)
    other.flush()
    sound(iris)
    kept = written(me.remember("Likes gin")).entry
    assert bodies(again) == ["Likes gin"]
    me.erase(scan=False)
    other.flush()
    sound(iris)
    assert kept.logical_id


def test_a_clock_that_steps_back_lowers_no_use(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    entry = written(me.remember("Likes tea")).entry
    clock.step(DAY)
    latest = clock.now()
    me.recall("tea")
    iris.flush()
    clock.step(-2 * DAY)
    me.recall("tea")
    iris.flush()
    usage = me.show(entry.logical_id)[1]
    assert (usage.reference_count, usage.last_referenced_at) == (2, latest)


def test_marking_does_not_disturb_a_recall(me: PersonMemory, iris: Iris) -> None:
    """A recall computed before a mark was written is computed again with it, in the same process and in another."""
    me.remember("Likes tea")
    me.recall("tea")
    iris.flush()
    assert me.recall("tea").hits[0].entry.reference_count == 1


@pytest.mark.parametrize("surface", [surface for surface in Surface if surface is not Surface.ADMIN], ids=str)
def test_every_consumer_surface_marks(surface: Surface, me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    me.recall("tea", surface=surface)
    iris.flush()
    assert me.show(entry.logical_id)[1].reference_count == 1
