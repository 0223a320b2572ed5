"""Off the record: nothing is written in a paused session and recall answers nothing, until it is resumed."""

from __future__ import annotations

import pytest

from flows.stores import OpenIris, bodies, chain, person, refused, written
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.scope import CrisisScope, PoseScope, SceneScope, SessionScope
from iris_memory.contracts.write import Statement
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from words import stands_in


def test_one_session(iris: Iris) -> None:
    person(iris).remember("Likes tea")
    here = iris.for_user(tenant="acme", user="ada", session="s1")
    there = iris.for_user(tenant="acme", user="ada", session="s2")
    here.pause()
    assert refused(here.remember("Likes gin")).reason is R.OFF_THE_RECORD
    assert written(there.remember("Likes rum"))
    assert bodies(here) == []
    assert here.recall().audit_envelope.suppression_counts == {"user-pause": 2}
    assert sorted(bodies(there)) == ["Likes rum", "Likes tea"]
    assert here.resume()
    assert not here.resume()
    assert written(here.remember("Likes gin"))


def test_everywhere(iris: Iris) -> None:
    me = person(iris)
    me.remember("Likes tea")
    me.pause()
    for session in (None, "s1", "s2"):
        bound = iris.for_user(tenant="acme", user="ada", session=session)
        assert refused(bound.remember("Likes gin")).reason is R.OFF_THE_RECORD
        assert bodies(bound) == []
    bob = person(iris, "bob")
    assert written(bob.remember("Likes gin")), "a pause is one person's"
    assert me.resume()
    assert bodies(me) == ["Likes tea"]


def test_a_pause_of_one_session_outlasts_one_of_all(iris: Iris) -> None:
    me = person(iris)
    me.pause("s1")
    me.pause()
    me.resume()
    assert refused(me.remember("Likes gin", session="s1")).reason is R.OFF_THE_RECORD
    assert [held.session_id for held in me.pauses()] == ["s1"]


def test_it_survives_a_restart(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris, session="s1")
    me.remember("Likes tea")
    held = me.pause()
    iris.close()
    me = open_iris().for_user(tenant="acme", user="ada", session="s1")
    assert list(me.pauses()) == [held]
    assert refused(me.remember("Likes gin")).reason is R.OFF_THE_RECORD
    assert bodies(me) == []


@pytest.mark.parametrize(
    "scope",
    [
        SessionScope(user_id="ada", session_id="s1"),
        SceneScope(user_id="ada", session_id="s1", scene_id="c", room_id="r"),
        CrisisScope(user_id="ada", session_id="s1"),
        PoseScope(user_id="ada", session_id="s1", scene_id="c", pose_id="p"),
    ],
    ids=lambda scope: scope.kind,
)
def test_a_scope_names_its_session(scope: SessionScope, iris: Iris) -> None:
    """A statement to a scope inside a paused session is off the record though it names no session."""
    me = person(iris, consumer="tara", consents=["sensitive_data"])
    if isinstance(scope, PoseScope):
        iris.approve_scope(tenant="acme", adapter_scope="pose", approver="eve", reason="r", expires_at=_later(iris))
    me.pause("s1")
    assert refused(me.remember("Likes gin", scope=scope)).reason is R.OFF_THE_RECORD
    assert me.recall(scope=scope).hits == ()
    me.resume("s1")
    assert written(me.remember("Likes gin", scope=scope))


def _later(iris: Iris):  # type: ignore[no-untyped-def]
    from flows.stores import DAY

    return iris.instruments.clock.now() + DAY


def test_the_bound_session_covers_every_way_of_writing(iris: Iris) -> None:
    """A whole `Statement`, a batch, a correction, an answer and an import all know the session they come in."""
    me = person(iris, session="s1")
    entry = written(me.remember("Likes tea", subject="drink")).entry
    question = me.remember("Likes gin", subject="drink")
    (shown,) = me.questions()
    me.pause()
    assert refused(me.remember(Statement(body="Likes rum"))).reason is R.OFF_THE_RECORD
    assert [refused(one).reason for one in me.remember_many([Statement(body="Likes rum")])] == [R.OFF_THE_RECORD]
    assert refused(me.revise(entry.logical_id, "Likes green tea")).reason is R.OFF_THE_RECORD
    assert refused(me.answer(shown.question_id, "replace", digest=shown.digest)).reason is R.OFF_THE_RECORD
    assert refused(me.answer(shown.question_id, "both", digest=shown.digest)).reason is R.OFF_THE_RECORD
    assert written(me.remember(Statement(body="Likes rum", session_id="s2"))), "a statement may name another session"
    me.resume()
    assert me.answer(question.question_id, "keep", digest=shown.digest).body == "Likes tea"  # type: ignore[union-attr]


def test_forgetting_is_never_off_the_record(me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea")).entry
    me.pause()
    assert me.forget(entry.logical_id, scan=False).memories == 1
    assert me.consent.revoke("data_storage")


def test_pausing_twice_is_pausing_once(me: PersonMemory, iris: Iris) -> None:
    first = me.pause("s1")
    assert me.pause("s1") == first
    assert [event["paused"] for event in chain(iris) if event["action"] == "memory.pause.changed"] == [True]
    exported = b"".join(iris.export_audit(tenant="acme"))
    assert not stands_in("s1", exported.replace(b'"s1', b"")), "the chain names a session by its tag"


def test_a_stranger_has_no_pauses(iris: Iris) -> None:
    nobody = iris.for_user(tenant="acme", user="nobody")
    assert list(nobody.pauses()) == []
    assert nobody.resume() is False
    assert iris.instruments.vault.find_subject("acme", "nobody") is None
