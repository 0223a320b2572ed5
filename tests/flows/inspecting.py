"""Inspections for tests: operators, an incident desk with its key, and the shortest way to a grant."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from flows.stores import chain, person
from iris_memory.contracts.inspection import IncidentReference, Inspection, InspectionPage, InspectionRefused
from iris_memory.flows.incident_keys import incident_text, key_id_of
from iris_memory.front.inspection import Inspections
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

PRIVATE = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)
PUBLIC = PRIVATE.public_key().public_bytes_raw()
ORDINARY = {"adapter_scopes": ["assistant_profile"], "most": 1_000}
SAFETY = {"categories": ["safety"]}
CONSENTS = ("category:safety", "category:medical", "multi_actor_sensitive")
ROLES = {"support": "sam", "admin": "ann", "legal": "lea", "t&s": "tom"}


def as_(iris: Iris, role: str, actor: str | None = None, *, tenant: str = "acme") -> Inspections:
    """Bind an operator in a role."""
    return iris.inspections(tenant=tenant, actor=actor or ROLES[role], role=role)


def signed(now: datetime, *, by: Ed25519PrivateKey = PRIVATE, **changes: Any) -> IncidentReference:
    """Return an incident reference about ada, signed by the desk."""
    fields = {
        "incident_id": "INC-7",
        "tenant_id": "acme",
        "target": "ada",
        "issued_at": now,
        "expires_at": now + timedelta(hours=8),
        "key_id": key_id_of(by.public_key().public_bytes_raw()),
        "signature": "0" * 128,
        **changes,
    }
    bare = IncidentReference.model_validate(fields)
    if "signature" in changes:
        return bare
    return bare.model_copy(update={"signature": by.sign(incident_text(bare)).hex()})


def asked(outcome: object) -> Inspection:
    """Return an outcome that must be an inspection."""
    assert isinstance(outcome, Inspection), outcome
    return outcome


def code(outcome: object) -> str:
    """Return the code of a refusal, or of the denial an inspection ended in."""
    if isinstance(outcome, Inspection):
        assert outcome.state.value == "denied", outcome.state
        assert outcome.trail[-1].reason is not None
        return outcome.trail[-1].reason.value
    assert isinstance(outcome, InspectionRefused), outcome
    return outcome.reason.value


def page(shown: object) -> InspectionPage:
    """Return what was shown, which must not be a refusal."""
    assert isinstance(shown, InspectionPage), shown
    return shown


def bodies(shown: object) -> list[str]:
    """Return the words that were shown."""
    return [one.entry.body for one in page(shown).entries if one.entry is not None]


def routine(iris: Iris, *, role: str = "support", target: Any = None, **more: Any) -> Inspection:
    """Ask for a routine review of ada."""
    wish = {"path": "routine-review", "reason": "support-case", "reference": "CASE-1", **more}
    return asked(as_(iris, role).request("ada", target=target or ORDINARY, **wish))


def granted_routine(iris: Iris, **more: Any) -> Inspection:
    """Have a routine review granted."""
    return asked(as_(iris, "admin").approve(routine(iris, **more).inspection_id))


def incident(iris: Iris, *, role: str = "t&s", target: Any = None, key: bool = True, **more: Any) -> Any:
    """Ask for an inspection after an incident."""
    desk = as_(iris, role)
    if key:
        as_(iris, "admin", "keeper of keys").register_incident_key(PUBLIC.hex(), label="incident desk")
    wish = {
        "path": "incident-escalation",
        "reason": "safety-incident",
        "reference": "INC-7",
        "consent_snapshot_id": desk.consent_snapshot("ada"),
        "incident": signed(iris.instruments.clock.now()),
        **more,
    }
    return desk.request("ada", target=target or SAFETY, **wish)


def granted_incident(iris: Iris, **more: Any) -> Inspection:
    """Have an inspection of safety-critical memory granted, by two others."""
    waiting = asked(incident(iris, **more))
    assert asked(as_(iris, "legal").approve(waiting.inspection_id)).state.value == "incident-escalation"
    return asked(as_(iris, "admin").approve(waiting.inspection_id))


def dsar(iris: Iris, me: PersonMemory, *, role: str = "legal", target: Any = None, **more: Any) -> Any:
    """Ask for an inspection for the answer to ada's own request, which is in progress."""
    desk = iris.rights_desk("acme")
    request_id = me.rights.submit("access").request_id
    desk.sign_off(request_id, "court-order", actor="op-1")
    desk.start(request_id, actor="op-1")
    mine = as_(iris, role)
    wish = {
        "path": "dsar-fulfillment",
        "reason": "data-subject-request",
        "reference": request_id,
        "consent_snapshot_id": mine.consent_snapshot("ada"),
        **more,
    }
    return mine.request("ada", target=target or {**ORDINARY, "include_sensitive": True}, **wish)


def ada_of(iris: Iris) -> PersonMemory:
    """Return ada, who told two ordinary and two sensitive things."""
    me = person(iris, consents=CONSENTS)
    me.remember("Prefers a window seat on trains", category="preference", subject="seat")
    me.remember("Works at the harbour", category="work")
    me.remember("Takes insulin every morning", category="medical")
    me.remember("Asked for help after threats", category="safety")
    return me


def events(iris: Iris, action: str) -> list[dict[str, Any]]:
    """Return the events of inspection of one kind."""
    return [event for event in chain(iris) if event["action"] == f"iris.admin_inspection.{action}"]
