"""Attacks on the person's side: words whose key outlives them, ways around a restriction, a hold, a consumer's scopes.

Each test is a defect that was found, with what is right (DSR-7, DSR-8, DSR-16, POI-1, POI-8).
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import BASE, DAY, TERMS, OpenIris, SteppingClock, bodies, chain, person, refused, remembered, written
from iris_memory.contracts.bridge import Turn, TurnRole
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.rights import LegalHold, RightsRequest, RightsState
from iris_memory.contracts.scope import CrisisScope, NotebookScope, ProfileScope, SessionScope, TenantScope
from iris_memory.contracts.write import ActorMention, Refused, Statement
from iris_memory.errors import UnknownMemoryError
from iris_memory.front.bridge import create_memory_bridge
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk
from iris_memory.ports.rows import RecordKind, RecordRow

SESSION = SessionScope(user_id="ada", session_id="s1")
NOTEBOOK = NotebookScope(user_id="ada", notebook_id="trips")
TENANT = TenantScope(tenant_id="acme", user_id="ada")
PROFILE = ProfileScope(user_id="ada")


@pytest.fixture
def desk(iris: Iris) -> RightsDesk:
    return iris.rights_desk("acme")


@pytest.fixture
def customer(iris: Iris, clock: SteppingClock) -> PersonMemory:
    """Somebody whose tenant keeps memory of them for a year, under an approval."""
    me = person(iris, consents=["tenant_processing"])
    approve(iris, clock, "tenant")
    return me


def approve(iris: Iris, clock: SteppingClock, adapter: str, days: int = 900) -> None:
    iris.approve_scope(
        tenant="acme", adapter_scope=adapter, approver="boss", reason="r", expires_at=clock.now() + days * DAY
    )


def rows_of(iris: Iris, kind: RecordKind) -> list[RecordRow]:
    found = iris.instruments.vault.find_subject("acme", "ada")
    assert found is not None
    with iris.instruments.store.read() as reading:
        return list(reading.records("acme", found.person, kind))


def keys_of(iris: Iris, rows: list[RecordRow]) -> int:
    """Count the keys of records that still stand in the vault."""
    found = iris.instruments.vault.find_subject("acme", "ada")
    assert found is not None
    return len(iris.instruments.vault.wrapped_slots("acme", found.person, [row.slot for row in rows if row.slot]))


def done(me: PersonMemory, desk: RightsDesk, kind: str, **wishes: object) -> str:
    """Submit a request, have it verified and carried out; return its id."""
    name = me.rights.submit(kind, **wishes).request_id
    desk.sign_off(name, "operator-signoff", actor="op-0", declared=True)
    desk.start(name, actor="op-1")
    carried = desk.fulfil(name, actor="op-1")
    assert isinstance(carried, RightsRequest), carried
    return name


def hold(desk: RightsDesk, clock: SteppingClock, *names: str) -> LegalHold:
    placed = desk.place_hold(
        user="ada",
        actor="op-1",
        reference="case 1",
        reason="a court asked",
        expires_at=clock.now() + 300 * DAY,
        logical_ids=list(names),
    )
    held = desk.confirm_hold(placed.hold_id, actor="op-2")
    assert isinstance(held, LegalHold)
    return held


def asked_about(me: PersonMemory, body: str, **more: object) -> tuple[str, str]:
    noted = me.inbox.observe(body, label="assistant", session="s9", ask=True, **more)  # type: ignore[arg-type]
    question = me.inbox.show(noted.question_id)  # type: ignore[union-attr,arg-type]
    return question.question_id, question.digest


# --- keys of records -------------------------------------------------------------------------------------------------


def test_the_key_of_held_words_goes_with_the_consent(iris: Iris) -> None:
    """A question's words were dropped by the withdrawal, while their key went on standing in the vault."""
    me = person(iris, consents=["category:medical"])
    question, digest = asked_about(me, "Takes statins every day", category="medical")
    me.inbox.answer(question, "hold", digest=digest)
    kept = rows_of(iris, RecordKind.INFERENCE_QUESTION)
    assert keys_of(iris, kept) == 1
    told = me.consent.withdraw("category:medical")
    assert rows_of(iris, RecordKind.INFERENCE_QUESTION) == []
    assert keys_of(iris, kept) == 0
    assert told.receipt is not None
    assert (told.receipt.memories, told.receipt.keys_destroyed) == (0, 1)
    assert told.receipt.residue is not None
    assert told.receipt.residue.found == {}


