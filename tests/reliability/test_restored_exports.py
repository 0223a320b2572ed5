"""DSR-10, DSR-11: a backup from before does not give back an export, a category or a person that went since."""

from __future__ import annotations

import shutil
from pathlib import Path

from flows.stores import KEY, TERMS, SteppingClock, open_store, person, sound
from iris_memory.contracts.rights import RightsRefused, RightsRequest
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.wiring.restoring import restore
from reliability.searching import search, spellings

CANARY = "Zanzibar quokka"


def make_export(iris: Iris, me: PersonMemory, user: str) -> str:
    name = me.rights.submit("export", format="ndjson").request_id
    iris.rights_desk("acme").sign_off(name, "operator-signoff", actor="op-1", declared=True)
    assert isinstance(me.exports.make(name), RightsRequest), user
    return name


def test_an_old_copy_gives_back_no_export_no_category_and_nobody(tmp_path: Path) -> None:
    folder, copy = tmp_path / "memory", tmp_path / "copy"
    with open_store(folder) as iris:
        ada, bob = person(iris), person(iris, user="bob")
        ada.consent.grant("category:medical", terms=TERMS)
        ada.remember("Likes tea")
        ada.remember(f"Is allergic to the {CANARY}", category="medical")
        bob.remember(f"Owns a {CANARY}")
        of_ada, of_bob = make_export(iris, ada, "ada"), make_export(iris, bob, "bob")
        iris.flush()
    shutil.copytree(folder / "data", copy)
    with open_store(folder) as iris:
        ada, bob = (iris.for_user(tenant="acme", user=name) for name in ("ada", "bob"))
        ada.forget(category="medical")
        receipt = bob.erase()
        assert receipt is not None
        assert receipt.is_complete
        assert isinstance(ada.exports.status(of_ada), RightsRefused), "it was in it"
    shutil.rmtree(folder / "data")
    shutil.copytree(copy, folder / "data")
    restore(folder, accept=True, key=KEY, clock=SteppingClock())
    with open_store(folder) as iris:
        ada, bob = (iris.for_user(tenant="acme", user=name) for name in ("ada", "bob"))
        assert {entry.body for entry in ada.list().entries} == {"Likes tea"}
        assert bob.list().total == 0
        for me, name in ((ada, of_ada), (bob, of_bob)):
            assert isinstance(me.exports.status(name), RightsRefused)
            assert isinstance(me.exports.collect(name), RightsRefused)
        sound(iris)
    assert search(tmp_path, {"text": spellings(CANARY)}) == {}
