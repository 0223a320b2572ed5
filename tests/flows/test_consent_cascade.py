"""A withdrawn consent takes its memory along, and all that was made from it, in the transaction of the withdrawal."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from flows.stores import (
    BASE,
    DAY,
    ROOT_KEY,
    TERMS,
    OpenIris,
    SteppingClock,
    actions,
    bodies,
    chain,
    person,
    refused,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ConsentStatus
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink, TombstoneReason
from iris_memory.contracts.write import ActorMention, Statement
from iris_memory.flows.import_ import ImportWish
from iris_memory.flows.register import CASCADES, REGISTER
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind

HEALTH = {"contexts": ["health"]}


def made_from(source: str, clock: SteppingClock, body: str, **more: Any) -> Statement:
    """A statement that says which memory it was made from."""
    link = ProvenanceLink(
        kind=ProvenanceKind.INFERENCE_BATCH, ref=f"memory:{source}", captured_at=clock.now(), label=Label.USER_TYPED
    )
    return Statement(body=body, provenance=(link,), origin=Origin.MODEL_INFERRED, **more)


def test_a_category_goes_with_its_consent_and_the_rest_stays(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["category:medical", "category:financial"])
    statins = written(me.remember("Takes statins", category="medical")).entry.logical_id
    me.remember("Owes the bank", category="financial")
    me.remember("Likes tea")
    derived = written(me.remember(made_from(statins, clock, "Eats little fat"))).entry.logical_id
    written(me.remember(made_from(derived, clock, "Cooks without butter")))
    done = me.consent.withdraw("category:medical", note="no more")
    assert [(event.type, event.status) for event in done.events] == [("category:medical", ConsentStatus.REVOKED)]
    assert remembered(me) == {"Owes the bank", "Likes tea"}
    assert done.receipt is not None
    assert (done.receipt.reason, done.receipt.memories) == (TombstoneReason.CONSENT_WITHDRAWN, 3)
    assert done.receipt.reached["memories"] == 1
    assert done.receipt.reached["made from them"] == 2
    assert done.receipt.residue is not None
    assert done.receipt.residue.found == {}
    assert list(iris.receipts(tenant="acme")) == [done.receipt]
    assert list(me.consent.check()) == []
    assert [event["receipt"] for event in chain(iris) if event["action"] == "consent.cascade.applied"] == [
        done.receipt.receipt_id
    ]
    sound(iris)


def test_the_withdrawal_and_the_hiding_are_one_transaction(iris: Iris) -> None:
    """The events of the ledger, of the intent and of the cascade stand side by side in the chain, nothing between."""
    me = person(iris, consents=["category:medical"])
    me.remember("Takes statins", category="medical")
    before = len(actions(iris))
    me.consent.revoke("category:medical", scan=False)
    told = actions(iris)[before:]
    assert told[:3] == ["consent.recorded", "memory.forget.intended", "consent.cascade.applied"]
    assert told[3:] == ["memory.forget.completed"]


def test_a_memory_that_once_was_of_the_category_goes_too(me: PersonMemory) -> None:
    me.consent.grant("category:medical", terms=TERMS)
    name = written(me.remember("Takes statins", category="medical")).entry.logical_id
    me.revise(name, "Takes walks", category="fact")
    me.consent.revoke("category:medical", scan=False)
    assert me.list().total == 0


def test_sensitive_data_ends_every_category_with_it(iris: Iris) -> None:
    me = person(iris, consents=["sensitive_data", "category:medical", "category:spiritual"])
    me.remember("Takes statins", category="medical")
    me.remember("Prays at dawn", category="spiritual")
    me.remember("Likes tea")
    events = me.consent.revoke("sensitive_data", scan=False)
    assert [event.type for event in events] == ["sensitive_data", "category:medical", "category:spiritual"]
    assert remembered(me) == {"Likes tea"}
    assert me.consent.active() == set(BASE)
    assert refused(me.remember("Takes aspirin", category="medical")).needs == ("category:medical",)


def test_sensitive_interactions_go_with_their_consent(iris: Iris) -> None:
    me = person(iris, consents=["multi_actor_sensitive"])
    me.remember("Bo shouted", actor=ActorMention(name="Bo", sensitive_interaction=True))
    me.remember("Bo cooks", actor=ActorMention(name="Bo"))
    me.consent.revoke("multi_actor_sensitive", scan=False)
    assert remembered(me) == {"Bo cooks"}


def test_a_no_to_what_was_agreed_to_withdraws_it(me: PersonMemory) -> None:
    me.consent.grant("category:medical", terms=TERMS)
    me.remember("Takes statins", category="medical")
    (event,) = me.consent.deny("category:medical", terms="And now?", witness="nurse", jurisdiction="NL")
    assert (event.status, event.witness, event.jurisdiction) == (ConsentStatus.DENIED, "nurse", "NL")
    assert me.list().total == 0


def test_what_went_does_not_come_back_by_an_old_transcript(me: PersonMemory) -> None:
    """DSR-13: the consent given anew is no word about what went; saying it again is."""
    me.consent.grant("category:medical", terms=TERMS)
    me.remember("Takes statins", category="medical")
    me.consent.revoke("category:medical", scan=False)
    me.consent.grant("category:medical", terms=TERMS)
    assert refused(me.remember("takes  Statins", category="medical")).reason is R.FORGOTTEN_BEFORE
    assert written(me.remember("Takes statins", category="medical", again=True))


def test_questions_drafts_and_holds_go_along(iris: Iris, tmp_path: Path) -> None:
    me = person(iris, consents=["category:medical"])
    me.remember("Takes one pill", category="medical", subject="dose")
    me.remember("Takes two pills", category="medical", subject="dose")
    me.remember("Likes tea", subject="drink")
    me.remember("Likes gin", subject="drink")
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"ref": "a", "author": "user", "text": "I am gay"}\n')
    me.import_file(notes, format="jsonl", wish=ImportWish())
    (held,) = me.held()
    assert held.needs
    assert len(me.questions()) == 2
    me.consent.revoke("category:medical", *held.needs, scan=False)
    assert [question.existing_body for question in me.questions()] == ["Likes tea"]
    assert list(me.held()) == []
    assert remembered(me) == {"Likes tea", "Likes gin"}


def test_general_consents_close_scopes_and_delete_nothing(me: PersonMemory) -> None:
    me.remember("Likes tea")
    told = me.consent.preview_revoke("data_storage")
    assert (told.hidden, told.deleted["memories"]) == (1, 0)
    assert {change.after.value for change in told.scopes} == {"ephemeral"}
    done = me.consent.withdraw("data_storage")
    assert done.receipt is None
    assert bodies(me) == []
    me.consent.grant("data_storage", terms=TERMS)
    assert bodies(me) == ["Likes tea"]


def test_the_preview_says_what_the_withdrawal_does(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["sensitive_data", "category:medical"])
    statins = written(me.remember("Takes statins", category="medical")).entry.logical_id
    me.revise(statins, "Takes more statins")
    me.remember(made_from(statins, clock, "Eats little fat"))
    told = me.consent.preview_revoke("sensitive_data")
    assert told.names == ("sensitive_data", "category:medical")
    assert told.deleted == {"memories": 1, "made from them": 1, "revisions": 3}
    assert remembered(me) == {"Takes more statins", "Eats little fat"}, "nothing was changed"
    done = me.consent.withdraw("sensitive_data", scan=False)
    assert done.receipt is not None
    assert done.receipt.reached["memories"] == told.deleted["memories"]
    assert done.receipt.reached["made from them"] == told.deleted["made from them"]


def test_somebody_unknown_has_nothing_to_withdraw(iris: Iris) -> None:
    told = iris.for_user(tenant="acme", user="nobody").consent.preview_revoke("data_storage")
    assert (told.deleted, told.hidden) == ({}, 0)
    assert iris.instruments.vault.find_subject("acme", "nobody") is None


NOTHING_OF_A_CATEGORY = {
    RecordKind.CONSENT: "the ledger stays; it is the proof",
    RecordKind.PAUSE: "a session and an instant",
    RecordKind.IDEMPOTENCY: "ids and codes",
    RecordKind.FORGOTTEN: "keyed tags that keep words away",
    RecordKind.IMPORT: "keyed tags that keep rows away",
    RecordKind.SETTING: "opt-outs",
    RecordKind.DECIDED: "a count and a fingerprint",
    RecordKind.RECALL: "ids and codes of what surfaced",
}
"""Kinds of record that hold nothing a withdrawal could be about."""


def test_the_hooks_stand_in_the_register() -> None:
    """DSR-9: an area that keeps something of a category joins the cascade with one line."""
    hooks = {holding.name for holding in REGISTER if holding.cascade is not None}
    assert hooks >= {f"records: {kind.value}" for kind in (RecordKind.QUESTION, RecordKind.HOLD)} | {"sessions"}
    assert not set(CASCADES) & set(NOTHING_OF_A_CATEGORY)


def test_jobs_in_flight_stop(open_iris: OpenIris, tmp_path: Path, clock: SteppingClock) -> None:
    """DSR-16: writers, readers, an import and a summary run while the consent is withdrawn."""
    iris = open_iris()
    me = person(iris, consents=["category:medical"])
    seed = written(me.remember("Takes statins, the first", category="medical")).entry.logical_id
    source = tmp_path / "many.jsonl"
    source.write_text(
        "".join(
            f'{{"ref": "r{n}", "author": "user", "category": "medical", "text": "Takes {n} pills"}}\n'
            for n in range(1_200)
        )
    )
    acknowledged = threading.Event()
    late: list[str] = []
    begun = threading.Barrier(5)

    def keep_writing() -> None:
        begun.wait()
        for number in range(400):
            is_after = acknowledged.is_set()
            outcome = me.remember(f"Takes pill {number}", category="medical")
            if is_after and outcome.outcome != "refused":
                late.append("written")

    def keep_recalling() -> None:
        begun.wait()
        for _ in range(400):
            is_after = acknowledged.is_set()
            if me.recall("pill", **HEALTH).hits and is_after:
                late.append("recalled")

    def keep_summarising() -> None:
        begun.wait()
        for number in range(400):
            is_after = acknowledged.is_set()
            outcome = me.remember(made_from(seed, clock, f"Seems to be on medication, {number}"))
            if is_after and outcome.outcome != "refused":
                late.append("summarised")

    def import_all() -> None:
        begun.wait()
        me.import_file(source, format="jsonl", wish=ImportWish())

    threads = [threading.Thread(target=job) for job in (keep_writing, keep_recalling, keep_summarising, import_all)]
    for thread in threads:
        thread.start()
    begun.wait()
    while me.list().total < 40:
        pass
    me.consent.revoke("category:medical", scan=False)
    acknowledged.set()
    left_at_once = [entry for entry in me.list(limit=10_000).entries if entry.category is Category.MEDICAL]
    for thread in threads:
        thread.join()
    assert left_at_once == []
    assert late == []
    assert remembered(me) == set()
    assert bodies(me, **HEALTH) == []
    sound(iris)


CHILD = """
import sys
from flows.stores import KEY
from iris_memory import Iris
with Iris.open(sys.argv[1], key=KEY, tended=False, create=False) as iris:
    me = iris.for_user(tenant="acme", user="ada")
    print("ready", flush=True)
    number, withdrawn, late = 0, False, 0
    while True:
        number += 1
        outcome = me.remember(f"Takes pill {number} of the other", category="medical")
        found = me.recall("pill", contexts=["health"])
        if withdrawn:
            late += (outcome.outcome != "refused") + bool(found.hits)
            if number >= stop:
                break
        elif number % 5 == 0:
            print(number, flush=True)
            if sys.stdin.readline().strip() == "withdrawn":
                withdrawn, stop = True, number + 50
    print("late", late, flush=True)
