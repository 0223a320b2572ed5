"""Other people: handles that nobody can guess, no profile, gates on every path, and forgetting all mentions of."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from flows.stores import OpenIris, actions, chain, person, refused, sound, written
from iris_memory.contracts.category import Category, Context, Surface
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.others import MentionedPerson
from iris_memory.contracts.write import ActorMention, Statement
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from iris_memory.rules.actors import actor_handle, folded_name
from words import stands_in

ANNA = ActorMention(name="Anna Müller", relationship_note="my partner")
BEN = ActorMention(name="Ben", relationship_note="my boss")


def handle_of(me: PersonMemory, body: str, actor: ActorMention, **more: Any) -> str:
    entry = written(me.remember(body, actor=actor, **more)).entry
    assert entry.multi_actor is not None
    return entry.multi_actor.actor_handle


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize(
    "spelling",
    [
        "anna müller",
        "ANNA MÜLLER",
        "Anna Muller",
        "Müller, Anna",
        "Dr. Anna Müller",
        " Anna  Müller ",
        "Anna Mu\u0308ller",
    ],
)
def test_one_person_has_one_handle_however_the_name_is_written(me: PersonMemory, spelling: str) -> None:
    first = handle_of(me, "Likes jazz", ANNA)
    assert handle_of(me, "Likes tea", ActorMention(name=spelling)) == first


def test_different_people_and_different_users_have_different_handles(iris: Iris, me: PersonMemory) -> None:
    handles = {
        handle_of(me, "One", ANNA),
        handle_of(me, "Two", BEN),
        handle_of(me, "Three", ActorMention(name="Anna Miller")),
        handle_of(person(iris, "bob"), "One", ANNA),
        handle_of(person(iris, "ada", tenant="other"), "One", ANNA),
    }
    assert len(handles) == 5


def test_a_folded_name_keeps_letters_of_other_scripts_apart() -> None:
    assert folded_name("Łukasz Ørsted-Straße") == "lukasz orsted strasse"
    assert folded_name("नीति") != folded_name("नति")
    assert folded_name("Dr.") == "dr"
    assert folded_name("...") == "..."
    assert actor_handle("A", key=b"k") != actor_handle("A", key=b"k", salt=b"s")


def test_the_name_is_nowhere_and_no_key_alone_leads_from_it_to_the_handle(
    iris: Iris, me: PersonMemory, folder: Path
) -> None:
    handle = handle_of(me, "Likes jazz", ActorMention(name="Xanthippe Quellwasser"))
    subject = iris.instruments.people.get("acme", "ada")
    assert handle != actor_handle("Xanthippe Quellwasser", key=subject.actor_key)
    iris.flush()
    for written_name in (b"Xanthippe", b"xanthippe", handle.encode()):
        assert written_name not in bytes_of(folder)


def test_a_handle_lasts_over_a_restart(open_iris: OpenIris) -> None:
    first = open_iris()
    handle = handle_of(person(first), "Likes jazz", ANNA)
    first.close()
    me = open_iris().for_user(tenant="acme", user="ada")
    assert handle_of(me, "Likes tea", ANNA) == handle
    assert [one.handle for one in me.others.mentions()] == [handle]


def test_two_processes_give_one_handle(open_iris: OpenIris) -> None:
    one, two = open_iris(), open_iris()
    handle = handle_of(person(one), "Likes jazz", ANNA)
    other = two.for_user(tenant="acme", user="ada")
    assert handle_of(other, "Likes tea", ANNA) == handle
    other.others.forget_mentions("Anna Müller", scan=False)
    fresh = handle_of(one.for_user(tenant="acme", user="ada"), "Likes rock", ANNA)
    assert fresh != handle
    assert handle_of(other, "Likes pop", ANNA) == fresh


def test_a_write_that_failed_leaves_no_handle_without_its_record(iris: Iris, me: PersonMemory) -> None:
    statement = Statement(body="Likes jazz", actor=ANNA)
    assert refused(me.remember("Takes statins with her", category="medical", actor=ANNA)).reason is not None
    handle = handle_of(me, "Likes jazz", ANNA)
    subject = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        assert len(reading.records("acme", subject.person, RecordKind.MENTION)) == 1
    assert written(me.remember(statement)).entry.multi_actor is not None
    assert [one.handle for one in me.others.mentions()] == [handle]


# --- what the person sees of others


def test_mentions_are_handles_notes_and_counts(me: PersonMemory) -> None:
    anna = handle_of(me, "Likes jazz", ANNA)
    handle_of(me, "Plays chess", ActorMention(name="anna müller", relationship_note="my wife"))
    ben = handle_of(me, "Wants the report", BEN)
    people = {one.handle: one for one in me.others.mentions()}
    assert set(people) == {anna, ben}
    assert people[anna].memories == 2
    assert set(people[anna].relationship_notes) == {"my partner", "my wife"}
    assert (people[ben].memories, people[ben].sensitive) == (1, 0)
    assert not stands_in("jazz", str(people))
    assert not stands_in("Anna", str(people))


def test_somebody_unknown_mentions_nobody(iris: Iris) -> None:
    nobody = iris.for_user(tenant="acme", user="nobody")
    assert nobody.others.mentions() == []
    with pytest.raises(UnknownMemoryError):
        nobody.others.preview_forget("Anna")
    with pytest.raises(UnknownMemoryError):
        nobody.others.forget_mentions("Anna")


def test_no_call_lists_facts_by_handle() -> None:
    """A handle can be given to nothing but the count and the forget: there is no profile to ask for."""
    for name, member in inspect.getmembers(PersonMemory, inspect.isfunction):
        taken = set(inspect.signature(member).parameters)
        assert not taken & {"handle", "actor_handle", "mention"}, name
    assert set(MentionedPerson.model_fields) == {
        "handle",
        "relationship_notes",
        "memories",
        "sensitive",
        "since",
        "last_at",
    }


# --- sensitive interactions, on every path


def test_a_sensitive_interaction_is_stored_only_with_its_consent_on_every_way_in(iris: Iris) -> None:
    me = person(iris)
    quarrel = ActorMention(name="Ben", sensitive_interaction=True)
    need = ("multi_actor_sensitive",)
    assert refused(me.remember("Argued", actor=quarrel)).needs == need
    assert [refused(one).needs for one in me.remember_many([Statement(body="Argued", actor=quarrel)])] == [need]
    me.consent.grant("multi_actor_sensitive", terms="t")
    kept = written(me.remember("Argued", actor=quarrel, session="s")).entry
    me.consent.revoke("multi_actor_sensitive")
    assert all(hit.entry.logical_id != kept.logical_id for hit in me.recall("argued", contexts=list(Context)).hits)


def test_a_sensitive_interaction_surfaces_only_in_a_context_that_needs_it(iris: Iris) -> None:
    me = person(iris, consents=["multi_actor_sensitive"])
    kept = written(me.remember("Argued", actor=ActorMention(name="Ben", sensitive_interaction=True))).entry
    for context in Context:
        hits = me.recall("argued", contexts=[context]).hits
        wanted = context in {Context.RELATIONSHIP, Context.SAFETY, Context.CRISIS}
        assert bool(hits) is wanted, context
        told = me.explain(kept.logical_id, "argued", contexts=[context])
        assert (told.counted_under is None) is wanted
    assert refused(iris.for_user(tenant="acme", user="ada").revise(kept.logical_id, "Argued", category="medical")).needs


def test_on_the_admin_surface_nobody_is_seen(iris: Iris) -> None:
    me = person(iris)
    handle_of(me, "Likes jazz", ANNA)
    result = me.recall("jazz", surface=Surface.ADMIN, contexts=list(Context), safety_critical_context=True)
    assert result.hits == ()
    assert "my partner" not in result.model_dump_json()


def test_a_handle_stays_in_the_person_s_own_views(me: PersonMemory) -> None:
    handle = handle_of(me, "Likes jazz", ANNA)
    entry = me.list().entries[0]
    views = [entry, me.show(entry.logical_id)[0], me.history(entry.logical_id)[0], me.recall("jazz").hits[0].entry]
    assert all(view.multi_actor is not None and view.multi_actor.actor_handle == handle for view in views)


def test_no_handle_name_or_note_stands_in_the_chain(iris: Iris, me: PersonMemory) -> None:
    handle = handle_of(me, "Likes jazz", ANNA)
    me.recall("jazz")
    me.others.mentions()
    me.others.preview_forget(handle)
    me.others.forget_mentions("Anna Müller", scan=False)
    told = str(chain(iris))
    for word in (handle, "Anna", "anna", "partner", "jazz"):
        assert word not in told


# --- forget all mentions of


def test_forgetting_somebody_takes_every_tagged_memory_in_all_revisions_and_the_handle(
    iris: Iris, me: PersonMemory, folder: Path
) -> None:
    handle = handle_of(me, "Anna likes jazz in the evening", ANNA)
    corrected = written(me.remember("Anna plays chess on Sundays", actor=ANNA)).entry
    written(me.revise(corrected.logical_id, "Anna plays checkers on Sundays"))
    other = handle_of(me, "Ben wants the report by noon", BEN)
    plain = written(me.remember("Likes tea")).entry
    preview = me.others.preview_forget("ANNA MULLER")
    assert (preview.memories, preview.revisions, preview.reached["handles"]) == (2, 3, 1)
    assert me.list().total == 4
    receipt = me.others.forget_mentions("anna müller")
    assert receipt.reason.value == "mention-forgotten"
    assert receipt.memories == 2
    assert receipt.residue is not None
    assert receipt.residue.found == {}
    assert {entry.logical_id for entry in me.list().entries} >= {plain.logical_id}
    assert [one.handle for one in me.others.mentions()] == [other]
    with pytest.raises(UnknownMemoryError):
        me.others.preview_forget("Anna Müller")
    with pytest.raises(UnknownMemoryError):
        me.others.forget_mentions(handle)
    assert handle_of(me, "Anna is back", ANNA) != handle
    assert actions(iris).count("memory.forget.completed") == 1
    sound(iris)
    iris.flush()
    assert b"checkers" not in bytes_of(folder)


def test_a_memory_that_was_ever_tagged_goes(me: PersonMemory) -> None:
    first = written(me.remember("Window", subject="seat", origin="model-inferred", label="assistant", actor=ANNA)).entry
    again = written(me.remember("Window", subject="seat", actor=ANNA)).entry
    assert again.logical_id == first.logical_id
    assert me.others.forget_mentions("Anna Müller", scan=False).memories == 1
    assert me.list().total == 0


def test_somebody_is_forgotten_by_handle(me: PersonMemory) -> None:
    handle = handle_of(me, "Likes jazz", ANNA)
    assert me.others.preview_forget(handle).memories == 1
    assert me.others.forget_mentions(handle, scan=False).memories == 1
    assert me.others.mentions() == []


def test_a_handle_without_memories_is_still_listed_and_can_go(me: PersonMemory) -> None:
    handle = handle_of(me, "Likes jazz", ANNA)
    me.forget(me.list().entries[0].logical_id, scan=False)
    assert [(one.handle, one.memories) for one in me.others.mentions()] == [(handle, 0)]
    assert me.others.forget_mentions("Anna Müller", scan=False).memories == 0
    assert me.others.mentions() == []


def test_the_same_words_about_somebody_forgotten_do_not_come_back_by_themselves(me: PersonMemory) -> None:
    handle_of(me, "Anna likes jazz", ANNA)
    me.others.forget_mentions("Anna Müller", scan=False)
    assert refused(me.remember("Anna likes jazz", actor=ANNA)).reason is R.FORGOTTEN_BEFORE


def test_the_key_of_a_forgotten_handle_is_destroyed(iris: Iris, me: PersonMemory) -> None:
    handle_of(me, "Likes jazz", ANNA)
    subject = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        slot = reading.records("acme", subject.person, RecordKind.MENTION)[0].slot
    assert slot > 0
    me.others.forget_mentions("Anna Müller", scan=False)
    assert subject.keys([slot]) == {}
    with iris.instruments.store.read() as reading:
        assert reading.records("acme", subject.person, RecordKind.MENTION) == []


def test_forgetting_everything_takes_every_handle(iris: Iris, me: PersonMemory) -> None:
    first = handle_of(me, "Likes jazz", ANNA)
    me.forget(everything=True, scan=False)
    assert me.others.mentions() == []
    assert handle_of(me, "Likes rock", ANNA) != first


def test_a_forget_names_one_thing(me: PersonMemory) -> None:
    with pytest.raises(ContractError):
        me.others.forget_mentions("")
    with pytest.raises(ContractError):
        me.others.preview_forget("x" * 201)


def test_another_person_s_handle_is_nobody_s(iris: Iris, me: PersonMemory) -> None:
    handle = handle_of(me, "Likes jazz", ANNA)
    bob = person(iris, "bob")
    with pytest.raises(UnknownMemoryError):
        bob.others.forget_mentions(handle, scan=False)
    assert me.others.mentions()[0].memories == 1


# --- the offer of a masked form


def test_words_with_somebody_s_details_are_kept_and_offered_masked(me: PersonMemory) -> None:
    kept = written(me.remember("Anna Müller is at anna@example.com or +49 170 1234567", actor=ANNA))
    assert kept.offer is not None
    assert kept.entry.body == "Anna Müller is at anna@example.com or +49 170 1234567"
    assert [kind.value for kind in kept.offer.kinds] == ["person", "email", "phone"]
    for literal in ("Anna", "example.com", "1234567"):
        assert literal not in kept.offer.body
    taken = written(me.revise(kept.entry.logical_id, kept.offer.body)).entry
    assert taken.body == kept.offer.body
    again = written(me.remember("Mail anna@example.com about the flat")).offer
    assert again is not None
    email = next(word for word in kept.offer.body.split() if word.startswith("[email:"))
    assert email in again.body


def test_details_of_the_person_s_own_are_offered_nothing(me: PersonMemory) -> None:
    for body in (
        "My email is ada@example.com",
        "My phone number is +44 20 7946 0958",
        "My name is Ada Lovelace",
        "I live at 12 Baker Street, London",
        "Likes the window seat",
        "Meine Nummer ist +49 170 1234567",
    ):
        assert written(me.remember(body)).offer is None, body


def test_tokens_of_two_people_cannot_be_joined(iris: Iris, me: PersonMemory) -> None:
    mine = written(me.remember("Mail carl@example.com")).offer
    other = written(person(iris, "bob").remember("Mail carl@example.com")).offer
    assert mine is not None
    assert other is not None
    assert mine.body != other.body


def test_a_sensitive_category_may_name_somebody_too(iris: Iris) -> None:
    me = person(iris, consents=["category:medical"])
    kept = written(me.remember("Dr. Smith prescribed statins", category=Category.MEDICAL))
    assert kept.offer is not None
    assert not stands_in("Smith", kept.offer.body)
