"""Operators at random, and the person among them: no word is ever shown that two rules of the policy do not carry."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from flows.inspecting import PUBLIC, as_, signed
from flows.stores import SteppingClock, chain, open_store, person
from iris_memory.contracts.inspection import Inspection, InspectionPage, InspectionRefused, InspectionState
from iris_memory.rules.inspection import require_transition

WORDS = {"work": "Works at the harbour", "medical": "Takes insulin", "safety": "Asked for help after threats"}
SENSITIVE = {WORDS["medical"], WORDS["safety"]}
PEOPLE = st.sampled_from([("support", "sam"), ("admin", "ann"), ("legal", "lea"), ("t&s", "tom"), ("t&s", "tim")])
TARGETS = st.sampled_from(
    [
        {"adapter_scopes": ["assistant_profile"]},
        {"adapter_scopes": ["assistant_profile"], "include_sensitive": True},
        {"categories": ["safety"]},
        {"categories": ["medical"]},
        {"categories": ["work"], "most": 1},
    ]
)
SOUND = st.sampled_from([{"categories": ["safety"]}, {"categories": ["safety", "medical"]}])
KINDS = st.sampled_from(
    [("routine-review", "support-case"), ("incident-escalation", "safety-incident"), ("routine-review", "abuse-report")]
)


class Inspecting(RuleBasedStateMachine):
    """A tenant with one person and five operators."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="iris-inspecting-"))
        self.clock = SteppingClock()
        self.iris = open_store(self.folder / "store", clock=self.clock)
        self.known: dict[str, Inspection] = {}
        self.reads = 0

    def teardown(self) -> None:
        self.iris.close()
        shutil.rmtree(self.folder)

    @initialize()
    def fill(self) -> None:
        self.me = person(self.iris, consents=["category:medical", "category:safety"])
        for category, body in WORDS.items():
            self.me.remember(body, category=category)
        as_(self.iris, "admin").register_incident_key(PUBLIC.hex(), label="desk")
        as_(self.iris, "admin").set_reporting_lines({"tom": "safety", "tim": "safety"})

    @rule(who=PEOPLE, wanted=TARGETS, kind=KINDS, glass=st.booleans(), is_signed=st.booleans())
    def request(self, who: Any, wanted: Any, kind: Any, glass: bool, is_signed: bool) -> None:
        self.request_as(who, wanted, kind, glass, is_signed=is_signed)

    def request_as(self, who: Any, wanted: Any, kind: Any, glass: bool, *, is_signed: bool) -> None:
        operator = as_(self.iris, *who)
        done = operator.request(
            "ada",
            path=kind[0],
            reason=kind[1],
            reference="CASE",
            target=wanted,
            consent_snapshot_id=operator.consent_snapshot("ada"),
            incident=signed(self.clock.now()) if is_signed else None,
            break_glass=glass,
        )
        self._note(done)

    @rule(glass=st.booleans(), wanted=SOUND, approvers=st.lists(PEOPLE, max_size=3))
    def ask_soundly(self, glass: bool, wanted: Any, approvers: list[Any]) -> None:
        before = set(self.known)
        self.request_as(("t&s", "tom"), wanted, ("incident-escalation", "safety-incident"), glass, is_signed=True)
        for name in set(self.known) - before:
            for who in approvers:
                self._note(as_(self.iris, *who).approve(name))
            self.look_as(("t&s", "tom"), name, again=False)

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0))
    def look_as_the_one_who_asked(self, place: int) -> None:
        inspection = self.known[self._name(place)]
        self.look_as((inspection.requester_role.value, inspection.requester), inspection.inspection_id, again=False)

    @precondition(lambda self: self.known)
    @rule(who=PEOPLE, place=st.integers(0), act=st.sampled_from(["approve", "approve", "approve", "deny", "close"]))
    def step(self, who: Any, place: int, act: str) -> None:
        name = self._name(place)
        before = self.known[name]
        done = getattr(as_(self.iris, *who), act)(name)
        if act == "approve" and who[1] == before.requester:
            assert isinstance(done, InspectionRefused)
        self._note(done)

    @precondition(lambda self: self.known)
    @rule(who=PEOPLE, place=st.integers(0), again=st.booleans())
    def look(self, who: Any, place: int, again: bool) -> None:
        self.look_as(who, self._name(place), again=again)

    def look_as(self, who: Any, name: str, *, again: bool) -> None:
        operator = as_(self.iris, *who)
        shown = operator.replay_granted_snapshot(name) if again else operator.read(name)
        inspection = operator.show(name)
        if not isinstance(shown, InspectionPage):
            return
        seen = {one.entry.body for one in shown.entries if one.entry is not None}
        grant = inspection.grant
        assert grant is not None
        if not again:
            assert inspection.state is InspectionState.GRANTED
            assert who[1] == inspection.requester
            assert self.clock.now() < grant.expires_at
        if seen & SENSITIVE:
            assert who[0] == "t&s", "no other role, by no other path"
            assert inspection.path.value == "incident-escalation"
            assert WORDS["medical"] not in seen
        assert not inspection.break_glass or seen <= {WORDS["safety"]}
        self.reads += bool(seen)

    @rule(minutes=st.sampled_from([1, 30, 61]))
    def wait(self, minutes: int) -> None:
        self.clock.step(timedelta(minutes=minutes))

    @rule(on=st.booleans())
    def kill(self, on: bool) -> None:
        as_(self.iris, "legal").kill_switch(on=on)
        if on:
            assert not [one for one in as_(self.iris, "legal").list() if one.state is InspectionState.GRANTED]
            as_(self.iris, "legal").kill_switch(on=False)

    @rule()
    def decide(self) -> None:
        self.me.consent.grant("personalization", terms="More.")

    @invariant()
    def the_person_sees_every_look(self) -> None:
        if hasattr(self, "me"):
            assert len(self.me.looked()) == self.reads

    @invariant()
    def every_move_is_one_of_the_source(self) -> None:
        moves: dict[str, InspectionState] = {}
        for event in chain(self.iris) if self.known else ():
            if event["action"] == "iris.admin_inspection.transition":
                state = InspectionState(event["state"])
                if event["inspection"] in moves:
                    require_transition(moves[event["inspection"]], state)
                moves[event["inspection"]] = state

    def _name(self, place: int) -> str:
        return list(self.known)[place % len(self.known)]

    def _note(self, done: Inspection | InspectionRefused) -> None:
        if not isinstance(done, Inspection):
            return
        self.known[done.inspection_id] = inspection = done
        if inspection.state is not InspectionState.GRANTED:
            return
        others = {approval.actor for approval in inspection.approvals} - {inspection.requester}
        needed = 0 if inspection.break_glass else 2 if inspection.is_sensitive else 1
        assert len(others) >= needed
        if inspection.requester in {"tom", "tim"}:
            assert not others & {"tom", "tim"}, "one reporting line"


TestInspecting = Inspecting.TestCase
TestInspecting.settings = settings(max_examples=8, stateful_step_count=20, deadline=None)
