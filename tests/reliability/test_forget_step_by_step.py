"""A kill between every two steps of a forget: afterwards it has not begun, or it ends when the store is opened."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.stores import DAY, SteppingClock, asked, chain, open_store, person, refused, sound, written
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows.tend import hourly
from reliability.nursery import Nursery
from reliability.searching import sealed_of, search, spellings

CANARY = "Zanzibar quokka"
KEPT = "Likes tea"


def prepare(folder: Path) -> dict[str, str]:
    """Make a store with a canary that was corrected and used, a question about it, and something to keep."""
    with open_store(folder, clock=SteppingClock()) as iris:
        me = person(iris)
        kept = written(me.remember(KEPT)).entry.logical_id
        canary = written(me.remember(f"{CANARY} one", subject="animal")).entry.logical_id
        me.revise(canary, f"{CANARY} two")
        me.recall("quokka")
        iris.flush()
        draft = asked(me.remember(f"{CANARY} three", subject="animal")).question_id
        (question,) = me.questions()
    return {"kept": kept, "one": canary, "replace": draft, "keep": draft, "digest": question.digest}


@pytest.mark.parametrize("act", ["one", "everything", "erase", "keep", "replace"])
def test_killed_at_every_step(act: str, tmp_path: Path) -> None:
    model = tmp_path / "model"
    names = prepare(model)
    with open_store(model, clock=SteppingClock()) as iris:
        going = {"one": [names["one"]], "everything": None, "erase": None, "keep": [], "replace": []}[act]
        iris.for_user(tenant="acme", user="ada").list()
        sealed = sealed_of(iris, "acme", "ada", going, whole=act == "erase")
    undone = done = 0
    with Nursery() as nursery:
        for step in range(1, 60):
            folder = tmp_path / f"step-{step}"
            shutil.copytree(model, folder)
            given = {"folder": str(folder), "act": act, "target": names.get(act, ""), "digest": names["digest"]}
            code = nursery.run("lives:end_in_step", end_at=step, **given)
            assert code in {0, 9}
            if _is_undone(folder):
                assert code == 9, "it was acknowledged and is not there"
                undone += 1
            else:
                done += 1
                _check(act, folder, names, sealed)
            if code == 0:
                break
        else:
            raise AssertionError("it never came to its end")
    assert undone >= 1, "no kill came before the intent"
    assert done >= 6, "too few steps were tried"


def _is_undone(folder: Path) -> bool:
    with open_store(folder, clock=SteppingClock()) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        sound(iris)
        return [entry.body for entry in me.list().entries if entry.lifecycle == "draft"] == [f"{CANARY} three"]


def _check(act: str, folder: Path, names: dict[str, str], sealed: dict[str, list[bytes]]) -> None:
    with open_store(folder, clock=SteppingClock()) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        sound(iris)
        listed = sorted(entry.body for entry in me.list().entries)
        expected = {
            "one": [KEPT, f"{CANARY} three"],  # the draft stands now
            "everything": [],
            "erase": [],
            "keep": [KEPT, f"{CANARY} two"],
            "replace": [KEPT, f"{CANARY} three"],
        }
        assert listed == sorted(expected[act])
        assert list(me.questions()) == []
        assert iris.instruments.store.problems() == []
        if act in {"keep", "replace"}:
            return
        with pytest.raises(UnknownMemoryError):
            me.history(names["one"])
        if act == "erase":
            assert refused(me.remember(f"{CANARY} two")).reason is R.CONSENT_MISSING
        else:
            assert refused(me.remember(f"{CANARY} two")).reason is R.FORGOTTEN_BEFORE
        assert search(folder, sealed) == {}, "while the store is still open"
        if act != "one":
            assert search(folder, {"text": spellings(CANARY)}) == {}


def test_an_erasure_that_was_cut_short_ends_when_the_person_is_next_seen(tmp_path: Path) -> None:
    """An instance that is already open does not write under a subject whose erasure has begun."""
    folder = tmp_path / "memory"
    prepare(folder)
    with open_store(folder, clock=SteppingClock()) as iris, Nursery() as nursery:
        me = iris.for_user(tenant="acme", user="ada")
        me.list()
        dead = iris.instruments.people.get("acme", "ada").person
        given = {"folder": str(folder), "act": "erase", "target": ""}
        for end_at in range(1, 60):
            assert nursery.run("lives:end_in_step", end_at=end_at, **given) == 9
            with iris.instruments.store.read() as reading:
                if reading.state("acme", dead).version != me_version(iris, dead):
                    break
        assert refused(me.remember("Likes gin")).reason is R.CONSENT_MISSING
        me.consent.grant("data_processing", "data_storage", terms="x")
        assert written(me.remember("Likes gin"))
        assert iris.instruments.people.get("acme", "ada").person != dead
        with iris.instruments.store.read() as reading:
            assert reading.entries_since("acme", dead, -1) == []
        sound(iris)


def me_version(iris: object, dead: str) -> int:
    """Return the version at which this instance last saw the person."""
    people = iris.instruments.people  # type: ignore[attr-defined]
    return next(known.snapshot.state.version for known in people.known() if known.person == dead)


def test_a_forget_that_was_cut_short_ends_within_the_hour(tmp_path: Path) -> None:
    """A server that stays open finishes what another process left behind."""
    folder, clock = tmp_path / "memory", SteppingClock()
    names = prepare(folder)
    with open_store(folder, clock=clock) as iris, Nursery() as nursery:
        me = iris.for_user(tenant="acme", user="ada")
        given = {"folder": str(folder), "act": "one", "target": names["one"]}
        for end_at in range(1, 60):
            assert nursery.run("lives:end_in_step", end_at=end_at, **given) == 9
            if [finding for finding in iris.doctor() if not finding.ok]:
                break
        with pytest.raises(UnknownMemoryError):
            me.show(names["one"])
        clock.step(DAY / 24)
        hourly(iris.instruments)
        sound(iris)
        assert me.forget(everything=True, scan=False).memories == 2


def test_a_forget_of_somebody_erased_since_does_not_lock_the_store(tmp_path: Path) -> None:
    """A pending intent of a person who was erased meanwhile is finished and not stumbled over."""
    folder = tmp_path / "memory"
    names = prepare(folder)
    with open_store(folder, clock=SteppingClock()) as iris, Nursery() as nursery:
        given = {"folder": str(folder), "act": "one", "target": names["one"]}
        for end_at in range(1, 60):
            assert nursery.run("lives:end_in_step", end_at=end_at, **given) == 9
            if [finding for finding in iris.doctor() if not finding.ok]:
                break
        assert iris.for_user(tenant="acme", user="ada").erase(scan=False) is not None
    with open_store(folder, clock=SteppingClock()) as iris:
        sound(iris)
        assert iris.for_user(tenant="acme", user="ada").list().total == 0


@pytest.mark.parametrize("reader", [False, True], ids=["scrubbed", "with a reader in the way"])
def test_two_who_finish_the_same_forget_tell_of_it_once(reader: bool, tmp_path: Path) -> None:
    """Another process opens the store in the middle of a forget and ends it; the one that began it ends well too."""
    folder = tmp_path / "memory"
    names = prepare(folder)
    with open_store(folder, clock=SteppingClock()) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        vault = iris.instruments.vault
        plain = vault.destroy_slots

        def interrupted(*given: object) -> int:
            del vault.destroy_slots  # type: ignore[attr-defined]
            with iris.instruments.store.read() as reading:
                if reader:
                    reading.tenants()  # a view that is in use keeps the other from scrubbing
                open_store(folder, clock=SteppingClock()).close()
            return plain(*given)  # type: ignore[arg-type]

        vault.destroy_slots = interrupted  # type: ignore[method-assign]
        receipt = me.forget(names["one"])
        assert receipt.residue is not None
        assert receipt.residue.found == {}
        told = [event["action"] for event in chain(iris) if event.get("receipt") == receipt.receipt_id]
        assert told == ["memory.forget.intended", "memory.forget.completed"]
        sound(iris)