"""


def test_another_process_stops_as_well(open_iris: OpenIris, folder: Path) -> None:
    """DSR-16: what another process writes and serves ends with the acknowledgement, too."""
    iris = open_iris(clock=None)
    me = person(iris, consents=["category:medical"])
    me.remember("Takes statins", category="medical")
    tests = str(Path(__file__).parents[1])
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": tests},
    )
    try:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        for _ in range(4):
            child.stdout.readline()
            child.stdin.write("go on\n")
            child.stdin.flush()
        child.stdout.readline()
        me.consent.revoke("category:medical", scan=False)
        child.stdin.write("withdrawn\n")
        child.stdin.flush()
        told = child.stdout.readlines()[-1].split()
        assert told == ["late", "0"]
        assert child.wait(30) == 0
    finally:
        if child.poll() is None:
            child.kill()
        child.stdin.close()  # type: ignore[union-attr]
        child.stdout.close()  # type: ignore[union-attr]
    assert remembered(me) == set()
    assert ROOT_KEY
    assert DAY
    sound(iris)


@pytest.mark.parametrize("name", ["category:medical", "multi_actor_sensitive", "sensitive_data"])
def test_withdrawing_twice_is_withdrawing_once(name: str, me: PersonMemory) -> None:
    me.consent.grant(name, terms=TERMS)
    me.consent.revoke(name, scan=False)
    assert me.consent.withdraw(name, scan=False).receipt is None
    assert list(me.consent.check()) == []
