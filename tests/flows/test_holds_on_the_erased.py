"""A hold and an erasure that meet: an operator is never told "in force" of a person whose keys go or are gone."""

from __future__ import annotations

import pytest

from flows.stores import DAY, OpenIris, SteppingClock, bodies, person
from iris_memory.errors import UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk


@pytest.fixture
def desk(iris: Iris) -> RightsDesk:
    return iris.rights_desk("acme")


def test_nobody_is_held_once_their_erasure_began(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator is never told "in force" of a person whose keys are about to go."""
    me.remember("Likes tea")
    ends = clock.now() + 9 * DAY
    placed = desk.place_hold(user="ada", actor="op-1", reference="c", reason="x", expires_at=ends)

    def dies(*_: object) -> None:
        raise OSError("the vault cannot be reached")

    with monkeypatch.context() as broken:
        broken.setattr("iris_memory.flows.forget.destroy", dies)
        with pytest.raises(OSError, match="vault"):
            me.erase(scan=False)
    with pytest.raises(UnknownMemoryError):
        desk.confirm_hold(placed.hold_id, actor="op-2")
    with pytest.raises(UnknownMemoryError):
        desk.place_hold(user="ada", actor="op-1", reference="c", reason="x", expires_at=ends)


def test_nobody_is_held_after_another_process_erased_them(
    me: PersonMemory, clock: SteppingClock, open_iris: OpenIris
) -> None:
    me.remember("Likes tea")
    other = open_iris()
    assert bodies(person(other, "ada")) == ["Likes tea"]
    assert me.erase(scan=False) is not None
    with pytest.raises(UnknownMemoryError):
        other.rights_desk("acme").place_hold(
            user="ada", actor="op-1", reference="c", reason="x", expires_at=clock.now() + 9 * DAY
        )
