"""Ephemeral memory: it lives in its session, obeys every gate, and no file ever holds a byte of it."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.stores import (
    DAY,
    TERMS,
    OpenIris,
    SteppingClock,
    chain,
    open_store,
    person,
    refused,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink, TombstoneReason
from iris_memory.contracts.scope import SessionScope
from iris_memory.contracts.write import ActorMention, Statement
from iris_memory.errors import IdempotencyConflictError, UnknownMemoryError
from iris_memory.flows.register import probe
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.storage.sqlite.connection import rows_of
from iris_memory.tables.limits import EPHEMERAL_IDLE, EPHEMERAL_LIFETIME, EPHEMERAL_MEMORIES_MOST

CANARY = "Kanarienvogel singt um Mitternacht"
SESSION = SessionScope(user_id="ada", session_id="s1")


@pytest.fixture
def she(iris: Iris) -> PersonMemory:
    """Ada, who agreed to processing and not to storage, in a session."""
    me = iris.for_user(tenant="acme", user="ada", session="s1")
    me.consent.grant("data_processing", "category:medical", terms=TERMS)
    return me


def balanced(me: PersonMemory, text: str = "", **more: Any) -> list[str]:
    """Return the words of a recall whose account adds up."""
    found = me.recall(text, **more)
    told = found.audit_envelope
    assert told.evaluated_count == (
        len(told.returned_ids)
        + sum(told.suppression_counts.values())
        + told.deduplicated_count
        + told.over_budget_count
    )
    return [hit.entry.body for hit in found.hits]


def test_it_is_remembered_recalled_listed_shown_and_explained(she: PersonMemory) -> None:
    outcome = written(she.remember("Likes tea"))
    name = outcome.entry.logical_id
    assert outcome.mode == "ephemeral"
    assert balanced(she, "tea") == ["Likes tea"]
    assert remembered(she) == {"Likes tea"}
    assert she.show(name)[0].body == "Likes tea"
    assert [entry.revision for entry in she.history(name)] == [1]
    told = she.explain(name, "tea")
    assert (told.outcome, told.rank) == ("returned", 1)
    assert all(verdict.passed for verdict in told.verdicts)


def test_it_is_of_its_session_alone(she: PersonMemory, iris: Iris) -> None:
    name = written(she.remember("Likes tea")).entry.logical_id
    other = iris.for_user(tenant="acme", user="ada", session="s2")
    assert balanced(other, "tea") == []
    with pytest.raises(UnknownMemoryError):
        other.explain(name, "tea")
    assert balanced(iris.for_user(tenant="acme", user="ada"), "tea") == []
    for tenant, user in (("acme", "bob"), ("other", "ada")):
        stranger = iris.for_user(tenant=tenant, user=user, session="s1")
        stranger.consent.grant("data_processing", terms=TERMS)
        assert balanced(stranger, "tea") == []
        assert remembered(stranger) == set()
        with pytest.raises(UnknownMemoryError):
            stranger.show(name)


def test_gates_hold_as_everywhere(she: PersonMemory, iris: Iris) -> None:
    she.remember("Likes tea")
    she.remember("Takes statins", category="medical")
    assert balanced(she) == ["Likes tea"]
    assert set(balanced(she, contexts=["general", "health"])) == {"Likes tea", "Takes statins"}
    assert balanced(she, crisis_frame=True) == []
    assert balanced(she, surface="admin") == []
    studio = iris.for_user(tenant="acme", user="ada", consumer="studio", session="s1")
    assert balanced(studio) == []
    assert remembered(studio) == set()
    assert "Consumer studio is not allowed" in refused(studio.remember("Likes gin")).rule
    assert refused(she.remember("Owes money", category="financial")).reason is R.SENSITIVE_CATEGORY_WITHOUT_CONSENT
    assert refused(she.remember("Is Ada\u202e")).reason is R.HIDDEN_CHARACTERS
    about = ActorMention(name="Bo", sensitive_interaction=True)
    assert refused(she.remember("Bo shouted", actor=about)).reason is R.MULTI_ACTOR_WITHOUT_CONSENT


def test_what_is_stored_is_not_read_beside_it(iris: Iris) -> None:
    me = person(iris, session="s1")
    me.remember("Likes tea on the disk")
    me.consent.revoke("data_storage")
    me.remember("Likes tea in the session")
    assert balanced(me, "tea") == ["Likes tea in the session"]
    me.consent.grant("data_storage", terms=TERMS)
    assert set(balanced(me, "tea")) == {"Likes tea on the disk", "Likes tea in the session"}


def test_conflicts_within_the_session(she: PersonMemory, clock: SteppingClock) -> None:
    first = written(she.remember("Wants the window", subject="seat"))
    assert written(she.remember("wants the  window", subject="seat")).entry == first.entry
    clock.step()
    second = written(she.remember("Wants the aisle", subject="seat"))
    assert (second.mode, second.replaced) == ("ephemeral", None)
    assert balanced(she, "seat wants") == ["Wants the aisle"], "the newer of two of the person's own"
    guessed = {"subject": "seat", "origin": "model-inferred", "label": "assistant"}
    assert refused(she.remember("Wants to stand", **guessed)).reason is R.CONFLICT_KEPT_EXISTING
    assert refused(she.revise(second.entry.logical_id, "Wants the door")).reason is R.SCOPE_EPHEMERAL


def test_an_idempotency_key_holds_in_the_session(she: PersonMemory) -> None:
    first = written(she.remember("Likes tea", idempotency_key="k"))
    assert written(she.remember("Likes tea", idempotency_key="k")).entry == first.entry
    with pytest.raises(IdempotencyConflictError):
        she.remember("Likes gin", idempotency_key="k")


@pytest.mark.parametrize(
    "end",
    [
        lambda me, clock: me.end_session(),
        lambda me, clock: me.consent.revoke("data_processing"),
        lambda me, clock: me.pause("s1"),
        lambda me, clock: me.pause(),
        lambda me, clock: me.opt_out("memory"),
        lambda me, clock: me.forget(everything=True),
        lambda me, clock: me.erase(scan=False),
        lambda me, clock: clock.step(EPHEMERAL_IDLE),
    ],
    ids=["end", "revoke", "pause", "pause-everywhere", "opt-out", "forget", "erase", "idle"],
)
def test_it_is_forgotten_at_once_and_for_good(end: Any, she: PersonMemory, clock: SteppingClock, iris: Iris) -> None:
    she.remember("Likes tea")
    she.remember("Takes statins", category="medical")
    end(she, clock)
    assert not [
        held
        for known in iris.instruments.people.known()
        for held in iris.instruments.people.sessions.of(known)
        if held.memories and not held.is_over(clock.now())
    ]
    she.consent.grant("data_processing", "category:medical", terms=TERMS)
    she.resume("s1")
    she.resume()
    she.opt_out()
    assert balanced(she, contexts=["general", "health"]) == []
    assert remembered(she) == set()


def test_a_category_goes_with_its_consent(she: PersonMemory) -> None:
    she.remember("Likes tea")
    she.remember("Takes statins", category="medical")
    told = she.consent.preview_revoke("category:medical")
    assert told.ephemeral == 1
    she.consent.revoke("category:medical")
    assert remembered(she) == {"Likes tea"}
    she.consent.grant("category:medical", terms=TERMS)
    assert remembered(she) == {"Likes tea"}, "a consent given anew brings nothing back"


def test_a_withdrawal_elsewhere_is_seen_here(open_iris: OpenIris) -> None:
    """Two instances over one store stand for two processes: the ledger tells, not the memory of either."""
    one, other = open_iris(), open_iris()
    me = one.for_user(tenant="acme", user="ada", session="s1")
    me.consent.grant("data_processing", terms=TERMS)
    me.remember("Likes tea")
    there = other.for_user(tenant="acme", user="ada", session="s1")
    assert balanced(there) == [], "it is local to one process"
    there.consent.revoke("data_processing")
    there.consent.grant("data_processing", terms=TERMS)
    assert balanced(me) == []
    assert remembered(me) == set()


def test_one_is_forgotten_with_a_receipt(she: PersonMemory, iris: Iris) -> None:
    name = written(she.remember(CANARY)).entry.logical_id
    she.remember("Likes tea")
    assert she.preview_forget(name).reached == {"ephemeral memories": 1}
    receipt = she.forget(name)
    assert (receipt.memories, receipt.keys_destroyed) == (1, 0)
    assert receipt.residue is not None
    assert receipt.residue.found == {}
    assert remembered(she) == {"Likes tea"}
    with pytest.raises(UnknownMemoryError):
        she.forget(name)
    assert she.remember(CANARY).outcome == "written", "no tag of it is kept anywhere"


def test_somebody_of_the_session_alone_is_forgotten(she: PersonMemory) -> None:
    she.remember("Bo likes cake", actor=ActorMention(name="Bo"))
    she.remember("Likes tea")
    assert she.others.preview_forget("bo").memories == 1
    receipt = she.others.forget_mentions("bo")
    assert (receipt.memories, receipt.reason) == (1, TombstoneReason.MENTION_FORGOTTEN)
    assert remembered(she) == {"Likes tea"}
    with pytest.raises(UnknownMemoryError):
        she.others.forget_mentions("bo")


def test_somebody_is_forgotten_in_the_store_and_in_the_session(iris: Iris) -> None:
    me = person(iris, session="s1")
    me.remember("Bo likes cake", actor=ActorMention(name="Bo"))
    me.consent.revoke("data_storage")
    me.remember("Bo likes jazz", actor=ActorMention(name="Bo"))
    me.remember("Likes tea")
    assert me.others.preview_forget("Bo").reached["ephemeral memories"] == 1
    me.others.forget_mentions("Bo", scan=False)
    assert remembered(me) == {"Likes tea"}


def test_a_source_is_forgotten_in_the_session_too(she: PersonMemory, clock: SteppingClock) -> None:
    page = ProvenanceLink(
        kind=ProvenanceKind.SESSION_TURN,
        ref="https://mallory.example",
        captured_at=clock.now(),
        label=Label.TOOL,
    )
    written(
        she.remember(Statement(body="Likes gin", origin=Origin.MODEL_INFERRED, label=Label.TOOL, provenance=(page,)))
    )
    she.remember("Likes tea")
    assert she.overview.preview_forget_source("https://mallory.example").reached["ephemeral memories"] == 1
    she.inbox.forget_source("https://mallory.example")
    assert remembered(she) == {"Likes tea"}


def test_going_back_takes_what_was_said_since_in_the_session(she: PersonMemory, clock: SteppingClock) -> None:
    she.remember("Likes tea")
    clock.step(timedelta(seconds=1))
    then = clock.now()
    she.remember("Likes gin")
    she.inbox.roll_back(then)
    assert remembered(she) == {"Likes tea"}


def test_time_and_size_are_bounded(she: PersonMemory, clock: SteppingClock) -> None:
    for _ in range(int(EPHEMERAL_LIFETIME / timedelta(hours=1)) - 1):
        she.remember(f"At {clock.now().hour}")
        clock.step(timedelta(hours=1))
    assert len(remembered(she)) > 20
    clock.step(timedelta(hours=1))
    assert remembered(she) == set(), "a session ends a day after it began, however much it is used"
    she.remember_many([Statement(body=f"Note {number}") for number in range(EPHEMERAL_MEMORIES_MOST + 10)])
    assert she.list(limit=0).total == EPHEMERAL_MEMORIES_MOST


def test_the_sweep_needs_nobody_to_ask(she: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    she.remember("Likes tea")
    clock.step(DAY)
    iris.flush()
    assert iris.instruments.people.sessions.people() == []


def rows(folder: Path) -> dict[str, int]:
    """Count the rows of every table of the store and the vault, the audit chain apart."""
    import apsw

    counted = {}
    for file in [*folder.rglob("*.db")]:
        base = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
        for (table,) in rows_of(base, "SELECT name FROM sqlite_schema WHERE type = 'table'"):
            if table not in {"audit", "tenant", "checkpoint", "sync_mark", "slot", "box"}:
                ((count,),) = rows_of(base, f"SELECT count(*) FROM {table}")
                counted[f"{file.name}.{table}"] = count
        base.close()
    return counted


def test_no_file_ever_holds_a_byte_of_it(folder: Path, clock: SteppingClock) -> None:
    """Canary: no row, no key in use, no id and no word of it in the chain, in any file, before or after closing."""
    with open_store(folder, clock=clock) as iris:
        me = iris.for_user(tenant="acme", user="ada", session="s1")
        me.consent.grant("data_processing", "category:medical", terms=TERMS)
        iris.flush()
        known = iris.instruments.people.find("acme", "ada")
        assert known is not None
        slots_before = probe(iris.instruments, known)
        ids = []
        for number in range(30):
            entry = written(me.remember(f"{CANARY} {number}", subject="canary", idempotency_key=f"k{number}")).entry
            ids += [entry.id, entry.logical_id]
            me.recall(CANARY)
            me.list()
            me.show(entry.logical_id)
            me.history(entry.logical_id)
            me.explain(entry.logical_id, CANARY)
        entry = written(me.remember(f"{CANARY} inwendig", category="medical", scope=SESSION)).entry
        me.recall(CANARY, contexts=["health"], scope=SESSION)
        me.forget(ids[-1])
        iris.flush()
        after = probe(iris.instruments, known)
        assert {name: after[name] for name in after if name not in {"sessions", "vault slots"}} == {
            name: slots_before[name] for name in slots_before if name not in {"sessions", "vault slots"}
        }
        told = chain(iris)
        text = repr(told)
        assert "Kanarienvogel" not in text
        assert not [name for name in [*ids, entry.id] if name in text]
        kept = [event for event in told if event["action"] == "memory.ephemeral.kept"]
        assert sum(event["count"] for event in kept) == 31
        assert set(kept[0]) - {"tenant", "sequence", "previous", "at"} <= set(told[0]) | {"count", "why"}
        while_open = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
        sound(iris)
    closed = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    for form in ("utf-8", "utf-16-le", "utf-16-be"):
        pattern = "Kanarienvogel".encode(form)
        assert not any(pattern in data for data in [*while_open, *closed])
    for name in {*ids, entry.id}:
        assert not any(name.encode() in data for data in [*while_open, *closed])
    counted = rows(folder)
    assert counted["iris.db.entry"] == counted["iris.db.usage"] == 0
    with open_store(folder, clock=clock) as iris:
        assert remembered(iris.for_user(tenant="acme", user="ada", session="s1")) == set()


def test_a_write_that_races_a_withdrawal_leaves_nothing(she: PersonMemory) -> None:
    """DSR-16, in the session: whatever order they come in, nothing lives on after the withdrawal."""
    begun = threading.Barrier(3)

    def keep_writing() -> None:
        begun.wait()
        for number in range(150):
            she.remember(f"Likes tea, {number}")

    threads = [threading.Thread(target=keep_writing) for _ in range(2)]
    for thread in threads:
        thread.start()
    begun.wait()
    she.consent.revoke("data_processing")
    assert remembered(she) == set()
    for thread in threads:
        thread.join()
    she.consent.grant("data_processing", terms=TERMS)
    assert remembered(she) == set()
