"""What a correction would do: exactly what it then does, and until then nothing at all."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.stores import DAY, SteppingClock, chain, open_store, person, written
from iris_memory.contracts.scope import SessionScope
from iris_memory.contracts.write import AskUser, Refused, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

BODIES = ["Likes tea", "Likes gin", "Likes tea in the morning", "Takes insulin for diabetes", "Was forgotten"]
WISHES = st.fixed_dictionaries(
    {},
    optional={
        "body": st.sampled_from(BODIES),
        "category": st.sampled_from(["preference", "goal", "medical", "work"]),
        "subject": st.sampled_from(["drink", "morning drink", "glass"]),
        "expected": st.sampled_from(["seen", "another"]),
        "again": st.booleans(),
        "ends": st.sampled_from([-1, 3, 400]),
    },
)


def kept(iris: Iris, me: PersonMemory) -> tuple[Any, ...]:
    """Return everything that a correction could change."""
    listed = me.list(limit=200).entries
    histories = [me.history(entry.logical_id) for entry in listed]
    told = [event for event in chain(iris) if event["action"] != "memory.read"]  # looking at it is told too
    return told, listed, histories, me.inbox.questions(), me.questions(), me.held()


def said(outcome: Written | AskUser | Refused) -> object:
    """Return an outcome without the ids that every call makes anew."""
    if isinstance(outcome, Refused):
        return outcome
    made = {"id", "question_id", "draft_id", "digest"}
    plain = outcome.model_dump(mode="json", exclude=made)
    beside = outcome.entry.revision == 1
    for name in ("id", *(("logical_id",) if beside else ())):
        plain["entry"].pop(name)
    return plain


@settings(deadline=None, max_examples=60)
@given(wish=WISHES)
def test_it_says_what_the_correction_then_does_and_changes_nothing(wish: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder), clock=SteppingClock()) as iris:
        me = person(iris, "ada")
        first = written(me.remember("Likes tea", category="preference", subject="drink")).entry
        written(me.remember("Likes cocoa in the morning", category="preference", subject="morning drink"))
        me.forget(written(me.remember("Was forgotten")).entry.logical_id)
        given_wish = {name: value for name, value in wish.items() if name not in {"expected", "ends"}}
        if "expected" in wish:
            given_wish["expected"] = first.id if wish["expected"] == "seen" else "another"
        if "ends" in wish:
            given_wish["expires_at"] = iris.instruments.clock.now() + wish["ends"] * DAY
        before = kept(iris, me)
        try:
            foreseen = me.preview_revise(first.logical_id, **given_wish)
        except ContractError:
            with pytest.raises(ContractError):
                me.revise(first.logical_id, **given_wish)
            return
        assert kept(iris, me) == before
        assert said(me.revise(first.logical_id, **given_wish)) == said(foreseen)


def test_each_outcome_is_foreseen(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    name = written(me.remember("Likes tea", category="preference", subject="drink")).entry.logical_id
    written(me.remember("Likes cocoa", category="preference", subject="morning drink"))
    assert isinstance(me.preview_revise(name, "Likes gin"), Written)
    assert isinstance(me.preview_revise(name, "Likes gin", subject="morning drink"), AskUser)
    assert isinstance(me.preview_revise(name, expires_at=clock.now() - timedelta(seconds=1)), Refused)
    trip = SessionScope(user_id="ada", session_id="s1")
    told = me.remember("Sits in the park", scope=trip, session="s1")
    assert me.preview_revise(written(told).entry.logical_id, "Sits at home").outcome == "written"
    with pytest.raises(UnknownMemoryError):
        me.preview_revise("019cae3f-5c40-7000-8000-5f2c1d9a7b31", "x")
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="bob").preview_revise(name, "x")
