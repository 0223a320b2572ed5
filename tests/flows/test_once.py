"""A call under an idempotency key makes one thing, whoever sends it how often, and whatever dies in between."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from flows.inspecting import ada_of
from flows.stores import SteppingClock, person
from iris_memory.contracts.rights import RightsRequest
from iris_memory.errors import ContractError, IdempotencyConflictError, IdempotencyPendingError
from iris_memory.flows import tend
from iris_memory.flows.once import Call, once
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from words import stands_in

CALL = Call("acme", "ada", "/v1/rights?", "key-1", '{"kind":"access"}')


def submitted(iris: Iris, me: PersonMemory, call: Call = CALL) -> RightsRequest:
    return once(
        iris.instruments,
        call,
        lambda: me.rights.submit("access"),
        name=lambda made: made.request_id,
        again=me.rights.show,
    )


def test_the_same_call_is_answered_with_what_was_made_as_it_stands_now(iris: Iris) -> None:
    me = ada_of(iris)
    first = submitted(iris, me)
    assert submitted(iris, me) == first
    me.rights.cancel(first.request_id)
    assert submitted(iris, me) == me.rights.show(first.request_id) != first
    assert len(me.rights.list()) == 1


@pytest.mark.parametrize("field", ["tenant", "holder", "operation", "key"])
def test_another_holder_operation_or_key_is_another_call(iris: Iris, field: str) -> None:
    me = ada_of(iris)
    person(iris, "ada", tenant="other")
    submitted(iris, me)
    submitted(iris, me, CALL._replace(**{field: "other"}))
    assert len(me.rights.list()) == 2


def test_another_body_under_the_key_is_a_conflict(iris: Iris) -> None:
    me = ada_of(iris)
    submitted(iris, me)
    with pytest.raises(IdempotencyConflictError):
        submitted(iris, me, CALL._replace(body="{}"))
    assert len(me.rights.list()) == 1


def test_what_was_refused_may_be_sent_again(iris: Iris) -> None:
    def refuse() -> str:
        raise ContractError("not now")

    ada_of(iris)
    with pytest.raises(ContractError, match="not now"):
        once(iris.instruments, CALL, refuse, name=str, again=str)
    assert once(iris.instruments, CALL, lambda: "", name=lambda made: made or None, again=str) == ""
    assert once(iris.instruments, CALL, lambda: "made", name=str, again=lambda name: f"again {name}") == "made"
    assert once(iris.instruments, CALL, refuse, name=str, again=lambda name: f"again {name}") == "again made"


def test_a_call_that_died_on_the_way_is_never_made_twice(iris: Iris) -> None:
    class PowerCutError(BaseException):
        pass

    def die() -> str:
        raise PowerCutError

    ada_of(iris)
    with pytest.raises(PowerCutError):
        once(iris.instruments, CALL, die, name=str, again=str)
    for body in (CALL.body, "{}"):
        with pytest.raises(IdempotencyPendingError if body == CALL.body else IdempotencyConflictError):
            once(iris.instruments, CALL._replace(body=body), lambda: "made", name=str, again=str)


def test_of_many_at_once_one_makes_it_and_the_others_wait_or_see_it(iris: Iris) -> None:
    ada_of(iris)
    made: list[int] = []
    start = threading.Barrier(8)

    def one(number: int) -> str:
        start.wait()

        def make() -> str:
            made.append(number)
            return f"by-{number}"

        try:
            return once(iris.instruments, CALL, make, name=str, again=lambda name: name)
        except IdempotencyPendingError:
            return "pending"

    with ThreadPoolExecutor(8) as pool:
        outcomes = set(pool.map(one, range(8)))
    assert len(made) == 1
    assert outcomes <= {f"by-{made[0]}", "pending"}


def test_a_mark_says_nothing_and_goes_after_a_week(iris: Iris, clock: SteppingClock) -> None:
    me = ada_of(iris)
    submitted(iris, me)
    with iris.instruments.store.read() as reading:
        kept = [row for _, _, row in reading.records_everywhere(RecordKind.IDEMPOTENCY)]
    assert len(kept) == 1
    assert not any(stands_in(word, f"{kept[0].key} {kept[0].blob!r}") for word in ("ada", "key-1", "access"))
    clock.step(timedelta(days=7, seconds=1))
    tend.chores(iris.instruments)
    with iris.instruments.store.read() as reading:
        assert not list(reading.records_everywhere(RecordKind.IDEMPOTENCY))
