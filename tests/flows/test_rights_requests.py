"""Data rights through a store: each kind carried out, who asks proved, words dropped, and what outlives the person."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, actions, bodies, chain, person, remembered, sound, written
from iris_memory.contracts.rights import (
    RightsFact,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsState,
    VerificationMethod,
)
from iris_memory.contracts.scope import SessionScope
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows import tend
from iris_memory.flows.fulfil import fingerprint_of
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk
from words import stands_in

GRACE_MS = 5 * 86_400_000


def ok(done: RightsRequest | RightsRefused) -> RightsRequest:
    assert isinstance(done, RightsRequest), done
    return done


def why(done: object) -> RightsRefusal:
    assert isinstance(done, RightsRefused), done
    return done.reason


@pytest.fixture
def desk(iris: Iris) -> RightsDesk:
    return iris.rights_desk("acme")


def verified(me: PersonMemory, desk: RightsDesk, kind: str, **wishes: object) -> str:
    """Submit a request and have it verified by an operator and a declaration."""
    request = me.rights.submit(kind, **wishes)
    ok(desk.sign_off(request.request_id, "operator-signoff", actor="op-0", declared=True))
    assert me.rights.show(request.request_id).state is RightsState.VERIFIED
    return request.request_id


def test_an_access_request_is_answered_and_changes_nothing(me: PersonMemory, desk: RightsDesk, iris: Iris) -> None:
    written(me.remember("Likes green tea", category="preference"))
    me.recall("tea")
    me.opt_out("history")
    iris.flush()
    before = [(entry.id, entry.revision) for entry in me.list().entries]
    name = verified(me, desk, "access", regime="gdpr")
    assert why(me.rights.answer(name)) is RightsRefusal.NOT_ALLOWED_FROM_STATE  # type: ignore[arg-type]
    done = ok(desk.fulfil(name, actor="op-1"))
    assert done.state is RightsState.COMPLETED
    assert done.result is not None
    assert done.result.counts == {"memories": 1, "consents": 2}
    told = me.rights.answer(name)
    assert not isinstance(told, RightsRefused)
    assert [entry.body for entry in told.memories] == ["Likes green tea"]
    assert [use.reference_count for use in told.uses] == [1]
    assert len(told.uses[0].recent) == 1
    assert [event.type for event in told.consents] == ["data_processing", "data_storage"]
    assert told.opt_outs == ("history",)
    assert told.holdings["entries"] == 1
    assert told.holdings["records: consent"] == 2
    assert told.information.sources == {"user-typed": 1}
    assert told.information.retention
    assert told.information.recipients
    assert [(entry.id, entry.revision) for entry in me.list().entries] == before


def test_an_answer_is_read_for_thirty_days(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    name = verified(me, desk, "access")
    ok(desk.fulfil(name, actor="op-1"))
    clock.step(30 * DAY - timedelta(seconds=1))
    assert not isinstance(me.rights.answer(name), RightsRefused)
    clock.step()
    assert why(me.rights.answer(name)) is RightsRefusal.DEADLINE_PASSED


def test_a_scope_narrows_an_answer(me: PersonMemory, desk: RightsDesk) -> None:
    written(me.remember("Likes green tea"))
    name = verified(me, desk, "access", scopes=["notebook"])
    ok(desk.fulfil(name, actor="op-1"))
    told = me.rights.answer(name)
    assert not isinstance(told, RightsRefused)
    assert told.memories == ()


def test_a_hard_deletion_destroys_and_binds_the_ids(me: PersonMemory, desk: RightsDesk, iris: Iris) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    gin = written(me.remember("Likes gin", category="preference")).entry.logical_id
    written(me.remember("Works at night", category="work"))
    name = verified(me, desk, "delete", categories=["preference"])
    done = ok(desk.fulfil(name, actor="op-1"))
    assert done.state is RightsState.COMPLETED
    assert done.result is not None
    assert done.result.fingerprint == fingerprint_of([tea, gin])
    assert done.result.receipt_id in {receipt.receipt_id for receipt in iris.receipts(tenant="acme")}
    assert remembered(me) == {"Works at night"}
    sound(iris)


def test_the_reach_of_a_deletion_is_what_it_then_destroys(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    for words in ("Flies to Rome on 12 May.", "Met an old friend.", "Booked 3 nights."):
        written(me.remember(words, scope=SessionScope(user_id="ada", session_id="lisbon")))
    written(me.remember("Works at night", category="work"))
    clock.step(DAY)
    assert iris.sweep().summaries == 1
    before = me.list().total
    name = verified(me, desk, "delete", scopes=["session"])
    reach = me.rights.reach(name)
    assert me.list().total == before
    done = ok(desk.fulfil(name, actor="op-1"))
    assert done.result is not None
    assert done.result.counts["memories"] == reach.memories == before - me.list().total > 0
    with pytest.raises(ContractError, match="only a deletion"):
        me.rights.reach(me.rights.submit("access").request_id)
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="bob").rights.reach(name)


def test_a_soft_deletion_can_be_taken_back_within_its_grace(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    written(me.remember("Likes tea", category="preference"))
    name = verified(me, desk, "delete", mode="soft", categories=["preference"], retention_grace_ms=GRACE_MS)
    waiting = ok(desk.fulfil(name, actor="op-1"))
    assert waiting.state is RightsState.IN_PROGRESS
    assert waiting.grace_ends_at == clock.now() + 5 * DAY < waiting.deadline
    assert bodies(me, "tea") == []
    assert [entry.lifecycle.value for entry in me.list().entries] == ["paused"]
    clock.step(5 * DAY - timedelta(seconds=1))
    tend.hourly(iris.instruments)
    back = ok(me.rights.reactivate(name))
    assert back.state is RightsState.CANCELLED
    assert RightsFact.REACTIVATED in [event.event for event in back.trail]
    assert bodies(me, "tea") == ["Likes tea"]
    clock.step(3 * DAY)
    tend.hourly(iris.instruments)
    assert bodies(me, "tea") == ["Likes tea"]
    sound(iris)


def test_a_soft_deletion_is_purged_by_the_sweep_before_its_deadline(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    name = verified(me, desk, "delete", mode="soft", categories=["preference"], retention_grace_ms=GRACE_MS)
    ok(desk.fulfil(name, actor="op-1"))
    assert why(desk.deny(name, actor="op-1", ground="excessive", legal_reference="x"))
    assert why(desk.complete(name, actor="op-1", result_fingerprint="ab" * 16))
    kept = written(me.remember("Likes rum", category="preference")).entry.logical_id
    clock.step(5 * DAY)
    assert why(me.rights.reactivate(name)) is RightsRefusal.GRACE_OVER
    assert why(me.rights.cancel(name)) is RightsRefusal.GRACE_OVER
    tend.hourly(iris.instruments)
    done = me.rights.show(name)
    assert done.state is RightsState.COMPLETED
    assert done.trail[-1].at < done.deadline
    assert done.result is not None
    assert done.result.fingerprint == fingerprint_of([tea])
    assert {entry.logical_id for entry in me.list().entries} == {kept}
    sound(iris)


def test_a_late_start_shortens_the_grace(me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock) -> None:
    written(me.remember("Likes tea", category="preference"))
    name = verified(me, desk, "delete", mode="soft", categories=["preference"], retention_grace_ms=GRACE_MS)
    clock.step(27 * DAY)
    waiting = ok(desk.fulfil(name, actor="op-1"))
    assert waiting.grace_ends_at == waiting.deadline - DAY
    clock.step(2 * DAY)
    tend.hourly(iris.instruments)
    assert me.rights.show(name).state is RightsState.COMPLETED


def test_purging_consents_is_not_claimed(me: PersonMemory, desk: RightsDesk) -> None:
    name = verified(me, desk, "delete", categories=["preference"], purge_consent_ledger=True)
    done = desk.fulfil(name, actor="op-1")
    if isinstance(done, RightsRefused):  # where this deletion cannot purge the ledger, it says so
        assert done.reason is RightsRefusal.NO_FULFILMENT


def test_a_correction_keeps_no_words_in_the_request(me: PersonMemory, desk: RightsDesk, open_iris: OpenIris) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry
    name = verified(me, desk, "rectify", logical_id=tea.logical_id, body="Likes coffee")
    done = ok(desk.fulfil(name, actor="op-1"))
    assert done.result is not None
    assert done.result.before == tea.id
    assert done.result.after == me.list().entries[0].id
    assert "coffee" not in done.model_dump_json()
    assert "coffee" not in me.rights.show(name).model_dump_json()
    assert bodies(me) == ["Likes coffee"]


def test_a_correction_that_is_refused_waits_with_its_reason(me: PersonMemory, desk: RightsDesk) -> None:
    tea = written(me.remember("Likes tea")).entry
    name = verified(me, desk, "rectify", logical_id=tea.logical_id, category="medical")
    assert why(desk.fulfil(name, actor="op-1")) is RightsRefusal.FULFILMENT_REFUSED
    assert me.rights.show(name).state is RightsState.IN_PROGRESS
    with pytest.raises(UnknownMemoryError):
        me.rights.submit("rectify", logical_id="nothing", body="x")


def test_a_restriction_keeps_and_recalls_nothing_until_it_is_lifted(me: PersonMemory, desk: RightsDesk) -> None:
    written(me.remember("Likes tea", category="preference"))
    written(me.remember("Works at night", category="work"))
    name = verified(me, desk, "restrict", categories=["preference"])
    done = ok(desk.fulfil(name, actor="op-1"))
    assert done.result is not None
    assert done.result.counts == {"memories": 1}
    found = me.recall("tea")
    assert [hit.entry.body for hit in found.hits] == ["Works at night"]
    assert found.audit_envelope.suppression_counts == {"user-pause": 1}
    assert remembered(me) == {"Likes tea", "Works at night"}
    lifted = ok(me.rights.lift_restriction(name))
    assert lifted.state is RightsState.COMPLETED
    assert set(bodies(me)) == {"Likes tea", "Works at night"}


def test_objecting_and_withdrawing_reach_the_ledger(me: PersonMemory, desk: RightsDesk) -> None:
    me.opt_out("history")
    objection = me.rights.submit("opt-out", purposes=["personalization"])
    assert ok(me.rights.verify(objection.request_id)).state is RightsState.VERIFIED  # the session is enough
    ok(desk.fulfil(objection.request_id, actor="op-1"))
    assert me.opt_outs() == {"history", "personalization"}
    withdrawal = me.rights.submit("withdraw-consent", consents=["data_storage", "personalization"])
    ok(me.rights.verify(withdrawal.request_id))
    done = ok(desk.fulfil(withdrawal.request_id, actor="op-1"))
    assert done.result is not None
    assert done.result.counts == {"consents": 1}
    assert me.consent.active() == {"data_processing"}
    with pytest.raises(ContractError, match="consents"):
        me.rights.submit("withdraw-consent", consents=["no-such-consent"])


def test_an_export_is_completed_with_its_fingerprint(me: PersonMemory, desk: RightsDesk) -> None:
    name = verified(me, desk, "port-to", format="ndjson", delivery_channel="api", include_scene_memory=True)
    ok(desk.start(name, actor="op-1"))
    assert why(desk.complete(name, actor="op-1")) is RightsRefusal.FINGERPRINT_MISSING
    assert ok(desk.complete(name, actor="op-1", result_fingerprint="cd" * 32)).state is RightsState.COMPLETED


# --- who asks --------------------------------------------------------------------------------------------------------


def test_a_challenge_works_once_and_its_secret_is_nowhere(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    name = me.rights.submit("access").request_id
    sent = desk.challenge(name, "email-link")
    assert not isinstance(sent, RightsRefused)
    assert len(sent.secret) == 64
    assert why(me.rights.verify(name, "email-link", secret="0" * 64)) is RightsRefusal.PROOF_NOT_ACCEPTED
    assert why(me.rights.verify(name, "phone-otp", secret=sent.secret)) is RightsRefusal.PROOF_NOT_ACCEPTED
    assert ok(me.rights.verify(name, "email-link", secret=sent.secret)).state is RightsState.VERIFIED
    again = me.rights.submit("access", scopes=["notebook"]).request_id
    assert why(me.rights.verify(again, "email-link", secret=sent.secret)) is RightsRefusal.PROOF_NOT_ACCEPTED
    assert sent.secret not in str(chain(iris))
    files = [*iris.instruments.store.files(), *iris.instruments.vault.files()]
    iris.close()
    assert all(sent.secret.encode() not in file.read_bytes() for file in files if file.exists())


def test_a_used_secret_proves_nothing_more(me: PersonMemory, desk: RightsDesk) -> None:
    me.consent.grant("category:medical", terms="x")
    written(me.remember("Takes statins", category="medical"))
    name = me.rights.submit("access").request_id
    sent = desk.challenge(name, "phone-otp")
    assert not isinstance(sent, RightsRefused)
    assert len(sent.secret) == 8
    assert ok(me.rights.verify(name, "phone-otp", secret=sent.secret)).state is RightsState.SUBMITTED
    assert why(me.rights.verify(name, "phone-otp", secret=sent.secret)) is RightsRefusal.PROOF_NOT_ACCEPTED
    assert len(me.rights.show(name).proofs) == 1


def test_attempts_and_challenges_are_limited_and_expire(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    name = me.rights.submit("access").request_id
    sent = desk.challenge(name, "phone-otp")
    assert not isinstance(sent, RightsRefused)
    for _ in range(5):
        assert why(me.rights.verify(name, "phone-otp", secret="x")) is RightsRefusal.PROOF_NOT_ACCEPTED
    assert why(me.rights.verify(name, "phone-otp", secret=sent.secret)) is RightsRefusal.TOO_MANY_ATTEMPTS
    for _ in range(4):
        assert not isinstance(desk.challenge(name, "phone-otp"), RightsRefused)
    assert why(desk.challenge(name, "phone-otp")) is RightsRefusal.TOO_MANY_ATTEMPTS
    late = desk.challenge(name, "email-link")
    assert not isinstance(late, RightsRefused)
    clock.step(DAY)
    assert why(me.rights.verify(name, "email-link", secret=late.secret)) is RightsRefusal.PROOF_NOT_ACCEPTED
    with pytest.raises(ContractError):
        desk.challenge(name, "session-token")
    with pytest.raises(ContractError):
        desk.sign_off(name, "email-link", actor="op")


@pytest.mark.parametrize("method", [VerificationMethod.OPERATOR_SIGNOFF, VerificationMethod.COURT_ORDER])
def test_the_person_cannot_sign_off_themself(me: PersonMemory, method: VerificationMethod) -> None:
    name = me.rights.submit("access").request_id
    assert why(me.rights.verify(name, method, declared=True)) is RightsRefusal.PROOF_NOT_ACCEPTED


def test_an_old_session_is_not_a_step_up(me: PersonMemory, clock: SteppingClock) -> None:
    name = me.rights.submit("access").request_id
    old = ok(me.rights.verify(name, signed_in_at=clock.now() - timedelta(minutes=6)))
    assert old.state is RightsState.SUBMITTED
    assert ok(me.rights.verify(name, signed_in_at=clock.now())).state is RightsState.VERIFIED


def test_unverified_requests_close_in_the_sweep(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    """DSR-4."""
    name = me.rights.submit("access").request_id
    clock.step(7 * DAY - timedelta(seconds=1))
    tend.hourly(iris.instruments)
    assert me.rights.show(name).state is RightsState.SUBMITTED
    clock.step()
    tend.hourly(iris.instruments)
    closed = me.rights.show(name)
    assert closed.state is RightsState.EXPIRED
    assert closed.notices[-1].about is RightsState.EXPIRED
    assert [row.state for row in desk.list()] == [RightsState.EXPIRED]
    assert desk.list(open_only=True) == []


# --- the desk --------------------------------------------------------------------------------------------------------


def test_the_desk_sees_no_content_and_no_name(me: PersonMemory, desk: RightsDesk, iris: Iris) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    me.rights.submit("rectify", logical_id=tea, body="Likes coffee")
    (row,) = desk.list()
    text = row.model_dump_json()
    assert not any(stands_in(words, text) for words in ("ada", "coffee", tea))
    found = iris.instruments.people.find("acme", "ada")
    assert found is not None
    assert row.person == found.person
    event = chain(iris)[-1]
    assert event["action"] == "rights.request.changed"
    assert not any(stands_in(words, event) for words in ("ada", "coffee", tea))


def test_requests_due_first_and_overdue_are_marked(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    slow = verified(me, desk, "access", regime="ccpa")
    quick = verified(me, desk, "access", regime="lgpd", scopes=["session"])
    assert [row.request_id for row in desk.list()] == [quick, slow]
    clock.step(16 * DAY)
    assert [row.overdue for row in desk.list()] == [True, False]


def test_a_denial_and_its_appeal(me: PersonMemory, desk: RightsDesk) -> None:
    name = verified(me, desk, "access")
    denied = ok(desk.deny(name, actor="op-1", ground="manifestly-unfounded", legal_reference="GDPR Art. 12(5)(b)"))
    assert denied.state is RightsState.FAILED
    assert ok(me.rights.appeal(name, reason="it is founded")).state is RightsState.APPEALED
    own = desk.decide_appeal(name, actor="op-1", overturned=False, reason="no")
    assert why(own) is RightsRefusal.OWN_DECISION
    again = ok(desk.decide_appeal(name, actor="op-2", overturned=True, reason="it is"))
    assert again.state is RightsState.IN_PROGRESS
    assert ok(desk.fulfil(name, actor="op-3")).state is RightsState.COMPLETED
    assert why(me.rights.appeal(name, reason="more")) is RightsRefusal.ALREADY_APPEALED


def test_the_same_request_twice_is_a_duplicate(me: PersonMemory, desk: RightsDesk) -> None:
    first = me.rights.submit("access")
    second = me.rights.submit("access")
    assert (second.state, second.duplicate_of) == (RightsState.CANCELLED, first.request_id)
    assert me.rights.submit("access", scopes=["notebook"]).state is RightsState.SUBMITTED
    ok(me.rights.cancel(first.request_id))
    assert me.rights.submit("access").state is RightsState.SUBMITTED
    assert [request.request_id for request in me.rights.list()][:2] == [first.request_id, second.request_id]


def test_requests_of_others_look_like_none(me: PersonMemory, iris: Iris, desk: RightsDesk) -> None:
    name = me.rights.submit("access").request_id
    eve = person(iris, "eve")
    stranger = iris.for_user(tenant="acme", user="nobody-yet")
    for other in (eve, stranger):
        assert other.rights.list() == []
        for act in (other.rights.show, other.rights.cancel, other.rights.reactivate, other.rights.verify):
            with pytest.raises(UnknownMemoryError):
                act(name)
    with pytest.raises(UnknownMemoryError):
        iris.rights_desk("globex").start(name, actor="op")
    assert iris.rights_desk("globex").list() == []
    assert iris.instruments.people.find("acme", "nobody-yet") is None


@pytest.mark.parametrize("actor", ["subject", "system", "", "\x00"])
def test_an_actor_is_an_operator(desk: RightsDesk, actor: str) -> None:
    with pytest.raises(ContractError):
        desk.start("any", actor=actor)


def test_what_outlives_the_person_is_a_fact_without_a_name(me: PersonMemory, desk: RightsDesk, iris: Iris) -> None:
    done = verified(me, desk, "delete", categories=["work"])
    ok(desk.fulfil(done, actor="op-1"))
    waiting = verified(me, desk, "access")
    me.erase(scan=False)
    rows = {row.request_id: row for row in desk.list()}
    assert rows[done].result_fingerprint == fingerprint_of([])
    assert all(row.person_erased_at is not None and row.closed_at is not None for row in rows.values())
    assert why(desk.fulfil(waiting, actor="op-1")) is RightsRefusal.REQUESTER_ERASED
    assert me.rights.list() == []
    assert "rights.request.changed" in actions(iris)
    sound(iris)


def test_requests_survive_a_restart(me: PersonMemory, iris: Iris, open_iris: OpenIris) -> None:
    request = me.rights.submit("access", regime="gdpr")
    iris.close()
    again = open_iris().for_user(tenant="acme", user="ada")
    assert again.rights.show(request.request_id) == request
