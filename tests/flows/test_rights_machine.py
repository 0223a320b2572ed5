"""DSR-1, DSR-2, REL-7: the life of a request through a store, against a model that knows only words and a clock."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from flows.stores import DAY, SteppingClock, open_store, person, sound
from iris_memory.contracts.rights import RightsRefused, RightsRequest
from iris_memory.flows import tend

OPERATORS = st.sampled_from(["op-1", "op-2"])


@dataclass
class Known:
    """What the model knows of a request."""

    born: datetime
    state: str = "submitted"
    held: bool = False
    until: datetime | None = None
    extended: bool = False
    appealed: bool = False
    decided_by: str | None = None


class Requests(RuleBasedStateMachine):
    """Takes any step at any time; the store says yes exactly when the model does."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = SteppingClock()
        self.iris = open_store(self.folder / "s", clock=self.clock, audit_durability="default")
        self.me = person(self.iris)
        self.desk = self.iris.rights_desk("acme")
        self.known: dict[str, Known] = {}
        self.trails: dict[str, tuple[object, ...]] = {}
        self.made = 0

    def teardown(self) -> None:
        sound(self.iris, "acme")
        self.iris.close()
        shutil.rmtree(self.folder)

    def pick(self, place: int) -> tuple[str, Known]:
        names = sorted(self.known)
        name = names[place % len(names)]
        return name, self.known[name]

    def agree(self, done: RightsRequest | RightsRefused, *, allowed: bool) -> None:
        assert isinstance(done, RightsRequest) is allowed, done

    @rule(kind=st.sampled_from(["object", "withdraw-consent"]))
    def submit(self, kind: str) -> None:
        # every request of the run differs from the others, so that none is a duplicate
        self.made += 1
        wishes = {
            "object": {"purposes": ["history"] * self.made},
            "withdraw-consent": {"consents": ["personalization"] * self.made},
        }[kind]
        request = self.me.rights.submit(kind, **wishes)
        self.known[request.request_id] = Known(self.clock.now())

    @rule(by=OPERATORS)
    def submit_and_appeal(self, by: str) -> None:
        """Few walks come as far as an appeal by themselves."""
        before = set(self.known)
        self.submit("object")
        (name,) = set(self.known) - before
        self.agree(self.me.rights.verify(name), allowed=True)
        self.agree(self.desk.deny(name, actor=by, ground="excessive", legal_reference="law"), allowed=True)
        self.agree(self.me.rights.appeal(name, reason="not so"), allowed=True)
        known = self.known[name]
        known.state, known.decided_by, known.appealed = "appealed", by, True

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9))
    def verify(self, place: int) -> None:
        name, known = self.pick(place)
        allowed = known.state == "submitted" and self.clock.now() < known.born + 7 * DAY
        self.agree(self.me.rights.verify(name), allowed=allowed)
        known.state = "verified" if allowed else known.state

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9), by=OPERATORS)
    def start(self, place: int, by: str) -> None:
        name, known = self.pick(place)
        allowed = known.state == "verified" and not known.held
        self.agree(self.desk.start(name, actor=by), allowed=allowed)
        known.state = "in-progress" if allowed else known.state

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9), by=OPERATORS)
    def fulfil(self, place: int, by: str) -> None:
        name, known = self.pick(place)
        allowed = known.state in {"verified", "in-progress"} and not known.held
        self.agree(self.desk.fulfil(name, actor=by), allowed=allowed)
        if allowed:
            known.state, known.decided_by = "completed", known.decided_by or by

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9), by=OPERATORS)
    def deny(self, place: int, by: str) -> None:
        name, known = self.pick(place)
        done = self.desk.deny(name, actor=by, ground="excessive", legal_reference="law")
        allowed = known.state in {"verified", "in-progress"}
        self.agree(done, allowed=allowed)
        if allowed:
            known.state, known.decided_by, known.held, known.until = "failed", by, False, None

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9))
    def extend(self, place: int) -> None:
        name, known = self.pick(place)
        open_ = known.state in {"submitted", "verified", "in-progress", "appealed"}
        allowed = open_ and not known.extended and self.clock.now() < self.me.rights.show(name).first_deadline
        self.agree(self.desk.extend(name, actor="op-1", reason="much to do"), allowed=allowed)
        known.extended |= allowed

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9), days=st.one_of(st.none(), st.integers(1, 5)))
    def hold(self, place: int, days: int | None) -> None:
        name, known = self.pick(place)
        until = self.clock.now() + days * DAY if days else None
        allowed = known.state in {"submitted", "verified", "in-progress"} and not known.held
        self.agree(self.desk.hold(name, actor="op-1", reason="which one?", until=until), allowed=allowed)
        if allowed:
            known.held, known.until = True, until

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9))
    def resume(self, place: int) -> None:
        name, known = self.pick(place)
        allowed = known.held
        self.agree(self.desk.resume(name, actor="op-1"), allowed=allowed)
        known.held, known.until = False, None

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9))
    def cancel(self, place: int) -> None:
        name, known = self.pick(place)
        allowed = known.state in {"submitted", "verified", "in-progress"}
        self.agree(self.me.rights.cancel(name), allowed=allowed)
        if allowed:
            known.state, known.held, known.until = "cancelled", False, None

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9))
    def appeal(self, place: int) -> None:
        name, known = self.pick(place)
        allowed = known.state in {"completed", "failed"} and not known.appealed
        self.agree(self.me.rights.appeal(name, reason="not so"), allowed=allowed)
        if allowed:
            known.state, known.appealed = "appealed", True

    @precondition(lambda self: self.known)
    @rule(place=st.integers(0, 9), by=OPERATORS, overturned=st.booleans())
    def decide(self, place: int, by: str, overturned: bool) -> None:
        name, known = self.pick(place)
        done = self.desk.decide_appeal(name, actor=by, overturned=overturned, reason="looked again")
        allowed = known.state == "appealed" and by != known.decided_by
        self.agree(done, allowed=allowed)
        if allowed:
            known.state, known.decided_by = ("in-progress" if overturned else "failed"), by

    @rule(hours=st.sampled_from([-2, 1, 20, 50, 200]))
    def wait(self, hours: int) -> None:
        self.clock.step(timedelta(hours=hours))

    @rule()
    def sweep(self) -> None:
        tend.hourly(self.iris.instruments)
        now = self.clock.now()
        for known in self.known.values():
            unproved = known.state == "submitted" and now >= known.born + 7 * DAY
            unanswered = known.state == "verified" and known.until is not None and now >= known.until
            if unproved or unanswered:
                known.state, known.held, known.until = "expired", False, None

    @invariant()
    def the_store_says_what_the_model_says(self) -> None:
        found = {request.request_id: request for request in self.me.rights.list()}
        assert {name: request.state.value for name, request in found.items()} == {
            name: known.state for name, known in self.known.items()
        }
        rows = {row.request_id: row for row in self.desk.list()}
        for name, request in found.items():
            known = self.known[name]
            assert (request.pending is not None, request.was_extended) == (known.held, known.extended)
            assert rows[name].state.value == known.state
            assert rows[name].deadline == request.deadline
            assert request.trail[: len(self.trails.get(name, ()))] == self.trails.get(name, ())
            assert [event.at for event in request.trail] == sorted(event.at for event in request.trail)
            assert request.trail[0].event == "submitted"
            self.trails[name] = request.trail


TestRequests = Requests.TestCase
TestRequests.settings = settings(max_examples=15, stateful_step_count=25)
