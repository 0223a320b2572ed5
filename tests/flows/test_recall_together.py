"""Recalls answered together: to each what it would get alone, an event each, and nothing of anybody else's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.stores import TERMS, OpenIris, SteppingClock, chain, open_store, person
from iris_memory.contracts.recall import RecallResult
from iris_memory.errors import ContractError, IrisError
from iris_memory.front.asking import Ask, recall_all, wish_of
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

PEOPLE = ("ada", "bob", "cy")


def ask(me: PersonMemory, text: str = "", **more: Any) -> Ask:
    return me.asking(wish_of(text, **more))


def told(result: RecallResult | IrisError) -> list[str]:
    assert isinstance(result, RecallResult), result
    return [hit.entry.body for hit in result.hits]


def recalls(iris: Iris) -> list[dict[str, Any]]:
    """Return the recalls of the chain, without what the place in it decides."""
    places = {"sequence", "previous", "digest", "at"}
    return [
        {name: value for name, value in event.items() if name not in places}
        for event in chain(iris)
        if event["action"] == "memory.recall.resolved"
    ]


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with open_store(tmp_path_factory.mktemp("together"), clock=SteppingClock(), tended=False) as iris:
        for name in PEOPLE:
            me = person(iris, name)
            me.consent.grant("category:medical", terms=TERMS)
            for number in range(20):
                me.remember(f"Likes {name} number {number} of tea", category="preference" if number % 3 else "medical")
        yield iris


WISHES = st.tuples(
    st.sampled_from((*PEOPLE, "nobody")),
    st.sampled_from(("", "tea", "number 7", "ada", "bob")),
    st.sampled_from((("general",), ("general", "health"))),
    st.sampled_from((None, 0, 3)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(WISHES, min_size=1, max_size=12))
def test_to_each_what_it_would_get_alone(stocked: Iris, wishes: list[tuple[str, str, tuple[str, ...], Any]]) -> None:
    people = {name: stocked.for_user(tenant="acme", user=name) for name in (*PEOPLE, "nobody")}
    before = len(recalls(stocked))
    alone = [
        people[name].recall(text, contexts=contexts, limit=limit).model_dump_json()
        for name, text, contexts, limit in wishes
    ]
    between = recalls(stocked)
    asks = [ask(people[name], text, contexts=contexts, limit=limit) for name, text, contexts, limit in wishes]
    together = [result.model_dump_json() for result in recall_all(asks) if isinstance(result, RecallResult)]
    assert together == alone
    key = repr
    assert sorted(map(key, recalls(stocked)[len(between) :])) == sorted(map(key, between[before:]))


def test_nobody_is_no_ask() -> None:
    assert recall_all([]) == []


def test_nobody_waits_for_a_commit_of_their_own(iris: Iris, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [person(iris, name) for name in PEOPLE]
    for me in people:
        me.remember("Likes tea")
        me.recall("tea")

    def alone(*_: object) -> None:
        raise AssertionError("asked alone")

    monkeypatch.setattr("iris_memory.flows.recall.recall", alone)
    assert list(map(told, recall_all(list(map(ask, people))))) == [["Likes tea"]] * 3
    assert len(recalls(iris)) == 6


def test_what_another_process_wrote_or_ended_is_seen(iris: Iris, open_iris: OpenIris) -> None:
    ada, bob, cy = (person(iris, name) for name in PEOPLE)
    for me in (ada, bob, cy):
        me.remember("Likes tea")
        me.recall("tea")
    other = open_iris()
    person(other, "ada").remember("Likes rum")
    assert person(other, "bob").forget(everything=True, scan=False).memories == 1
    assert person(other, "cy").erase(scan=False) is not None
    first, second, third = map(told, recall_all([ask(ada), ask(bob), ask(cy)]))
    assert (set(first), second, third) == ({"Likes tea", "Likes rum"}, [], [])


def test_they_mark_use_like_any_other(iris: Iris) -> None:
    ada, bob = person(iris, "ada"), person(iris, "bob")
    tea, rum = (me.remember(said).entry for me, said in ((ada, "Likes tea"), (bob, "Likes rum")))  # type: ignore[union-attr]
    recall_all([ask(ada), ask(bob), ask(ada)])
    iris.flush()
    assert ada.show(tea.logical_id)[0].reference_count == 2
    assert bob.show(rum.logical_id)[0].reference_count == 1


def test_a_store_that_fails_fails_each(tmp_path: Path) -> None:
    iris = open_store(tmp_path / "closing", tended=False)
    ada, bob = person(iris, "ada"), person(iris, "bob")
    ada.remember("Likes tea"), bob.remember("Likes rum")
    ada.recall(), bob.recall()
    iris.close()
    assert [isinstance(result, IrisError) for result in recall_all([ask(ada), ask(bob)])] == [True, True]


def test_two_stores_are_not_asked_together(iris: Iris, tmp_path: Path) -> None:
    with open_store(tmp_path / "other", tended=False) as other, pytest.raises(ContractError):
        recall_all([ask(person(iris, "ada")), ask(person(other, "ada"))])


def test_what_was_forgotten_before_is_in_no_answer_that_starts_after(iris: Iris) -> None:
    """Many ask together, again and again, while one memory after the other is forgotten."""
    ada, bob = person(iris, "ada"), person(iris, "bob")
    bob.remember("Likes rum")
    gone: set[str] = set()
    served: list[tuple[frozenset[str], set[str]]] = []
    names = {f"Likes tea number {number}": ada.remember(f"Likes tea number {number}") for number in range(30)}
    done = threading.Event()

    def forget() -> None:
        for said, outcome in names.items():
            ada.forget(outcome.entry.logical_id, scan=False)  # type: ignore[union-attr]
            gone.add(said)
        done.set()

    forgetting = threading.Thread(target=forget)
    forgetting.start()
    while not done.is_set():
        before = frozenset(gone)
        for result in recall_all([ask(ada, limit=50), ask(bob), ask(ada, "tea", limit=50)])[::2]:
            served.append((before, set(told(result))))
    forgetting.join()
    assert all(not before & bodies for before, bodies in served)
    assert len({before for before, _ in served}) > 3
