"""Forgetting a source ends or rebuilds what was made from it, and nothing of it comes back (POI-1, DSR-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.stores import DAY, OpenIris, SteppingClock, chain, open_store, person, remembered, sound, written
from iris_memory.contracts.entry import Label, MemoryEntry, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.retaining import SourceState
from iris_memory.contracts.scope import SessionScope
from iris_memory.contracts.write import Statement
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows.derived import derived_from
from iris_memory.flows.sweep import sweep
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.extracting import Digest

SESSION = SessionScope(user_id="ada", session_id="s1")
SAID = ["Flies to Rome on 12 May.", "Met the zanzibar quokka.", "Booked 3 nights."]


def condensed(iris: Iris, clock: SteppingClock, said: Sequence[str] = SAID) -> tuple[PersonMemory, list[str], str]:
    """Return a person, the ids of what was said in a session, and the id of the summary of it."""
    me = person(iris)
    names = [written(me.remember(words, scope=SESSION)).entry.logical_id for words in said]
    clock.step(DAY)
    assert iris.sweep().summaries == 1
    return me, names, the_summary(me).logical_id


def the_summary(me: PersonMemory) -> MemoryEntry:
    """Return the one memory that was made by summarising."""
    (summary,) = me.list(origin=Origin.SUMMARIZED_FROM_SESSION).entries
    return summary


def columns_of(iris: Iris) -> object:
    """Return the person's columns."""
    found = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        return found.read(reading).columns


def test_a_source_that_ended_with_its_envelope_can_still_be_forgotten(
    open_iris: OpenIris, clock: SteppingClock, folder: Path
) -> None:
    iris = open_iris()
    me, names, summary = condensed(iris, clock)
    before = the_summary(me)
    preview = me.preview_forget(names[1])
    assert (preview.memories, preview.reached["derived"]) == (1, 1)
    receipt = me.forget(names[1])
    assert receipt.residue is not None
    assert receipt.residue.found == {}
    assert (receipt.reached["derived"], receipt.reached["rebuilt"]) == (1, 1)
    after = the_summary(me)
    assert after.body == "Flies to Rome on 12 May.\nBooked 3 nights."
    assert after.logical_id != summary, "another memory: the key of the words that went is destroyed"
    assert (after.created_at, after.expires_at) == (before.created_at, before.expires_at)
    with pytest.raises(UnknownMemoryError):
        me.show(summary)
    assert names[1] not in after.model_dump_json()
    sound(iris)


