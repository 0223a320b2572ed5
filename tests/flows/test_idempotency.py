"""Idempotency keys: the same key and body get the same answer, another body an error, and no forgotten word returns."""

from __future__ import annotations

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, actions, asked, person, refused, written
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.write import Statement
from iris_memory.errors import IdempotencyConflictError
from iris_memory.flows.tend import hourly
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from words import stands_in


def test_the_same_again(me: PersonMemory, iris: Iris) -> None:
    first = me.remember("Likes tea", idempotency_key="k")
    before = actions(iris)
    assert me.remember("Likes tea", idempotency_key="k") == first
    assert me.list(limit=0).total == 1
    assert actions(iris)[: len(before)] == before
    assert actions(iris).count("memory.written") == 1


def test_another_body_is_an_error(me: PersonMemory) -> None:
    me.remember("Likes tea", idempotency_key="k")
    with pytest.raises(IdempotencyConflictError) as caught:
        me.remember("Likes gin", idempotency_key="k")
    assert not stands_in("gin", str(caught.value))
    for change in ({"subject": "drink"}, {"category": "goal"}, {"again": True}, {"session": "s1"}):
        with pytest.raises(IdempotencyConflictError):
            me.remember("Likes tea", idempotency_key="k", **change)  # type: ignore[arg-type]
    assert me.list(limit=0).total == 1


def test_a_key_is_one_persons(iris: Iris) -> None:
    me, bob = person(iris), person(iris, "bob")
    me.remember("Likes tea", idempotency_key="k")
    assert written(bob.remember("Likes gin", idempotency_key="k"))


def test_it_survives_a_restart(open_iris: OpenIris) -> None:
    iris = open_iris()
    first = person(iris).remember("Likes tea", idempotency_key="k")
    iris.close()
    assert open_iris().for_user(tenant="acme", user="ada").remember("Likes tea", idempotency_key="k") == first


def test_the_answer_is_the_one_of_then(me: PersonMemory) -> None:
    """A memory that was corrected since is answered as it was written."""
    first = written(me.remember("Likes tea", idempotency_key="k"))
    me.revise(first.entry.logical_id, "Likes gin")
    again = written(me.remember("Likes tea", idempotency_key="k")).entry
    assert (again.body, again.id) == ("Likes tea", first.entry.id)


@pytest.mark.parametrize("everything", [False, True])
def test_after_forgetting_no_words_come_back(everything: bool, me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea", idempotency_key="k")).entry
    if everything:
        me.forget(everything=True, scan=False)
        again = refused(me.remember("Likes tea", idempotency_key="k"))
        assert again.reason is R.FORGOTTEN_BEFORE
    else:
        me.forget(entry.logical_id, scan=False)
        again = refused(me.remember("Likes tea", idempotency_key="k"))
        assert again.reason is R.UNKNOWN_MEMORY
    assert not stands_in("tea", again.model_dump_json())


def test_refusals_and_questions_are_answered_again_too(me: PersonMemory) -> None:
    no = me.remember("Takes statins", category="medical", idempotency_key="no")
    assert me.remember("Takes statins", category="medical", idempotency_key="no") == no
    me.remember("Likes tea", subject="drink")
    first = asked(me.remember("Likes gin", subject="drink", idempotency_key="ask"))
    again = asked(me.remember("Likes gin", subject="drink", idempotency_key="ask"))
    assert again.model_copy(update={"question": ""}) == first.model_copy(update={"question": ""})
    assert len(me.questions()) == 1
    (question,) = me.questions()
    me.answer(question.question_id, "keep", digest=question.digest)
    assert refused(me.remember("Likes gin", subject="drink", idempotency_key="ask")).reason is R.UNKNOWN_MEMORY


def test_a_batch_is_one_body(me: PersonMemory) -> None:
    statements = [Statement(body="Likes tea"), Statement(body="Likes gin")]
    first = me.remember_many(statements, idempotency_key="k")
    assert me.remember_many(statements, idempotency_key="k") == first
    for other in (statements[::-1], statements[:1], [*statements, statements[0]]):
        with pytest.raises(IdempotencyConflictError):
            me.remember_many(other, idempotency_key="k")
    assert me.list(limit=0).total == 2


def test_keys_are_strange(me: PersonMemory) -> None:
    for number, key in enumerate(("", " ", "\x1f", "a\x1fb", "\ud800", "k" * 5_000, "\u00e9", "e\u0301")):
        first = written(me.remember(f"Number {number}", idempotency_key=key))
        assert me.remember(f"Number {number}", idempotency_key=key) == first


def test_an_answer_is_kept_for_a_week(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    first = written(me.remember("Likes tea", idempotency_key="k"))
    clock.step(7 * DAY)
    assert hourly(iris.instruments) == 1
    anew = written(me.remember("Likes tea", idempotency_key="k"))
    assert anew.entry.id != first.entry.id
