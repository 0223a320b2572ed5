"""Changes of scope: every pair of kinds by the table, consent of the target, the ladder there, and read-only copies."""

from __future__ import annotations

import csv
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, asked, chain, person, refused, sound, written
from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import (
    Label,
    Lifecycle,
    MemoryEntry,
    Origin,
    ProvenanceKind,
    ProvenanceLink,
    QuarantineReason,
)
from iris_memory.contracts.scope import (
    DEFAULT_ADAPTER,
    AdapterScope,
    CrisisScope,
    NotebookScope,
    OperatorCopilotScope,
    PoseScope,
    ProfileScope,
    SceneScope,
    Scope,
    ScopeKind,
    SessionScope,
    TenantScope,
)
from iris_memory.contracts.write import Refused, Statement
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.composing import quarantined
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.scope_change import decide
from iris_memory.tables.scope_changes import SCOPE_CHANGES, Passage, ScopeChangeCell
from reference.worlds import NOW
from words import stands_in

PROFILE = ProfileScope(user_id="ada")
SESSION = SessionScope(user_id="ada", session_id="s1")
NOTEBOOK = NotebookScope(user_id="ada", notebook_id="trips")
TENANT = TenantScope(tenant_id="acme", user_id="ada")
SCOPES: dict[ScopeKind, Scope] = {
    ScopeKind.PROFILE: PROFILE,
    ScopeKind.SESSION: SESSION,
    ScopeKind.NOTEBOOK: NOTEBOOK,
    ScopeKind.OPERATOR_COPILOT: OperatorCopilotScope(tenant_id="acme", operator_id="ada"),
    ScopeKind.TENANT: TENANT,
    ScopeKind.SCENE: SceneScope(user_id="ada", session_id="s1", scene_id="c", room_id="r"),
    ScopeKind.POSE: PoseScope(user_id="ada", session_id="s1", scene_id="c", pose_id="p"),
    ScopeKind.CRISIS: CrisisScope(user_id="ada", session_id="s1"),
}
OTHERS: dict[ScopeKind, Scope] = {
    **SCOPES,
    ScopeKind.SESSION: SessionScope(user_id="ada", session_id="s2"),
    ScopeKind.NOTEBOOK: NotebookScope(user_id="ada", notebook_id="other"),
}
PAGE = Path(__file__).parents[2] / "docs" / "spec" / "tables" / "scope_changes.csv"


def entry_in(scope: Scope, **more: object) -> MemoryEntry:
    fields: dict[str, object] = {
        "id": "e",
        "logical_id": "l",
        "tenant_id": "acme",
        "user_id": "ada",
        "scope": scope,
        "adapter_scope": DEFAULT_ADAPTER[scope.kind],
        "category": Category.FACT,
        "body": "likes tea",
        "origin": Origin.USER_STATED,
        "label": Label.USER_TYPED,
        "provenance_chain": (
            ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref="x", captured_at=NOW, label=Label.USER_TYPED),
        ),
        "created_at": NOW,
        "updated_at": NOW,
    }
    return MemoryEntry(**{**fields, **more})  # type: ignore[arg-type]


def as_written(cell: ScopeChangeCell) -> str:
    if cell.passage is None:
        assert cell.refused is not None
        return "no" if cell.refused is R.SCOPE_CHANGE_NOT_ALLOWED else cell.refused.value
    assert cell.refused is None
    assert cell.provenance is not None
    return f"{cell.passage.value} {cell.provenance.value}"


def test_every_cell_is_the_specification_s() -> None:
    with PAGE.open(encoding="utf-8", newline="") as lines:
        by_hand = {row.pop("source"): row for row in csv.DictReader(lines)}
    assert set(by_hand) == set(ScopeKind)
    for source, target in product(ScopeKind, ScopeKind):
        assert as_written(SCOPE_CHANGES[source, target]) == by_hand[source][target], (source, target)