def test_what_was_forgotten_does_not_come_back_by_an_old_transcript(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, names, _ = condensed(iris, clock)
    me.forget(names[1], scan=False)
    assert me.remember("met the ZANZIBAR quokka.").outcome == "refused"
    assert written(me.remember("Flies to Rome on 12 May."))


def test_forgetting_every_source_ends_the_summary(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, names, _ = condensed(iris, clock)
    for name in names:
        me.forget(name, scan=False)
    assert remembered(me) == set()
    with pytest.raises(UnknownMemoryError):
        me.forget(names[0], scan=False)


def test_a_summary_whose_parts_are_unknown_goes_whole(open_iris: OpenIris, clock: SteppingClock) -> None:
    class Loose:
        name = "loose-1"

        def summarize(self, texts: Sequence[str], *, most: int) -> Digest | None:
            return Digest("A trip to Rome and an animal.", None)

    iris = open_iris()
    me = person(iris)
    names = [written(me.remember(words, scope=SESSION)).entry.logical_id for words in SAID]
    clock.step(DAY)
    sweep(replace(iris.instruments, summarizer=Loose()))
    assert the_summary(me).body == "A trip to Rome and an animal."
    receipt = me.forget(names[2], scan=False)
    assert "rebuilt" not in receipt.reached
    assert remembered(me) == set()


def test_what_was_made_of_a_living_source_goes_with_it_by_way_of_others(
    open_iris: OpenIris, clock: SteppingClock
) -> None:
    """A memory, one inferred from it, one promoted from that: the first takes all."""
    iris = open_iris()
    me = person(iris)
    first = written(me.remember("Keeps bees.")).entry.logical_id

    def made(body: str, kind: ProvenanceKind, ref: str) -> str:
        link = ProvenanceLink(kind=kind, ref=ref, captured_at=clock.now(), label=Label.USER_TYPED)
        statement = Statement(body=body, origin=Origin.MODEL_INFERRED, provenance=(link,))
        return written(me.remember(statement)).entry.logical_id

    second = made("Likes honey.", ProvenanceKind.INFERENCE_BATCH, f"of:{first}@1")
    third = made("Sells honey.", ProvenanceKind.PROFILE_PROMOTION, second)
    other = made("Likes tea.", ProvenanceKind.INFERENCE_BATCH, "batch-7")
    assert derived_from(columns_of(iris), {first}) == {second: frozenset({first}), third: frozenset({second})}  # type: ignore[arg-type]
    assert me.preview_forget(first).reached["derived"] == 2
    me.forget(first, scan=False)
    assert [one.logical_id for one in me.list().entries] == [other]


def test_the_persons_own_correction_of_a_summary_stays(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, names, summary = condensed(iris, clock)
    me.revise(summary, "I fly to Rome in May.")
    me.forget(names[1], scan=False)
    (kept,) = me.list().entries
    assert kept.body == "I fly to Rome in May."
    assert kept.logical_id != summary
    assert [one.body for one in me.history(kept.logical_id)] == ["I fly to Rome in May."]
    assert written(me.remember("I fly to Rome in May.", scope=SESSION))


def test_a_forgotten_category_takes_its_summary(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris, consents=["category:medical"])
    me.remember("Has asthma since 2004.", scope=SESSION, category="medical")
    me.remember("Likes tea.", scope=SESSION)
    clock.step(DAY)
    iris.sweep()
    me.forget(category="medical", scan=False)
    assert remembered(me) == {"Likes tea."}


def test_settling_is_audited_without_a_word(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, names, summary = condensed(iris, clock)
    me.forget(names[1], scan=False)
    (event,) = [event for event in chain(iris) if event["action"] == "memory.derived.settled"]
    assert event["ending"] == [summary]
    assert event["object_ids"] == [the_summary(me).id]
    assert "quokka" not in str(chain(iris))


def test_expand_shows_what_is_there_what_went_and_what_lies_outside(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris)
    turn = ProvenanceLink(
        kind=ProvenanceKind.SESSION_TURN, ref="s1/turn-4", captured_at=clock.now(), label=Label.USER_TYPED
    )
    said = written(me.remember(Statement(body="Flies on 12 May.", scope=SESSION, provenance=(turn,)))).entry
    clock.step(DAY)
    iris.sweep()
    found = me.expand(the_summary(me).logical_id)
    assert found.made_by == "iris-extractive-1"
    source, outside = found.sources
    assert (source.state, source.logical_id, source.revision) == (SourceState.GONE, said.logical_id, 1)
    assert (source.gone_at, source.gone_because.value if source.gone_because else None) == (
        clock.now(),
        "retention-ended",
    )
    assert (outside.state, outside.ref) == (SourceState.OUTSIDE, "s1/turn-4")
    link = ProvenanceLink(
        kind=ProvenanceKind.INFERENCE_BATCH,
        ref=f"of:{the_summary(me).logical_id}@1",
        captured_at=clock.now(),
        label=Label.USER_TYPED,
    )
    made = written(me.remember(Statement(body="Flies often.", origin=Origin.MODEL_INFERRED, provenance=(link,)))).entry
    (there,) = me.expand(made.logical_id).sources
    assert (there.state, there.entry.body if there.entry else "") == (SourceState.THERE, "Flies on 12 May.")
    me.revise(the_summary(me).logical_id, "Flies on 13 May.")
    (revised,) = me.expand(made.logical_id).sources
    assert revised.state is SourceState.REVISED
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="eve").expand(made.logical_id)


@settings(max_examples=12)
@given(
    st.lists(st.sampled_from(["Saw 3 owls.", "Ate 2 pies.", "Sold 9 hats.", "Met 4 kings."]), min_size=2, max_size=6),
    st.data(),
)
def test_no_word_of_a_forgotten_source_is_left_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], data: st.DataObject
) -> None:
    clock = SteppingClock()
    with open_store(tmp_path_factory.mktemp("law") / "m", clock=clock) as iris:
        me = person(iris)
        bodies = [f"{words} Mark {number} stands." for number, words in enumerate(said)]
        names = [written(me.remember(body, scope=SESSION)).entry.logical_id for body in bodies]
        early = data.draw(st.sets(st.sampled_from(range(len(names)))))
        for number in sorted(early):
            me.forget(names[number], scan=False)
        clock.step(DAY)
        iris.sweep()
        rest = [number for number in range(len(names)) if number not in early]
        late = data.draw(st.sets(st.sampled_from(rest))) if rest else set()
        for number in sorted(late):
            me.forget(names[number], scan=False)
        iris.sweep()
        text = "\n".join(remembered(me))
        for number in range(len(names)):
            assert (f"Mark {number} stands." in text) == (number not in early | late)
        clock.step(timedelta(days=30))
        iris.sweep()
        assert remembered(me) == set()
