"""Operator inspection: the gate against its oracle, the state machine, and whole inspections through a store."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from iris_memory.contracts.inspection import (
    IncidentReference,
    Inspection,
    InspectionDenial,
    InspectionPage,
    InspectionRefused,
    InspectionState,
)
from iris_memory.errors import InspectionTransitionError
from iris_memory.evals.inspection_oracle import facts_of, judge, random_ask
from iris_memory.evals.stage import BASE, TERMS, Draws, Stage, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.flows.incident_keys import incident_text, key_id_of
from iris_memory.front.inspection import Inspections
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.gates.inspection import verdict
from iris_memory.rules.inspection import require_transition

REQUESTS: Final = 100_000
"""Random requests that gate and oracle are both asked about."""

_PRIVATE: Final = Ed25519PrivateKey.from_private_bytes(b"\x0b" * 32)
_PUBLIC: Final = _PRIVATE.public_key().public_bytes_raw()
_MOVES: Final = frozenset(
    {
        ("requested", "dsar-fulfillment"),
        ("requested", "incident-escalation"),
        ("requested", "routine-review"),
        ("dsar-fulfillment", "granted"),
        ("dsar-fulfillment", "denied"),
        ("incident-escalation", "granted"),
        ("incident-escalation", "denied"),
        ("routine-review", "granted"),
        ("routine-review", "denied"),
        ("granted", "closed"),
    }
)
"""Every move there is."""

_WORDS: Final = {"work": "Works at the harbour", "medical": "Takes insulin", "safety": "Asked for help after threats"}


def run(tally: Tally) -> str:
    """Look at the gate, at every pair of states, and at what operators see, do not see and cannot hide."""
    reasons = _gate(tally)
    for before in InspectionState:
        for after in InspectionState:
            refused = raises(InspectionTransitionError, require_transition, before, after)
            tally.check(f"from {before.value} to {after.value}", refused is ((before, after) not in _MOVES))
    with stage() as played, played.open() as iris:
        me = _ada(iris)
        _routine(played, iris, me, tally)
        _incident(played, iris, me, tally)
    return (
        f"{REQUESTS:,} random requests beside the oracle with {len(reasons)} of {len(InspectionDenial)} reasons told,"
        f" {len(InspectionState) ** 2} pairs of states, two inspections from request to erasure"
    )


def _gate(tally: Tally) -> set[str]:
    draws, seen = Draws("inspection"), Counter[str]()
    for number in range(REQUESTS):
        ask = random_ask(draws)
        found = verdict(ask)
        told = found.value if found is not None else "granted"
        tally.same(f"request {number}", told, judge(facts_of(ask)))
        seen[told] += 1
    for reason in InspectionDenial:
        tally.check(f"no request was denied for {reason.value}", seen[reason.value] > 0)
    return set(seen) - {"granted"}


def _ada(iris: Iris) -> PersonMemory:
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant(*BASE, "category:medical", "category:safety", terms=TERMS)
    for category, body in _WORDS.items():
        me.remember(body, category=category)
    return me


def _as(iris: Iris, role: str, actor: str, *, tenant: str = "acme") -> Inspections:
    return iris.inspections(tenant=tenant, actor=actor, role=role)


def _routine(played: Stage, iris: Iris, me: PersonMemory, tally: Tally) -> None:
    sam, ann = _as(iris, "support", "sam"), _as(iris, "admin", "ann")
    wish = {"path": "routine-review", "reason": "support-case", "reference": "CASE-1"}
    waiting = sam.request("ada", target={"adapter_scopes": ["assistant_profile"]}, **wish)  # type: ignore[arg-type]
    assert isinstance(waiting, Inspection)
    name = waiting.inspection_id
    tally.check("read before the grant", isinstance(sam.read(name), InspectionRefused))
    tally.check("granted by who asked", isinstance(_as(iris, "admin", "sam").approve(name), InspectionRefused))
    tally.check("granted by support", isinstance(_as(iris, "support", "sue").approve(name), InspectionRefused))
    granted = ann.approve(name)
    tally.check("not granted", isinstance(granted, Inspection) and granted.state is InspectionState.GRANTED)
    tally.same("an ordinary look", _bodies(sam.read(name)), {_WORDS["work"]})
    tally.check("read by who granted", isinstance(ann.read(name), InspectionRefused))
    me.remember("Moved to the lighthouse", category="work")
    tally.same("what came later", _bodies(sam.read(name)), {_WORDS["work"]})
    tally.same("lines of the access log", len(me.looked()), 2)
    played.clock.advance(hours=1)
    tally.check("read after the end", isinstance(sam.read(name), InspectionRefused))
    tally.same("closed by itself", sam.show(name).state, InspectionState.CLOSED)


def _incident(played: Stage, iris: Iris, me: PersonMemory, tally: Tally) -> None:
    tom, lea, ann = _as(iris, "t&s", "tom"), _as(iris, "legal", "lea"), _as(iris, "admin", "ann")
    lea.register_incident_key(_PUBLIC.hex(), label="desk")
    for signer, expected in ((Ed25519PrivateKey.from_private_bytes(b"\x0c" * 32), False), (_PRIVATE, True)):
        waiting = _asked(played, tom, signer)
        lea.approve(waiting.inspection_id)
        once = tom.show(waiting.inspection_id)
        tally.check("one word opens sensitive memory", once.state is not InspectionState.GRANTED)
        ann.approve(waiting.inspection_id)
        is_open = tom.show(waiting.inspection_id).state is InspectionState.GRANTED
        tally.same("a reference signed by " + ("the desk" if expected else "nobody known"), is_open, expected)
    name = waiting.inspection_id
    tally.same("a look after an incident", _bodies(tom.read(name)), {_WORDS["safety"]})
    tally.same("notices", [notice.user_id for notice in lea.pending_user_notices()], ["ada"])
    delivered: list[object] = []
    lea.deliver_pending(delivered.append)
    tally.same("notices left", len(lea.pending_user_notices()), 0)
    receipt = me.erase(scan=False)
    assert receipt is not None
    replayed = _as(iris, "t&s", "tim").replay_granted_snapshot(name)
    tally.same("words after erasure", _bodies(replayed), set())
    shown = replayed.entries if isinstance(replayed, InspectionPage) else ()
    proofs = {one.erased.receipt_id for one in shown if one.erased is not None}
    tally.same("proof after erasure", proofs, {receipt.receipt_id})
    tally.check("a name after erasure", "ada" not in {tom.show(name).requester, tom.show(name).reference})
    tally.check("a target after erasure", tom.show(name).target is None)
    tally.check("the chain", iris.verify_audit(tenant="acme").ok)


def _asked(played: Stage, tom: Inspections, signer: Ed25519PrivateKey) -> Inspection:
    now = played.clock.now()
    bare = IncidentReference(
        incident_id="INC-1",
        tenant_id="acme",
        target="ada",
        issued_at=now,
        expires_at=now + timedelta(hours=4),
        key_id=key_id_of(_PUBLIC),
        signature="0" * 128,
    )
    asked = tom.request(
        "ada",
        path="incident-escalation",
        reason="safety-incident",
        reference="INC-1",
        target={"categories": ["safety", "medical"]},
        consent_snapshot_id=tom.consent_snapshot("ada"),
        incident=bare.model_copy(update={"signature": signer.sign(incident_text(bare)).hex()}),
    )
    assert isinstance(asked, Inspection)
    return asked


def _bodies(shown: InspectionPage | InspectionRefused) -> set[str]:
    if isinstance(shown, InspectionRefused):
        return {shown.reason.value}
    return {one.entry.body for one in shown.entries if one.entry is not None}