@pytest.mark.parametrize("pair", sorted(product(ScopeKind, ScopeKind)), ids=lambda pair: f"{pair[0]}-{pair[1]}")
def test_every_pair_is_decided_by_its_cell(pair: tuple[ScopeKind, ScopeKind]) -> None:
    source, target = pair
    entry, cell = entry_in(SCOPES[source]), SCOPE_CHANGES[pair]
    to = OTHERS[target]
    for read_only in (False, True):
        decided = decide(entry, to, DEFAULT_ADAPTER[target], read_only=read_only)
        if (entry.scope, entry.adapter_scope) == (to, DEFAULT_ADAPTER[target]):
            assert isinstance(decided, Refused)
            assert decided.reason is R.SCOPE_UNCHANGED
        elif cell.passage is None:
            assert isinstance(decided, Refused)
            assert decided.reason is cell.refused
        elif (cell.passage is Passage.COPY) is read_only:
            assert decided == cell
        else:
            assert isinstance(decided, Refused)
            assert decided.reason is (
                R.TENANT_MEMORY_STAYS if source is ScopeKind.TENANT else R.SCOPE_CHANGE_NOT_ALLOWED
            )


def test_nothing_leaves_an_operator_s_copilot_and_no_tenant_memory_is_moved() -> None:
    for target in ScopeKind:
        assert SCOPE_CHANGES[ScopeKind.OPERATOR_COPILOT, target].passage is None
        assert SCOPE_CHANGES[ScopeKind.TENANT, target].passage is not Passage.MOVE


def test_only_what_is_active_moves() -> None:
    for entry in (
        entry_in(SESSION, lifecycle=Lifecycle.DRAFT),
        entry_in(SESSION, lifecycle=Lifecycle.PAUSED),
        quarantined(entry_in(SESSION), QuarantineReason.REPORTED_WRONG, now=NOW),
    ):
        assert refused(decide(entry, PROFILE, AdapterScope.ASSISTANT_PROFILE, read_only=False)).reason is R.NOT_ACTIVE


# --- through a store


