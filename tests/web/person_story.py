"""A person with a bit of everything: what the pages are looked at, checked and photographed with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from browsing import Site

from iris_memory.contracts.scope import NotebookScope, SessionScope
from iris_memory.contracts.write import ActorMention, AskUser, Written
from iris_memory.front.person import PersonMemory

CONSENTS = ("data_processing", "data_storage", "sensitive_data", "category:medical", "personalization")


@dataclass(frozen=True)
class Story:
    """Whose it is, and the ids of what the pages lead to."""

    me: PersonMemory
    seat: str
    allergy: str
    session_fact: str
    question: str
    inference: str
    mention: str
    request: str
    export: str
    receipt: str


def told(site: Site, user: str = "me") -> Story:
    """Tell the story of somebody to the site's store; the clock moves on by days."""
    me = site.memory(user, consents=CONSENTS)
    seat = _kept(me.remember("Prefers an aisle seat on trains", category="preference", subject="seat"))
    site.clock.step(timedelta(days=2))
    me.revise(seat, "Prefers a window seat on trains, in the quiet coach")
    allergy = _kept(me.remember("Allergic to penicillin", category="medical"))
    _kept(me.remember("Works as a structural engineer", category="work", subject="job"))
    _kept(
        me.remember(
            "Is teaching Noor to swim on Saturdays",
            category="relationship",
            actor=ActorMention(name="Noor", relationship_note="a niece"),
        )
    )
    notebook = NotebookScope(user_id=user, notebook_id="garden")
    _kept(me.remember("Planted two quince trees in March", scope=notebook))
    trip = SessionScope(user_id=user, session_id="lisbon")
    session_fact = _kept(me.remember("Arrives in Lisbon on the night train", scope=trip, session="lisbon"))
    me.recall("a seat on the train to Lisbon", session="lisbon")
    site.iris.flush()
    site.clock.step(timedelta(hours=5))
    asked = me.remember("Prefers an aisle seat on trains after all", category="preference", subject="seat")
    assert isinstance(asked, AskUser), asked
    noted = me.inbox.observe("Sleeps badly before long journeys", label="assistant", session="lisbon", ask=True)
    request = me.rights.submit("access").request_id
    me.continuation.checkpoint(
        {
            "device_id": "kitchen",
            "surface_context": {"surface": "reading", "title_ref": "book/quince-growing", "locale": "en"},
            "anchor_ref": {"surface": "reading", "ref": "book/quince-growing", "position": 42, "unit": "page"},
            "posture": "reading",
            "idempotency_key": "first",
        }
    )
    me.devices.name("kitchen", "Kitchen tablet")
    forgotten = me.forget(_kept(me.remember("Took the bus on Tuesday")))
    return Story(
        me=me,
        seat=seat,
        allergy=allergy,
        session_fact=session_fact,
        question=asked.question_id,
        inference=str(noted.question_id),  # type: ignore[union-attr]
        mention=me.others.mentions()[0].handle,
        request=request,
        export=me.rights.submit("export").request_id,
        receipt=forgotten.receipt_id,
    )


def _kept(outcome: object) -> str:
    assert isinstance(outcome, Written), outcome
    return outcome.entry.logical_id
