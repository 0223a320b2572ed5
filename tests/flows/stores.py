"""Stores for tests: a clock that is stepped by hand, a fixed root key, and people whose consents are in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from iris_memory.contracts.write import AskUser, Refused, WriteOutcome, Written
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.storage.keys import FixedKey

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ROOT_KEY = bytes(range(32))
KEY = FixedKey(ROOT_KEY)
BASE = ("data_processing", "data_storage")
TERMS = "We keep what you tell us."
DAY = timedelta(days=1)

OpenIris = Callable[..., Iris]


class SteppingClock:
    """Tells the time it was set to. It never moves by itself."""

    def __init__(self, now: datetime = START) -> None:
        self.instant = now

    def now(self) -> datetime:
        """Return the instant."""
        return self.instant

    def step(self, by: timedelta = timedelta(seconds=1)) -> datetime:
        """Move, backwards as well, and return the new instant."""
        self.instant += by
        return self.instant


def open_store(folder: Path, **more: Any) -> Iris:
    """Open a store under the test's root key, with no thread that tends it."""
    return Iris.open(folder, **{"key": KEY, "tended": False, **more})


def person(
    iris: Iris, user: str = "ada", *, tenant: str = "acme", consents: Iterable[str] = (), **more: Any
) -> PersonMemory:
    """Bind a person and give the base consents, and some more."""
    me = iris.for_user(tenant=tenant, user=user, **more)
    me.consent.grant(*BASE, *consents, terms=TERMS)
    return me


def written(outcome: WriteOutcome) -> Written:
    """Return an outcome that must be `Written`."""
    assert isinstance(outcome, Written), outcome
    return outcome


def refused(outcome: object) -> Refused:
    """Return an outcome that must be `Refused`."""
    assert isinstance(outcome, Refused), outcome
    return outcome


def asked(outcome: WriteOutcome) -> AskUser:
    """Return an outcome that must be `AskUser`."""
    assert isinstance(outcome, AskUser), outcome
    return outcome


def confirmed(me: PersonMemory, body: str, *, session: str = "confirming", **more: Any) -> Any:
    """Have words inferred and confirmed: the one way to a `user-confirmed` memory; return what a write would."""
    noted = me.inbox.observe(body, label="assistant", session=session, ask=True, **more)
    question = me.inbox.show(noted.question_id)  # type: ignore[union-attr,arg-type]
    answered = me.inbox.answer(question.question_id, "yes", digest=question.digest)
    if isinstance(answered, Refused):
        return answered
    return answered.asked or Written(entry=answered.entry, replaced=answered.replaced, rule=answered.rule)  # type: ignore[union-attr]


def bodies(me: PersonMemory, text: str = "", **more: Any) -> list[str]:
    """Return the words a recall answers."""
    return [hit.entry.body for hit in me.recall(text, **more).hits]


def remembered(me: PersonMemory) -> set[str]:
    """Return the words of everything that is listed."""
    return {entry.body for entry in me.list(limit=10_000).entries}


def chain(iris: Iris, tenant: str = "acme") -> list[dict[str, Any]]:
    """Return every event of a tenant's chain."""
    return [json.loads(line) for line in list(iris.export_audit(tenant=tenant))[1:]]


def actions(iris: Iris, tenant: str = "acme") -> list[str]:
    """Return the names of a tenant's events, in order."""
    return [event["action"] for event in chain(iris, tenant)]


def sound(iris: Iris, *tenants: str) -> None:
    """Check that the doctor finds nothing and that the chains of tenants verify."""
    assert [finding for finding in iris.doctor() if not finding.ok] == []
    for tenant in tenants or iris.tenants():
        report = iris.verify_audit(tenant=tenant)
        assert report.ok, report.problems
