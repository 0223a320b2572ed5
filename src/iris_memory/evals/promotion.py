"""Promotion: synthetic timelines of inferences and sessions, answered as the specification says.

An inference becomes memory when user-typed text of three distinct sessions says the same, or when the person confirms
its exact words; a sensitive one only ever by confirmation and consent. A memory of a session becomes one of the profile
when the person asks, or when it recurs in three sessions; each refusal has its exact reason.
"""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

from iris_memory.contracts.inference import Answered, Observed, Promoted
from iris_memory.contracts.scope import SessionScope
from iris_memory.contracts.write import Refused, Written
from iris_memory.evals.stage import BASE, TERMS, Draws, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.flows.tend import hourly
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.promotion import evaluate_session_profile_promotion

_TIMELINES: Final = 150
_LABELS: Final = ("user-typed", "user-typed", "user-typed", "assistant", "web", "tool", "file", "user-pasted")
_REASONS: Final = {
    # (requested, explicit): by occurrences 0, 1, 2, 3, 4
    (False, False): ("not-requested",) * 3 + ("repeated-occurrence-threshold-met",) * 2,
    (False, True): ("not-requested",) * 3 + ("repeated-occurrence-threshold-met",) * 2,
    (True, False): (
        "implicit-promotion-blocked",
        "implicit-promotion-blocked",
        "repeated-occurrence-threshold-not-met",
        "repeated-occurrence-threshold-met",
        "repeated-occurrence-threshold-met",
    ),
    (True, True): ("explicit-promotion",) * 5,
}


class _Step(NamedTuple):
    session: str
    label: str
    wording: str


def run(tally: Tally) -> str:
    """Look at every reason of the rule, at drawn timelines, at confirmation, and at promotion through a store."""
    _rule(tally)
    with stage() as place, place.open() as iris:
        for number in range(_TIMELINES):
            _timeline(tally, iris, number)
        _sensitive(tally, iris)
        _confirmed(tally, iris)
        _ends(tally, place, iris)
        _sessions(tally, iris)
        tally.check("all of it is in the chain", iris.verify_audit(tenant="acme").ok)
    return f"{_TIMELINES} timelines of up to 12 observations; five reasons; confirmation; expiry; sessions to profile"


def _rule(tally: Tally) -> None:
    for (requested, explicit), occurrences in product(_REASONS, range(5)):
        decided = evaluate_session_profile_promotion(requested=requested, explicit=explicit, occurrences=occurrences)
        reason = _REASONS[requested, explicit][occurrences]
        allowed = reason in {"explicit-promotion", "repeated-occurrence-threshold-met"}
        tally.same(
            f"requested {requested}, explicit {explicit}, {occurrences} times",
            (decided.allowed, decided.reason.value),
            (allowed, reason),
        )


def _timeline(tally: Tally, iris: Iris, number: int) -> None:
    """Draw observations of one inference, and compare with a count by hand after each."""
    draw = Draws(f"timeline {number}")
    memory = _consenting(iris, f"timeline {number}")
    wordings = ("Prefers early trains", "prefers  EARLY trains", " Prefers early trains ")
    typed: set[str] = set()
    for _ in range(draw.below(12) + 1):
        step = _Step(f"s{draw.below(5)}", draw.one(_LABELS), draw.one(wordings))
        outcome = memory.inbox.observe(step.wording, label=step.label, session=step.session, subject="train")
        if step.label == "user-typed":
            typed.add(step.session)
        durable = step.label == "user-typed" and len(typed) >= 3
        tally.same(f"timeline {number}", isinstance(outcome, Written), durable)
        if durable:
            break
        if isinstance(outcome, Observed):
            tally.same(f"timeline {number}: sessions", outcome.sessions, len(typed))
    entries = memory.list().entries
    tally.same(f"timeline {number}: in memory", len(entries), int(len(typed) >= 3))
    for entry in entries:
        tally.same("its origin and label", (entry.origin.value, entry.label.value), ("model-inferred", "assistant"))
        tally.same("its sources", {link.label.value for link in entry.provenance_chain}, {"user-typed"})


def _sensitive(tally: Tally, iris: Iris) -> None:
    """However often it is made, a sensitive inference waits for the yes and the consent."""
    memory = _consenting(iris, "sensitive")
    for number in range(10):
        outcome = memory.inbox.observe("Takes insulin", label="user-typed", session=f"s{number}", category="medical")
        tally.check("never by counting", isinstance(outcome, Observed) and outcome.sessions == 0)
    asked = memory.inbox.observe("Takes insulin", label="user-typed", session="s", category="medical", ask=True)
    assert isinstance(asked, Observed)
    assert asked.question_id is not None
    question = memory.inbox.show(asked.question_id)
    without = memory.inbox.answer(question.question_id, "yes", digest=question.digest)
    tally.check("not by the yes alone", isinstance(without, Refused))
    tally.same("nothing was written", memory.list().total, 0)
    memory.consent.grant("category:medical", terms=TERMS)
    with_it = memory.inbox.answer(question.question_id, "yes", digest=question.digest)
    tally.check("by the yes and the consent", isinstance(with_it, Answered) and with_it.entry is not None)


def _confirmed(tally: Tally, iris: Iris) -> None:
    for label in sorted(set(_LABELS)):
        memory = _consenting(iris, f"confirmed {label}")
        noted = memory.inbox.observe("Walks to work", label=label, session="s1", subject="way", ask=True)
        if not isinstance(noted, Observed) or noted.question_id is None:
            tally.check(f"{label}: asked", holds=False)
            continue
        question = memory.inbox.show(noted.question_id)
        answered = memory.inbox.answer(question.question_id, "yes", digest=question.digest)
        found = answered.entry if isinstance(answered, Answered) else None
        tally.same(
            f"{label}: confirmed",
            (found.origin.value, found.label.value, found.provenance_chain[-1].label.value) if found else None,
            ("user-confirmed", "user-typed", label),
        )


def _ends(tally: Tally, place: Stage, iris: Iris) -> None:
    """Two sessions, then ninety days: what was counted is let go."""
    memory = _consenting(iris, "ends")
    for session in ("s1", "s2"):
        memory.inbox.observe("Learns to row", label="user-typed", session=session)
    place.clock.advance(days=90)
    hourly(iris.instruments)
    late = memory.inbox.observe("Learns to row", label="user-typed", session="s3")
    tally.check("it begins anew", isinstance(late, Observed) and late.sessions == 1)


def _sessions(tally: Tally, iris: Iris) -> None:
    """What recurs in the memories of sessions, by label, and what the person asks for."""
    for label, promoted in (("user-typed", True), ("assistant", False), ("web", False), ("tool", False)):
        user = f"session {label}"
        memory = _consenting(iris, user)
        origin = "user-stated" if label == "user-typed" else "model-inferred"
        last = ""
        for number in range(4):
            scope = SessionScope(user_id=user, session_id=f"s{number}")
            outcome = memory.remember("Likes tea", scope=scope, origin=origin, label=label)
            assert isinstance(outcome, Written)
            last = outcome.entry.logical_id
        swept = memory.inbox.promote(last, explicit=False, requested=False)
        tally.same(f"{label}: four sessions", isinstance(swept, Promoted), promoted)
        if not promoted:
            asked = memory.inbox.promote(last, explicit=True)
            kept = asked.entry.label.value if isinstance(asked, Promoted) else ""
            tally.same(f"{label}: asked for, under its own label", kept, label)


def _consenting(iris: Iris, user: str) -> PersonMemory:
    memory = iris.for_user(tenant="acme", user=user)
    memory.consent.grant(*BASE, terms=TERMS)
    return memory