def test_a_memory_of_a_session_becomes_one_of_the_profile(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    first = written(me.remember("Likes the window seat", scope=SESSION, subject="seat")).entry
    assert first.expires_at == first.created_at + DAY
    clock.step()
    moved = written(me.change_scope(first.logical_id, PROFILE))
    entry = moved.entry
    assert moved.replaced == first.id
    assert (entry.logical_id, entry.revision, entry.supersedes) == (first.logical_id, 2, first.id)
    assert (entry.scope, entry.adapter_scope) == (PROFILE, AdapterScope.ASSISTANT_PROFILE)
    assert entry.expires_at is None
    assert entry.provenance_chain[0].kind is ProvenanceKind.PROFILE_PROMOTION
    assert entry.provenance_chain[0].ref == f"session/{first.id}"
    assert entry.provenance_chain[1:] == first.provenance_chain
    assert entry.label is first.label
    assert [hit.entry.id for hit in me.recall("seat").hits] == [entry.id]
    event = chain(iris)[-2] if chain(iris)[-1]["action"] != "memory.scope.changed" else chain(iris)[-1]
    assert (event["action"], event["from"], event["to"]) == ("memory.scope.changed", "session", "profile")
    assert event["object_ids"] == [entry.id]
    assert not stands_in("seat", str(chain(iris)))
    sound(iris)


def test_a_move_to_a_notebook_is_an_attachment_and_keeps_the_end_that_was_asked_for(
    me: PersonMemory, clock: SteppingClock
) -> None:
    ends = clock.now() + timedelta(hours=3)
    for scope in (SESSION, PROFILE):
        first = written(me.remember(f"Packs light in {scope.kind}", scope=scope, expires_at=ends)).entry
        entry = written(me.change_scope(first.logical_id, NOTEBOOK)).entry
        assert entry.provenance_chain[0].kind is ProvenanceKind.NOTEBOOK_ATTACHMENT
        assert entry.expires_at == ends
        assert entry.created_at == first.created_at


def test_a_move_needs_the_consents_of_the_target(iris: Iris) -> None:
    me = person(iris)
    first = written(me.remember("Likes tea", scope=SESSION)).entry
    me.opt_out("notebooks")
    assert refused(me.change_scope(first.logical_id, NOTEBOOK)).reason is R.OPTED_OUT
    me.opt_out("personalization")
    assert refused(me.change_scope(first.logical_id, PROFILE)).reason is R.OPTED_OUT
    assert refused(me.change_scope(first.logical_id, PROFILE, adapter_scope="domain")).reason is not None
    me.opt_out()
    assert refused(me.change_scope(first.logical_id, PROFILE, adapter_scope="domain")).needs == ("personalization",)
    me.consent.revoke("data_storage")
    assert not written_or_refused_written(me, first.logical_id)
    assert me.show(first.logical_id)[0].id == first.id


def written_or_refused_written(me: PersonMemory, logical_id: str) -> bool:
    """Say whether a move to the profile was written."""
    return not isinstance(me.change_scope(logical_id, PROFILE), Refused)


def test_a_sensitive_memory_moves_only_under_its_consent(iris: Iris) -> None:
    me = person(iris, consents=["category:medical"])
    first = written(me.remember("Takes statins", category="medical", scope=SESSION)).entry
    assert written(me.change_scope(first.logical_id, PROFILE)).entry.consents == first.consents
    second = written(me.remember("Had an MRI scan", category="medical", scope=SESSION)).entry
    me.pause()
    assert refused(me.change_scope(second.logical_id, PROFILE)).reason is R.OFF_THE_RECORD


def test_a_move_names_the_revision_that_was_seen(me: PersonMemory) -> None:
    first = written(me.remember("Likes tea", scope=SESSION)).entry
    me.revise(first.logical_id, "Likes green tea")
    assert refused(me.change_scope(first.logical_id, PROFILE, expected=first.id)).reason is R.STALE_REVISION


def test_what_is_no_target_is_no_move(me: PersonMemory) -> None:
    first = written(me.remember("Likes tea", scope=SESSION)).entry
    foreign = refused(me.change_scope(first.logical_id, ProfileScope(user_id="bob")))
    assert foreign.reason is R.SCOPE_NOT_OF_SUBJECT
    with pytest.raises(ContractError):
        me.change_scope(first.logical_id, NOTEBOOK, adapter_scope="session")
    with pytest.raises(ContractError):
        me.change_scope(first.logical_id, "profile:ada")  # type: ignore[arg-type]
    with pytest.raises(UnknownMemoryError):
        me.change_scope("nobody", PROFILE)


def test_another_person_s_memory_cannot_be_moved(iris: Iris, me: PersonMemory) -> None:
    first = written(me.remember("Likes tea", scope=SESSION)).entry
    bob = person(iris, "bob")
    with pytest.raises(UnknownMemoryError):
        bob.change_scope(first.logical_id, ProfileScope(user_id="bob"))


# --- the ladder in the target


def test_the_person_s_own_words_against_their_own_are_asked_about_and_nothing_moves(me: PersonMemory) -> None:
    there = written(me.remember("Window", subject="seat")).entry
    here = written(me.remember("Aisle", subject="seat", scope=SESSION)).entry
    question = asked(me.change_scope(here.logical_id, PROFILE))
    assert question.conflicting_id == there.logical_id
    assert me.show(here.logical_id)[0].scope == SESSION
    assert me.show(there.logical_id)[0].body == "Window"


def test_what_weighs_more_in_the_target_stays(me: PersonMemory) -> None:
    written(me.remember("Window", subject="seat"))
    here = written(
        me.remember("Aisle", subject="seat", scope=SESSION, origin="model-inferred", label="assistant")
    ).entry
    kept = refused(me.change_scope(here.logical_id, PROFILE))
    assert kept.reason is R.CONFLICT_KEPT_EXISTING
    assert me.show(here.logical_id)[0].id == here.id


def test_what_weighs_less_in_the_target_takes_the_words_and_the_moved_memory_ends(me: PersonMemory) -> None:
    there = written(me.remember("Window", subject="seat", origin="model-inferred", label="assistant")).entry
    here = written(me.remember("Aisle", subject="seat", scope=SESSION)).entry
    stands = written(me.change_scope(here.logical_id, PROFILE)).entry
    assert (stands.logical_id, stands.body, stands.revision) == (there.logical_id, "Aisle", 2)
    with pytest.raises(UnknownMemoryError):
        me.show(here.logical_id)
    assert [hit.entry.body for hit in me.recall("aisle").hits] == ["Aisle"]


def test_the_same_words_in_the_target_are_one_memory(me: PersonMemory) -> None:
    there = written(me.remember("Window", subject="seat")).entry
    here = written(me.remember("window", subject="seat", scope=SESSION)).entry
    assert written(me.change_scope(here.logical_id, PROFILE)).entry.id == there.id
    assert {entry.logical_id for entry in me.list().entries} == {there.logical_id}


# --- read-only copies


@pytest.fixture
def customer(iris: Iris, clock: SteppingClock) -> PersonMemory:
    """Ada, whose tenant may keep memory about her for the next year."""
    me = person(iris, consents=["tenant_processing"])
    iris.approve_scope(
        tenant="acme",
        adapter_scope="tenant",
        approver="dpo",
        reason="contract",
        expires_at=clock.now() + 300 * DAY,
    )
    return me


def kept_by_tenant(me: PersonMemory, body: str = "Badge seven", subject: str | None = "badge") -> MemoryEntry:
    return written(me.remember(Statement(body=body, subject=subject, scope=TENANT))).entry


def test_a_copy_of_a_tenant_s_memory_is_read_only_and_stays_under_the_tenant_s_policy(
    iris: Iris, customer: PersonMemory
) -> None:
    source = kept_by_tenant(customer)
    assert refused(customer.change_scope(source.logical_id, PROFILE)).reason is R.TENANT_MEMORY_STAYS
    copy = written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry
    assert (copy.scope, copy.adapter_scope) == (PROFILE, AdapterScope.TENANT)
    assert (copy.body, copy.label, copy.origin, copy.expires_at) == (
        source.body,
        source.label,
        source.origin,
        source.expires_at,
    )
    assert copy.provenance_chain[0].ref == f"copy-of/{source.logical_id}/{source.id}"
    assert written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry == copy
    assert customer.show(source.logical_id)[0].id == source.id
    assert [hit.entry.id for hit in customer.recall("badge").hits] == [copy.id]
    for change in ({"body": "Badge eight"}, {"subject": "number"}, {"category": "work"}):
        assert refused(customer.revise(copy.logical_id, **change)).reason is R.READ_ONLY_COPY
    for target in (NOTEBOOK, SESSION, TENANT):
        assert refused(customer.change_scope(copy.logical_id, target)).reason is R.READ_ONLY_COPY
    customer.consent.revoke("tenant_processing")
    assert customer.recall("badge").hits == ()
    sound(iris)


def test_a_copy_follows_its_source(open_iris: OpenIris, iris: Iris, customer: PersonMemory) -> None:
    source = kept_by_tenant(customer)
    copy = written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry
    written(customer.revise(source.logical_id, "Badge eight"))
    followed = customer.show(copy.logical_id)[0]
    assert (followed.body, followed.revision) == ("Badge eight", 2)
    iris.close()
    again = open_iris().for_user(tenant="acme", user="ada")
    assert again.show(copy.logical_id)[0].body == "Badge eight"


def test_a_copy_ends_with_its_source(iris: Iris, customer: PersonMemory) -> None:
    source = kept_by_tenant(customer)
    copy = written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry
    assert customer.preview_forget(source.logical_id).reached["read-only copies"] == 1
    receipt = customer.forget(source.logical_id)
    assert receipt.residue is not None
    assert receipt.residue.found == {}
    with pytest.raises(UnknownMemoryError):
        customer.show(copy.logical_id)
    assert customer.list().total == 0
    sound(iris)


def test_a_copy_may_end_alone_and_be_made_again(customer: PersonMemory) -> None:
    source = kept_by_tenant(customer)
    copy = written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry
    customer.forget(copy.logical_id, scan=False)
    assert customer.show(source.logical_id)[0].id == source.id
    again = written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry
    assert again.logical_id != copy.logical_id


def test_a_copy_takes_nobody_s_slot_and_gives_its_own_to_nobody(customer: PersonMemory) -> None:
    source = kept_by_tenant(customer)
    copy = written(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True)).entry
    own = written(customer.remember("Badge nine", subject="badge")).entry
    assert own.logical_id != copy.logical_id
    assert customer.show(copy.logical_id)[0].body == "Badge seven"
    customer.forget(copy.logical_id, scan=False)
    met = refused(customer.change_scope(source.logical_id, PROFILE, read_only_copy=True))
    assert met.reason is R.CONFLICT_KEPT_EXISTING


def test_a_copy_needs_the_consents_of_the_profile_and_of_the_tenant(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["tenant_processing"])
    iris.approve_scope(
        tenant="acme", adapter_scope="tenant", approver="dpo", reason="pilot", expires_at=clock.now() + DAY
    )
    source = kept_by_tenant(me)
    me.opt_out("personalization")
    assert refused(me.change_scope(source.logical_id, PROFILE, read_only_copy=True)).reason is R.OPTED_OUT
    me.opt_out()
    me.consent.deny("tenant_processing", terms="t")
    assert me.recall("badge").hits == ()
