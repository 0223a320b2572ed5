"""What the attacks on a person's memory share: a tenant's customer, requests carried out, holds in force."""

from __future__ import annotations

from typing import Any

from flows.stores import DAY, SteppingClock
from iris_memory.contracts.rights import LegalHold, RightsRequest
from iris_memory.contracts.scope import NotebookScope, ProfileScope, SessionScope, TenantScope
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk

SESSION = SessionScope(user_id="ada", session_id="s1")
NOTEBOOK = NotebookScope(user_id="ada", notebook_id="trips")
TENANT = TenantScope(tenant_id="acme", user_id="ada")
PROFILE = ProfileScope(user_id="ada")


def approve(iris: Iris, clock: SteppingClock, adapter: str, days: int = 900) -> None:
    iris.approve_scope(
        tenant="acme", adapter_scope=adapter, approver="boss", reason="r", expires_at=clock.now() + days * DAY
    )


def done(me: PersonMemory, desk: RightsDesk, kind: str, **wishes: Any) -> str:
    """Submit a request, have it verified and carried out; return its id."""
    name = me.rights.submit(kind, **wishes).request_id
    desk.sign_off(name, "operator-signoff", actor="op-0", declared=True)
    desk.start(name, actor="op-1")
    carried = desk.fulfil(name, actor="op-1")
    assert isinstance(carried, RightsRequest), carried
    return name


def hold(desk: RightsDesk, clock: SteppingClock, *names: str) -> LegalHold:
    placed = desk.place_hold(
        user="ada",
        actor="op-1",
        reference="case 1",
        reason="a court asked",
        expires_at=clock.now() + 300 * DAY,
        logical_ids=list(names),
    )
    held = desk.confirm_hold(placed.hold_id, actor="op-2")
    assert isinstance(held, LegalHold)
    return held


def asked_about(me: PersonMemory, body: str, **more: object) -> tuple[str, str]:
    noted = me.inbox.observe(body, label="assistant", session="s9", ask=True, **more)  # type: ignore[arg-type]
    question = me.inbox.show(noted.question_id)  # type: ignore[union-attr,arg-type]
    return question.question_id, question.digest
