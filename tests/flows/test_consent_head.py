"""A decision whose row was deleted from the data file is missed by the next reader: no consent is taken for given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from flows.stores import BASE, TERMS, OpenIris, bodies, open_store, person, refused, sound
from iris_memory.errors import StoreCorruptError
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind


def cut(folder: Path, kind: str, *, which: str = "max") -> None:
    """Delete the newest (or first) record of a kind from the data file, as somebody with access to it would."""
    data = apsw.Connection(str(folder / "data" / "iris.db"))
    data.execute(
        f"DELETE FROM record WHERE kind = ? AND key = (SELECT {which}(key) FROM record WHERE kind = ?)", (kind, kind)
    )
    assert data.changes() == 1
    data.close()


DECISIONS: dict[str, tuple[Callable[[PersonMemory], object], str]] = {
    "a withdrawal": (lambda me: me.consent.revoke("personalization"), "consent"),
    "a denial": (lambda me: me.consent.deny("model_improvement", terms=TERMS), "consent"),
    "a pause": (lambda me: me.pause("s1"), "pause"),
    "a pause of everything": (lambda me: me.pause(), "pause"),
    "an opt-out": (lambda me: me.opt_out("memory"), "setting"),
    "the head itself": (lambda me: me.consent.revoke("personalization"), "decided"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_a_deleted_decision_closes_everything(name: str, folder: Path) -> None:
    act, kind = DECISIONS[name]
    with open_store(folder) as iris:
        me = person(iris, consents=["personalization"])
        me.remember("Likes tea")
        act(me)
    cut(folder, kind)
    with open_store(folder) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        assert me.consent.active() == frozenset()
        found = me.recall("tea")
        assert found.hits == ()
        assert set(found.audit_envelope.suppression_counts) <= {"scope-suppressed"}
        assert refused(me.remember("Likes gin")).reason.value == "consent-missing"
        for healing in (
            lambda: me.consent.grant(*BASE, terms=TERMS),
            lambda: me.consent.revoke("data_storage"),
            lambda: me.pause("s2"),
            lambda: me.opt_out("history"),
        ):
            with pytest.raises(StoreCorruptError, match="missing"):
                healing()
        assert me.list().total == 1, "the person still sees what is kept"
        me.forget(everything=True, scan=False)
        me.erase(scan=False)


def test_a_row_from_the_middle_is_missed_as_well(folder: Path) -> None:
    with open_store(folder) as iris:
        person(iris, consents=["personalization"])
    cut(folder, "consent", which="min")
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").consent.active() == frozenset()


def test_a_pause_put_back_is_found(open_iris: OpenIris) -> None:
    """An old row of a pause that was ended fits the decisions no more."""
    iris = open_iris()
    me = person(iris)
    me.pause("s1")
    known = iris.instruments.people.find("acme", "ada")
    assert known is not None
    with iris.instruments.store.read() as reading:
        (row,) = reading.records("acme", known.person, RecordKind.PAUSE)
    me.resume("s1")
    iris.instruments.store.write(lambda tx: tx.put_record("acme", known.person, row))
    iris.close()
    assert open_iris().for_user(tenant="acme", user="ada").consent.active() == frozenset()


def test_what_is_whole_stays_open(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris)
    for act, _ in DECISIONS.values():
        act(me)
    me.resume()
    me.opt_out()
    me.remember("Likes tea")
    iris.close()
    again = open_iris()
    me = again.for_user(tenant="acme", user="ada")
    assert me.consent.active() == set(BASE)
    assert bodies(me) == ["Likes tea"]
    sound(again)


def test_nobody_needs_a_head(open_iris: OpenIris) -> None:
    iris = open_iris()
    nobody = iris.for_user(tenant="acme", user="nobody")
    assert nobody.remember("Likes tea").outcome == "refused"
    nobody.consent.grant(*BASE, terms=TERMS)
    assert nobody.consent.active() == set(BASE)