def test_the_keys_of_turns_go_with_a_consent_and_with_their_day(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["category:medical"])
    bridge = create_memory_bridge(iris, tenant="acme", user="ada", session="s1")
    bridge.append(Turn(turn_id="t1", sequence=1, role=TurnRole.USER, text="I saw the cardiologist"))
    first = rows_of(iris, RecordKind.TURN_TEXT)
    assert keys_of(iris, first) == 1
    me.consent.withdraw("category:medical")
    assert (rows_of(iris, RecordKind.TURN_TEXT), keys_of(iris, first)) == ([], 0)
    bridge.append(Turn(turn_id="t2", sequence=2, role=TurnRole.USER, text="And the dentist"))
    second = rows_of(iris, RecordKind.TURN_TEXT)
    assert keys_of(iris, second) == 1
    clock.step(DAY)
    assert iris.sweep().expired_records >= 1
    assert (rows_of(iris, RecordKind.TURN_TEXT), keys_of(iris, second)) == ([], 0)


def test_keys_of_idempotent_answers_do_not_gather_for_ever(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    for number in range(5):
        me.remember(f"Fact number {number}", idempotency_key=f"k{number}")
    kept = rows_of(iris, RecordKind.IDEMPOTENCY)
    assert keys_of(iris, kept) == 5
    clock.step(8 * DAY)
    iris.sweep()
    assert keys_of(iris, kept) == 0


# --- words that wait -------------------------------------------------------------------------------------------------


def test_no_words_wait_without_the_consent_to_be_processed(me: PersonMemory) -> None:
    asked_about(me, "Seems to like opera")
    me.remember("I was diagnosed with diabetes last year")
    assert len(me.inbox.questions()) >= 2
    me.consent.withdraw("data_processing")
    assert [one for one in me.inbox.questions() if one.kind.value in {"inference", "category"}] == []


def test_a_question_about_a_sensitive_interaction_goes_with_its_consent(iris: Iris) -> None:
    me = person(iris, consents=["multi_actor_sensitive"])
    actor = ActorMention(name="Ben", relationship_note="brother", sensitive_interaction=True)
    asked_about(me, "Ben borrowed the car and was angry", actor=actor)
    me.consent.withdraw("multi_actor_sensitive")
    assert list(me.inbox.questions()) == []


def test_words_are_not_held_after_a_withdrawal_came_between(iris: Iris) -> None:
    """DSR-16: `hold` read the question, the withdrawal dropped it, and then the words were written to disk."""
    me = person(iris, consents=["category:medical"])
    question, digest = asked_about(me, "Takes statins every day", category="medical")
    store, write = iris.instruments.store, iris.instruments.store.write
    came = False

    def between(work, **more):  # type: ignore[no-untyped-def]
        nonlocal came
        if not came:
            came = True
            me.consent.withdraw("category:medical", scan=False)
        return write(work, **more)

    store.write = between  # type: ignore[method-assign]
    try:
        with pytest.raises(UnknownMemoryError):
            me.inbox.answer(question, "hold", digest=digest)
    finally:
        del store.write
    assert came
    assert rows_of(iris, RecordKind.INFERENCE_QUESTION) == []


def test_a_skipped_question_that_went_meanwhile_does_not_come_back(iris: Iris, me: PersonMemory) -> None:
    question, digest = asked_about(me, "Seems to like opera")
    store, write = iris.instruments.store, iris.instruments.store.write

    def then_forgotten(work, **more):  # type: ignore[no-untyped-def]
        told = write(work, **more)
        iris.instruments.asked.drop("acme", rows_person(iris))
        return told

    store.write = then_forgotten  # type: ignore[method-assign]
    try:
        me.inbox.answer(question, "skip", digest=digest)
    finally:
        del store.write
    assert list(me.inbox.questions()) == []


def rows_person(iris: Iris) -> str:
    found = iris.instruments.vault.find_subject("acme", "ada")
    assert found is not None
    return found.person


def test_a_deletion_reaches_what_waits_and_what_lives_in_sessions(iris: Iris, desk: RightsDesk) -> None:
    me = person(iris, consents=["category:medical"])
    question, digest = asked_about(me, "Takes statins every day", category="medical")
    me.inbox.answer(question, "hold", digest=digest)
    kept = rows_of(iris, RecordKind.INFERENCE_QUESTION)
    me.remember("I was diagnosed with diabetes last year")
    done(me, desk, "delete", categories=["medical"], retention_grace_ms=0)
    assert [one for one in me.inbox.questions() if one.kind.value in {"inference", "category"}] == []
    assert keys_of(iris, kept) == 0


# --- what was made from something ------------------------------------------------------------------------------------


def derived(me: PersonMemory, clock: SteppingClock, source: str, body: str) -> str:
    link = ProvenanceLink(
        kind=ProvenanceKind.INFERENCE_BATCH, ref=f"memory:{source}", captured_at=clock.now(), label=Label.USER_TYPED
    )
    said = Statement(body=body, provenance=(link,), origin=Origin.MODEL_INFERRED)
    return written(me.remember(said)).entry.logical_id


def test_a_no_takes_along_what_was_made_from_the_memory(me: PersonMemory, clock: SteppingClock) -> None:
    source = written(
        me.remember("Owns a red boat", origin="model-inferred", label="assistant", category="work")
    ).entry.logical_id
    derived(me, clock, source, "Sails on Sundays")
    question = me.inbox.ask(source)
    assert not isinstance(question, Refused)
    me.inbox.answer(question.question_id, "no", digest=question.digest)
    assert remembered(me) == set()
    assert refused(me.remember("Sails on Sundays")).reason is RefusalReason.FORGOTTEN_BEFORE


def test_a_no_bars_every_wording_and_sets_aside_what_is_held(
    iris: Iris, me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    source = written(
        me.remember("Owns a red boat", origin="model-inferred", label="assistant", category="work")
    ).entry.logical_id
    held = hold(desk, clock, source)
    question = me.inbox.ask(source)
    assert not isinstance(question, Refused)
    me.inbox.answer(question.question_id, "no", digest=question.digest)
    assert remembered(me) == {"Owns a red boat"}
    assert bodies(me, "boat", contexts=["general", "work"]) == []
    desk.release_hold(held.hold_id, actor="op-3")
    assert remembered(me) == set()
    assert "boat" not in str(chain(iris))


def test_a_deletion_sets_aside_and_purges_what_was_made_from_it(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    source = written(me.remember("Works at the harbour", category="work")).entry.logical_id
    derived(me, clock, source, "Gets up at five")
    me.remember("Likes tea")
    name = done(me, desk, "delete", categories=["work"], mode="soft", retention_grace_ms=10 * 86_400_000)
    assert bodies(me, contexts=["general", "work"]) == ["Likes tea"]
    clock.step(11 * DAY)
    assert me.rights.show(name).state in {RightsState.IN_PROGRESS, RightsState.COMPLETED}
    iris_tend(me)
    assert remembered(me) == {"Likes tea"}


def iris_tend(me: PersonMemory) -> None:
    from iris_memory.flows import tend

    tend.chores(me._instruments)


# --- restriction -----------------------------------------------------------------------------------------------------


def test_nothing_is_summarised_of_what_is_held_back(
    iris: Iris, me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    """A restricted memory came back in the words of its summary, which nobody had restricted."""
    me.remember("Paid 12 euro for the boat.", scope=SESSION)
    done(me, desk, "restrict", scopes=["session"])
    assert bodies(me, "boat", scope=SESSION) == []
    clock.step(DAY)
    report = iris.sweep()
    assert (report.summarized, report.ended) == (0, 1)
    assert bodies(me, "boat", scope=SESSION) == []


def test_lifting_one_restriction_leaves_the_other(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    me.remember("Likes opera", category="preference")
    first = done(me, desk, "restrict", categories=["preference"])
    second = done(me, desk, "restrict", logical_ids=[tea])
    me.rights.lift_restriction(first)
    assert bodies(me) == ["Likes opera"]
    me.rights.lift_restriction(second)
    assert sorted(bodies(me)) == ["Likes opera", "Likes tea"]
    assert isinstance(me.rights.show(second), RightsRequest)


def test_taking_one_deletion_back_leaves_the_other(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    me.remember("Likes tea", category="preference")
    me.remember("Works at the harbour", category="work")
    every = done(me, desk, "delete", scopes=["assistant_profile"], mode="soft", retention_grace_ms=10 * 86_400_000)
    done(me, desk, "delete", categories=["preference"], mode="soft", retention_grace_ms=10 * 86_400_000)
    assert isinstance(me.rights.reactivate(every), RightsRequest)
    assert bodies(me, contexts=["general", "work"]) == ["Works at the harbour"]
    clock.step(11 * DAY)
    iris_tend(me)
    assert remembered(me) == {"Works at the harbour"}


def test_a_restricted_memory_does_not_slip_out_by_a_move(me: PersonMemory, desk: RightsDesk) -> None:
    name = written(me.remember("Sits at the window", subject="seat", scope=SESSION)).entry.logical_id
    done(me, desk, "restrict", logical_ids=[name])
    assert refused(me.change_scope(name, PROFILE)).reason is RefusalReason.NOT_ACTIVE
    assert bodies(me) == []


def test_lifting_a_restriction_does_not_bring_back_what_was_forgotten_under_a_hold(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    name = done(me, desk, "restrict", logical_ids=[tea])
    held = hold(desk, clock, tea)
    me.forget(tea)
    me.rights.lift_restriction(name)
    assert bodies(me) == []
    desk.release_hold(held.hold_id, actor="op-3")
    assert remembered(me) == set()


def test_what_is_said_anew_does_not_go_with_what_a_hold_kept(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    """The person said it again; it was laid into the memory that waits to be forgotten, and went with the hold."""
    tea = written(me.remember("Likes tea", subject="drink")).entry.logical_id
    held = hold(desk, clock, tea)
    me.forget(tea)
    again = written(me.remember("Likes tea", subject="drink", again=True)).entry.logical_id
    assert again != tea
    assert bodies(me) == ["Likes tea"]
    desk.release_hold(held.hold_id, actor="op-3")
    assert bodies(me) == ["Likes tea"]


# --- holds -----------------------------------------------------------------------------------------------------------


def test_the_sweep_writes_no_event_for_what_is_held(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, desk = person(iris), iris.rights_desk("acme")
    hold(desk, clock, written(me.remember("Paid 12 euro.", scope=SESSION)).entry.logical_id)
    clock.step(DAY)
    for _ in range(3):
        clock.step(timedelta(hours=1))
        before = len(chain(iris))
        assert iris.sweep().held == 1
        assert len(chain(iris)) == before


# --- consumers -------------------------------------------------------------------------------------------------------


def test_a_consumer_is_shown_no_words_of_a_scope_it_may_not_see(iris: Iris, me: PersonMemory) -> None:
    me.remember("Aisle seat", subject="seat", scope=NOTEBOOK)
    me.remember("Window seat", subject="seat", scope=NOTEBOOK)
    actor = ActorMention(name="Ben", relationship_note="brother")
    guess = written(
        me.remember("Ben likes boats", scope=NOTEBOOK, actor=actor, origin="model-inferred", label="assistant")
    ).entry.logical_id
    me.inbox.ask(guess)
    asked_about(me, "Plans a trip to Oslo", scope=NOTEBOOK)
    me.remember("I was diagnosed with diabetes last year", scope=NOTEBOOK)
    assert len(me.inbox.questions()) == 4
    other = iris.for_user(tenant="acme", user="ada", consumer="support")
    assert list(other.inbox.questions()) == []
    assert list(other.doubts.waiting()) == []
    assert [one.relationship_notes for one in other.others.mentions()] == [()]
    with pytest.raises(UnknownMemoryError):
        other.inbox.ask(guess)
    assert [one.relationship_notes for one in me.others.mentions()] == [("brother",)]


def test_a_consumer_does_not_learn_whether_a_memory_is_there(iris: Iris, me: PersonMemory) -> None:
    hidden = written(me.remember("Sits at the window", scope=SESSION)).entry.logical_id
    other = iris.for_user(tenant="acme", user="ada", consumer="studio")
    with pytest.raises(UnknownMemoryError):
        other.inbox.promote(hidden, explicit=True)


# --- read-only copies and reviews ------------------------------------------------------------------------------------


def test_copies_follow_a_review_a_restriction_and_a_rollback(
    iris: Iris, customer: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    source = written(customer.remember(Statement(body="Badge seven", subject="badge", scope=TENANT))).entry.logical_id
    copy = written(customer.change_scope(source, PROFILE, read_only_copy=True)).entry.logical_id
    request = done(customer, desk, "restrict", logical_ids=[source])
    assert bodies(customer) == []
    customer.rights.lift_restriction(request)
    assert bodies(customer, adapter_scope="tenant", scope=TENANT) == ["Badge seven"]
    noon = clock.step(DAY)
    clock.step(DAY)
    written(customer.revise(source, "Badge nine"))
    assert customer.show(copy)[0].body == "Badge nine"
    assert customer.inbox.roll_back(noon).restored == 1
    assert customer.show(copy)[0].body == customer.show(source)[0].body == "Badge seven"
    clock.step(364 * DAY)
    assert [review.entry.logical_id for review in customer.reviews()] == [source]
    assert refused(customer.decide_review(copy, "extend")).reason is RefusalReason.READ_ONLY_COPY
    written(customer.decide_review(source, "extend"))
    assert customer.show(copy)[0].expires_at == customer.show(source)[0].expires_at


def test_a_copy_is_not_confirmed_beside_its_source(customer: PersonMemory) -> None:
    said = Statement(
        body="Badge seven", scope=TENANT, origin=Origin.MODEL_INFERRED, label=Label.ASSISTANT, subject="badge"
    )
    source = written(customer.remember(said)).entry.logical_id
    copy = written(customer.change_scope(source, PROFILE, read_only_copy=True)).entry.logical_id
    assert refused(customer.inbox.ask(copy)).reason is RefusalReason.READ_ONLY_COPY
    question = customer.inbox.ask(source)
    assert not isinstance(question, Refused)
    customer.inbox.answer(question.question_id, "yes", digest=question.digest)
    seen, followed = customer.show(source)[0], customer.show(copy)[0]
    assert (followed.origin, followed.label) == (seen.origin, seen.label) == (Origin.USER_CONFIRMED, Label.USER_TYPED)


def test_a_correction_keeps_the_end_that_a_review_gave(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["personalization", "cross_domain_sharing"])
    approve(iris, clock, "cross_domain")
    said = {"adapter_scope": "cross_domain", "subject": "choir", "origin": "model-inferred", "label": "assistant"}
    name = written(me.remember("Sings in 2 choirs.", **said)).entry.logical_id  # type: ignore[arg-type]
    clock.step(90 * DAY)
    until = written(me.decide_review(name, "extend")).entry.expires_at  # type: ignore[arg-type]
    clock.step(DAY)
    replaced = written(me.remember("Sings in 3 choirs.", **said)).entry  # type: ignore[arg-type]
    assert (replaced.logical_id, replaced.expires_at) == (name, until)
    assert bodies(me, "choirs", adapter_scope="cross_domain") == ["Sings in 3 choirs."]
    sooner = clock.now() + 10 * DAY
    assert written(me.revise(name, "Sings in 4 choirs.", expires_at=sooner)).entry.expires_at == sooner
    assert iris.sweep().due == 0


# --- going back ------------------------------------------------------------------------------------------------------


def test_going_back_writes_nothing_that_is_not_agreed_to(me: PersonMemory, clock: SteppingClock) -> None:
    name = written(me.remember("Likes tea")).entry.logical_id
    noon = clock.step(DAY)
    clock.step(DAY)
    me.revise(name, "Likes coffee")
    me.consent.withdraw("data_storage")
    assert me.inbox.roll_back(noon).restored == 0
    assert me.show(name)[0].body == "Likes coffee"
    me.consent.grant(*BASE, terms=TERMS)
    assert me.inbox.roll_back(noon).restored == 1


def test_going_back_does_not_undo_a_deletion_or_a_forget(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    work = written(me.remember("Works at the harbour", category="work")).entry.logical_id
    first = written(me.remember("Likes tea", subject="drink")).entry.logical_id
    second = written(me.remember("Likes tea", subject="habit")).entry.logical_id
    noon = clock.step(DAY)
    clock.step(DAY)
    me.revise(first, "Likes coffee")
    me.forget(second)
    done(me, desk, "delete", categories=["work"], mode="soft", retention_grace_ms=10 * 86_400_000)
    me.inbox.roll_back(noon)
    assert bodies(me, contexts=["general", "work"]) == ["Likes coffee"]
    assert me.show(work)[0].lifecycle.value == "paused"


# --- sessions --------------------------------------------------------------------------------------------------------


def test_an_answer_of_a_session_does_not_bring_back_what_was_forgotten(iris: Iris) -> None:
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", terms=TERMS)
    batch = [
        Statement(body="Call my sister first", scope=CrisisScope(user_id="ada", session_id="s1")),
        Statement(body="Likes tea", scope=SESSION),
    ]
    first = me.remember_many(batch, idempotency_key="k1")
    stored = written(first[0]).entry.logical_id
    assert (written(first[0]).mode, written(first[1]).mode) == ("durable", "ephemeral")
    me.forget(stored)
    again = me.remember_many(batch, idempotency_key="k1")
    assert refused(again[0]).reason is RefusalReason.UNKNOWN_MEMORY
    assert written(again[1]).entry.body == "Likes tea"


def test_answers_of_a_session_are_bounded_and_go_with_their_words(
    iris: Iris, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iris_memory.flows.volatile.EPHEMERAL_MEMORIES_MOST", 4)
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", terms=TERMS)
    for number in range(12):
        me.remember(f"Fact number {number}", scope=SESSION, idempotency_key=f"k{number}")
    known = next(one for one in iris.instruments.people.known() if one.user_id == "ada")
    (held,) = iris.instruments.people.sessions.of(known)
    assert len(held.answers) == len(held.memories) == 4
    assert {one.entry.logical_id for _, told in held.answers.values() for one in told} == set(held.memories)  # type: ignore[union-attr]
