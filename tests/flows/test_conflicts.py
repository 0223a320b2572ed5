"""Conflict on write, end to end: what stands after two different statements about one thing, for every pair."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest

from flows.stores import (
    DAY,
    TERMS,
    OpenIris,
    SteppingClock,
    actions,
    asked,
    bodies,
    chain,
    confirmed,
    person,
    refused,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.decision import ConflictRule as Rule
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Lifecycle, Origin
from iris_memory.contracts.scope import NotebookScope, ProfileScope, SessionScope
from iris_memory.contracts.write import ActorMention, Question, Refused, Statement, WriteOutcome, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.tend import hourly
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.tables.labels import LABELS
from words import stands_in

LABEL_OF = {
    Origin.USER_STATED: Label.USER_TYPED,
    Origin.USER_CONFIRMED: Label.USER_TYPED,
    Origin.MODEL_INFERRED: Label.ASSISTANT,
    Origin.SUMMARIZED_FROM_SESSION: Label.ASSISTANT,
    Origin.IMPORTED: Label.IMPORT,
    Origin.OPERATOR_COPILOT: Label.OPERATOR,
}
STATED, CONFIRMED = Origin.USER_STATED, Origin.USER_CONFIRMED
OPERATOR = Origin.OPERATOR_COPILOT


def expected(prior: Origin, new: Origin) -> tuple[Rule, str]:
    """The ladder of contracts §5 written out by hand, with POI-3: the untrusted never displaces the trusted."""
    own = {STATED, CONFIRMED}
    if new is OPERATOR and prior in own:
        return Rule.ADMIN_COPILOT_NEVER_TRUMPS, "kept"
    for origin, rule in ((STATED, Rule.EXPLICIT_USER_TRUMPS), (CONFIRMED, Rule.USER_CONFIRMED_TRUMPS)):
        if new is origin and prior not in own:
            return rule, "replaced"
        if prior is origin and new not in own:
            return rule, "kept"
    if new is Origin.IMPORTED and prior is not Origin.IMPORTED:
        return Rule.UNTRUSTED_NEVER_WINS, "kept"
    return Rule.MOST_RECENT_WINS, "asked" if prior in own and new in own else "replaced"


def said(me: PersonMemory, body: str, subject: str, origin: Origin) -> WriteOutcome:
    """Say something under an origin; what is confirmed is confirmed by an answer."""
    if origin is CONFIRMED:
        return confirmed(me, body, subject=subject)  # type: ignore[no-any-return]
    return me.remember(body, subject=subject, origin=origin, label=LABEL_OF[origin])


@pytest.mark.parametrize(("prior", "new"), list(product(Origin, Origin)), ids=str)
def test_ladder(prior: Origin, new: Origin, me: PersonMemory, iris: Iris) -> None:
    first = written(said(me, "Likes tea", "drink", prior)).entry
    outcome = said(me, "Likes gin", "Drink ", new)
    rule, becomes = expected(prior, new)
    event = next(event for event in reversed(chain(iris)) if event.get("conflicts"))
    assert event["conflicts"][0][:3] == [rule.value, _OUTCOMES[becomes], first.id]
    history = me.history(first.logical_id)
    if becomes == "kept":
        assert (refused(outcome).reason, refused(outcome).rule) == (R.CONFLICT_KEPT_EXISTING, rule.value)
        assert [entry.body for entry in history] == ["Likes tea"]
        assert remembered(me) == {"Likes tea"}
    elif becomes == "replaced":
        after = written(outcome)
        assert (after.rule, after.replaced, after.entry.logical_id) == (rule, first.id, first.logical_id)
        assert [(entry.body, entry.origin) for entry in history] == [("Likes tea", prior), ("Likes gin", new)]
        assert history[0].superseded_by == history[1].id
        assert history[1].label is LABEL_OF[new]
        assert bodies(me) == ["Likes gin"]
    else:
        question = asked(outcome)
        assert (question.rule, question.conflicting_id) == (rule, first.logical_id)
        assert question.entry.lifecycle is Lifecycle.DRAFT
        assert bodies(me) == ["Likes tea"], "a draft is not recalled"


_OUTCOMES = {"kept": "keep_existing", "replaced": "replace", "asked": "ask_user"}


@pytest.mark.parametrize("label", [label for label in Label if LABELS[label].trust <= 3], ids=str)
def test_what_is_untrusted_never_wins(label: Label, me: PersonMemory) -> None:
    """POI-3: from a file, an import, a tool or the web nothing replaces what the assistant heard."""
    me.remember("The meeting is at nine", subject="meeting", origin="model-inferred", label="assistant")
    origin = "imported" if label is Label.IMPORT else "model-inferred"
    outcome = me.remember("The meeting is at noon", subject="meeting", origin=origin, label=label)
    assert refused(outcome).rule == Rule.UNTRUSTED_NEVER_WINS
    assert remembered(me) == {"The meeting is at nine"}


def test_a_conflict_key_cannot_be_squatted(me: PersonMemory) -> None:
    """POI-12: who comes first under a key with untrusted words is displaced by the person, and never the reverse."""
    me.remember("Sends money to mallory", subject="bank", origin="model-inferred", label="web")
    assert written(me.remember("Sends money to the landlord", subject="bank")).rule is Rule.EXPLICIT_USER_TRUMPS
    for label in (Label.WEB, Label.TOOL, Label.FILE, Label.USER_PASTED):
        outcome = me.remember("Sends money to mallory", subject="bank", origin="model-inferred", label=label)
        assert refused(outcome).reason is R.CONFLICT_KEPT_EXISTING
    assert bodies(me, "bank money") == ["Sends money to the landlord"]


@pytest.mark.parametrize(
    ("other", "is_conflict"),
    [
        ({"subject": "DRINK"}, True),
        ({"subject": " drink "}, True),
        ({"subject": "\uff24\uff32\uff29\uff2e\uff2b"}, True),  # full-width
        ({"subject": "drinks"}, False),
        ({"subject": None}, False),
        ({"subject": "drink", "category": "goal"}, False),
        ({"subject": "drink", "actor": ActorMention(name="Bo")}, False),
        ({"subject": "drink", "scope": SessionScope(user_id="ada", session_id="s1")}, False),
        ({"subject": "drink", "adapter_scope": "domain"}, True),
    ],
    ids=str,
)
def test_what_is_about_one_thing(other: dict[str, object], is_conflict: bool, me: PersonMemory) -> None:
    me.consent.grant("personalization", terms=TERMS)
    me.remember("Likes tea", subject="drink", category="preference")
    outcome = me.remember("Likes gin", **{"category": "preference", **other})  # type: ignore[arg-type]
    assert outcome.outcome == ("ask-user" if is_conflict else "written")


def test_actors_are_compared_by_their_handle(me: PersonMemory) -> None:
    bo, ann = ActorMention(name="Bo"), ActorMention(name="Ann")
    me.remember("Bo lives in Rome", subject="home", actor=bo)
    assert written(me.remember("Ann lives in Oslo", subject="home", actor=ann))
    assert asked(me.remember("Bo lives in Bonn", subject="home", actor=ActorMention(name=" bO ")))


def test_the_same_words_again_are_one_memory(me: PersonMemory, iris: Iris) -> None:
    first = written(me.remember("Likes tea", subject="drink")).entry
    again = written(me.remember(" LIKES  tea", subject="drink"))
    assert (again.entry, again.replaced) == (first, None)
    assert len(me.history(first.logical_id)) == 1


def test_the_person_s_own_word_raises_what_was_inferred(me: PersonMemory) -> None:
    """POI-1: the same words, now typed by the person, lift the label; a machine repeating them does not."""
    first = written(me.remember("Likes tea", subject="drink", origin="model-inferred", label="web")).entry
    machine = written(me.remember("Likes tea", subject="drink", origin="summarized-from-session", label="assistant"))
    assert machine.entry.label is Label.WEB
    raised = written(me.remember("Likes tea", subject="drink")).entry
    assert (raised.label, raised.origin, raised.revision) == (Label.USER_TYPED, STATED, 2)
    assert raised.logical_id == first.logical_id


def test_other_sessions_are_met_and_nothing_leaks_into_them(iris: Iris) -> None:
    """A conflict is per kind of scope. What replaces lives where it was said; the same words are kept in each place."""
    me = person(iris)
    one, two = (SessionScope(user_id="ada", session_id=name) for name in ("s1", "s2"))
    inferred = {"origin": "model-inferred", "label": "assistant", "subject": "mood"}
    me.remember("Is tired", scope=one, **inferred)  # type: ignore[arg-type]
    same = written(me.remember("Is tired", scope=two, **inferred)).entry  # type: ignore[arg-type]
    assert same.scope == two
    assert bodies(me, scope=one) == bodies(me, scope=two) == ["Is tired"]
    me.forget(same.logical_id, scan=False)
    moved = written(me.remember("Is awake", scope=two, **inferred))  # type: ignore[arg-type]
    assert moved.entry.scope == two
    assert bodies(me, scope=one) == []
    assert bodies(me, scope=two) == ["Is awake"]


def test_a_replacement_keeps_the_first_envelope(me: PersonMemory, clock: SteppingClock) -> None:
    """Contracts §2: the clock of an envelope runs from the first `created_at` of the logical memory."""
    scope = SessionScope(user_id="ada", session_id="s1")
    first = written(me.remember("Is tired", scope=scope, subject="mood", origin="model-inferred", label="assistant"))
    clock.step(timedelta(hours=20))
    second = written(me.remember("Is awake", scope=scope, subject="mood"))
    assert second.entry.created_at == first.entry.created_at
    assert second.entry.expires_at == first.entry.expires_at == first.entry.created_at + DAY


def test_what_has_ended_conflicts_with_nothing(me: PersonMemory, clock: SteppingClock) -> None:
    me.remember("Likes tea", subject="drink", expires_at=clock.now() + DAY)
    clock.step(DAY)
    assert written(me.remember("Likes gin", subject="drink")).replaced is None


def ask(me: PersonMemory) -> tuple[str, str, Question]:
    """Two statements that differ: the ids of what stands and of the draft, and the question about them."""
    first = written(me.remember("Prefers a window seat", subject="seat")).entry
    draft = asked(me.remember("Prefers an aisle seat", subject="seat"))
    (question,) = me.questions()
    assert (question.question_id, question.existing_id) == (draft.question_id, first.logical_id)
    return first.logical_id, draft.entry.logical_id, question


def test_keep(me: PersonMemory, iris: Iris) -> None:
    existing, draft, question = ask(me)
    stands = me.answer(question.question_id, "keep", digest=question.digest)
    assert not isinstance(stands, Refused)
    assert (stands.logical_id, stands.body, stands.revision) == (existing, "Prefers a window seat", 1)
    assert remembered(me) == {"Prefers a window seat"}
    with pytest.raises(UnknownMemoryError):
        me.show(draft)
    assert list(me.questions()) == []
    assert written(me.remember("Prefers an aisle seat")), "a draft that was let go is no forgotten word"
    sound(iris)


def test_replace(me: PersonMemory, iris: Iris) -> None:
    existing, draft, question = ask(me)
    stands = me.answer(question.question_id, "replace", digest=question.digest)
    assert not isinstance(stands, Refused)
    assert (stands.logical_id, stands.body, stands.revision) == (existing, "Prefers an aisle seat", 2)
    assert [entry.body for entry in me.history(existing)] == ["Prefers a window seat", "Prefers an aisle seat"]
    assert bodies(me) == ["Prefers an aisle seat"]
    with pytest.raises(UnknownMemoryError):
        me.show(draft)
    sound(iris)


def test_both(me: PersonMemory, iris: Iris) -> None:
    existing, draft, question = ask(me)
    stands = me.answer(question.question_id, "both", digest=question.digest)
    assert not isinstance(stands, Refused)
    assert (stands.logical_id, stands.lifecycle, stands.revision) == (draft, Lifecycle.ACTIVE, 2)
    assert remembered(me) == {"Prefers a window seat", "Prefers an aisle seat"}
    assert me.show(existing)[0].lifecycle is Lifecycle.ACTIVE
    assert (stands.subject, me.show(existing)[0].subject) == ("seat (2)", "seat"), "a slot of its own"
    assert me.recall().audit_envelope.deduplicated_count == 0
    assert set(bodies(me)) == {"Prefers a window seat", "Prefers an aisle seat"}
    assert list(me.questions()) == []
    sound(iris)


@pytest.mark.parametrize("decision", ["keep", "replace", "both"])
def test_an_answer_names_what_was_shown(decision: str, me: PersonMemory, iris: Iris) -> None:
    """POI-8: a yes to other texts is no yes; neither is one to a question that was answered before."""
    _, _, question = ask(me)
    for digest in ("", "0" * 64, question.digest.upper()):
        with pytest.raises(ContractError, match="digest"):
            me.answer(question.question_id, decision, digest=digest)
    assert len(me.questions()) == 1
    me.answer(question.question_id, decision, digest=question.digest)
    with pytest.raises(UnknownMemoryError):
        me.answer(question.question_id, decision, digest=question.digest)


def test_a_delayed_yes_to_text_that_changed_is_none(me: PersonMemory) -> None:
    """POI-8, delayed invocation: what stands was corrected after the question was shown, so it is shown anew."""
    existing, _, shown = ask(me)
    me.revise(existing, "Prefers a seat by the door")
    with pytest.raises(ContractError, match="digest"):
        me.answer(shown.question_id, "replace", digest=shown.digest)
    (anew,) = me.questions()
    assert anew.existing_body == "Prefers a seat by the door"
    assert "by the door" in anew.prompt
    assert me.answer(anew.question_id, "keep", digest=anew.digest).body == "Prefers a seat by the door"  # type: ignore[union-attr]


def test_an_answer_is_admitted_like_a_statement(iris: Iris, clock: SteppingClock) -> None:
    """A consent that ended since the question was asked: nothing sensitive is written by answering it."""
    me = person(iris)
    me.consent.grant("category:medical", terms=TERMS, expires_at=clock.now() + DAY)
    medical = {"category": "medical", "subject": "dose"}
    me.remember("Takes one pill", **medical)  # type: ignore[arg-type]
    me.remember("Takes two pills", **medical)  # type: ignore[arg-type]
    clock.step(DAY)
    (question,) = me.questions()
    for decision in ("replace", "both"):
        outcome = refused(me.answer(question.question_id, decision, digest=question.digest))
        assert outcome.reason is R.SENSITIVE_CATEGORY_WITHOUT_CONSENT
    assert len(me.questions()) == 1
    me.answer(question.question_id, "keep", digest=question.digest)
    assert remembered(me) == {"Takes one pill"}


def test_silence_keeps_what_was_there(open_iris: OpenIris, clock: SteppingClock) -> None:
    """After 30 days the draft goes and what stood stands: never an overwrite. It needs nobody to be awake."""
    iris = open_iris()
    me = person(iris)
    _, draft, question = ask(me)
    clock.step(30 * DAY - timedelta(microseconds=1))
    hourly(iris.instruments)
    assert len(me.questions()) == 1
    clock.step(timedelta(microseconds=1))
    assert list(me.questions()) == []
    with pytest.raises(UnknownMemoryError):
        me.answer(question.question_id, "replace", digest=question.digest)
    iris.close()
    iris = open_iris()
    assert hourly(iris.instruments) == 0, "what was due was done at opening, with nobody loaded"
    me = iris.for_user(tenant="acme", user="ada")
    assert remembered(me) == {"Prefers a window seat"}
    with pytest.raises(UnknownMemoryError):
        me.history(draft)
    assert hourly(iris.instruments) == 0
    sound(iris)


def test_a_question_stores_no_words(me: PersonMemory, iris: Iris) -> None:
    """What waits is ids: forgetting the memory leaves no second copy of its words under another key."""
    from iris_memory.ports.rows import RecordKind

    ask(me)
    subject = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        (row,) = reading.records("acme", subject.person, RecordKind.QUESTION)
    plain = subject.open_record(row)
    assert plain is not None
    assert not stands_in("seat", plain)
    assert row.slot == 0


def test_forgetting_what_stands_lets_the_draft_stand(me: PersonMemory, iris: Iris) -> None:
    """As if the memory had been forgotten before the draft was said; later drafts are then about that one."""
    existing, draft, _ = ask(me)
    later = asked(me.remember("Prefers a quiet coach", subject="seat")).entry.logical_id
    preview = me.preview_forget(existing)
    receipt = me.forget(existing, scan=False)
    assert preview.reached == receipt.reached
    assert preview.reached["questions"] == 2
    assert me.show(draft)[0].lifecycle is Lifecycle.ACTIVE
    assert bodies(me) == ["Prefers an aisle seat"]
    (question,) = me.questions()
    assert (question.existing_id, question.draft_id) == (draft, later)
    assert me.answer(later, "replace", digest=question.digest).logical_id == draft  # type: ignore[union-attr]
    assert remembered(me) == {"Prefers a quiet coach"}
    sound(iris)


def test_forgetting_a_draft_ends_its_question(me: PersonMemory, iris: Iris) -> None:
    existing, draft, _ = ask(me)
    me.forget(draft, scan=False)
    assert list(me.questions()) == []
    assert me.show(existing)[0].lifecycle is Lifecycle.ACTIVE
    sound(iris)


def test_everything_at_once_goes_with_its_questions(me: PersonMemory, iris: Iris) -> None:
    ask(me)
    assert me.forget(everything=True, scan=False).memories == 2
    assert list(me.questions()) == []
    assert me.list().total == 0
    sound(iris)


def test_every_outcome_is_told_without_words(me: PersonMemory, iris: Iris) -> None:
    existing, draft, question = ask(me)
    me.answer(question.question_id, "replace", digest=question.digest)
    told = [event for event in chain(iris) if event["action"] == "memory.question.answered"]
    assert [(event["question"], event["existing"], event["answer"]) for event in told] == [(draft, existing, "replace")]
    assert len(told[0]["commitments"]) == len(told[0]["object_ids"]) == 1
    exported = b"".join(iris.export_audit(tenant="acme"))
    assert not stands_in("seat", exported)
    assert "memory.written" in actions(iris)


def test_questions_are_one_persons(iris: Iris) -> None:
    me = person(iris)
    _, _, question = ask(me)
    bob = person(iris, "bob")
    other = iris.for_user(tenant="other", user="ada")
    for stranger in (bob, other):
        assert list(stranger.questions()) == []
        with pytest.raises(UnknownMemoryError):
            stranger.answer(question.question_id, "replace", digest=question.digest)


def test_notebooks_and_profiles_do_not_meet(iris: Iris) -> None:
    me = person(iris)
    me.remember("Likes tea", subject="drink", scope=ProfileScope(user_id="ada"))
    outcome = me.remember("Likes gin", subject="drink", scope=NotebookScope(user_id="ada", notebook_id="n"))
    assert isinstance(outcome, Written)


def test_a_batch_meets_itself(me: PersonMemory) -> None:
    outcomes = me.remember_many(
        [Statement(body="Likes tea", subject="drink"), Statement(body="Likes gin", subject="drink")]
    )
    question = asked(outcomes[1])
    (shown,) = me.questions()
    assert (shown.existing_body, shown.draft_body, shown.question_id) == (
        "Likes tea",
        "Likes gin",
        question.question_id,
    )
