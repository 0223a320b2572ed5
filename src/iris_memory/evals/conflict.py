"""Conflict: every pair of origins and labels that can meet, answered as the ladder says, and what follows from it.

The ladder, first that fits: a copilot's note never trumps the person's word; an explicit word trumps an inferred one; a
confirmed one trumps an inferred one; an untrusted label never replaces a more trusted one; else the most recent stands,
and where both are the person's own words, the person is asked. Unanswered for 30 days, what was there stays.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, Lifecycle, Origin
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import NotebookScope, ProfileScope
from iris_memory.contracts.write import AskUser, Refused, Statement, WriteOutcome, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.evals.confirming import say
from iris_memory.evals.entries import entry_of
from iris_memory.evals.stage import BASE, DAWN, TERMS, Stage, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.flows.tend import hourly
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.recall.options import Dedupe, RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_AUTHORITY: Final = {
    "user-stated": 3,
    "user-confirmed": 2,
    "summarized-from-session": 1,
    "imported": 1,
    "model-inferred": 1,
    "operator-copilot": 0,
}
_INFERS: Final = ("model-inferred", "summarized-from-session")
_CLAIMS: Final = {
    "user-typed": ("user-stated", "user-confirmed", *_INFERS),
    "user-pasted": _INFERS,
    "operator": ("operator-copilot",),
    "assistant": _INFERS,
    "file": _INFERS,
    "import": ("imported", "summarized-from-session"),
    "tool": _INFERS,
    "web": _INFERS,
}
"""The origins each label may claim, from the most trusted label to the least."""

_TRUST: Final = {name: len(_CLAIMS) - place for place, name in enumerate(_CLAIMS)}
_UNTRUSTED: Final = frozenset({"file", "import", "tool", "web"})
_SIDES: Final = [(origin, label) for label, origins in _CLAIMS.items() for origin in origins]


def run(tally: Tally) -> str:
    """Look at every pair of sides, the question and its end, and at what recall shows of a cluster."""
    with stage() as place, place.open() as iris:
        _ladder(tally, iris)
        _no_conflict(tally, iris)
        _same_words(tally, iris)
        _answers(tally, iris)
        _unanswered(tally, place, iris)
    _clusters(tally)
    return f"{len(_SIDES) ** 2} pairs of origin and label; answers, 30 days without one; clusters at recall"


def _expected(prior: tuple[str, str], new: tuple[str, str]) -> tuple[str, str]:
    """Return the rule and the outcome of a pair, told as the specification tells it."""
    before, after = _AUTHORITY[prior[0]], _AUTHORITY[new[0]]
    if new[0] == "operator-copilot" and before >= 2:
        return "admin-copilot-never-trumps-consumer-stated", "kept"
    if {before, after} & {3} and min(before, after) <= 1:
        return "explicit-user-trumps-inferred", "replaced" if after == 3 else "kept"
    if {before, after} & {2} and min(before, after) <= 1:
        return "user-confirmed-trumps-inferred", "replaced" if after == 2 else "kept"
    if new[1] in _UNTRUSTED and _TRUST[new[1]] < _TRUST[prior[1]]:
        return "untrusted-label-never-wins", "kept"
    return "most-recent-wins", "asked" if min(before, after) >= 2 else "replaced"


def _ladder(tally: Tally, iris: Iris) -> None:
    memory = _consenting(iris, "ladder")
    pairs = list(product(_SIDES, _SIDES))
    first = [say(memory, _said(f"slot {n}", f"the first of {n}", prior)) for n, (prior, _) in enumerate(pairs)]
    second = [say(memory, _said(f"slot {n}", f"the other of {n}", new)) for n, (_, new) in enumerate(pairs)]
    standing = {
        entry.subject: entry.body for entry in memory.list(limit=5_000).entries if entry.lifecycle is Lifecycle.ACTIVE
    }
    for number, ((prior, new), was, now) in enumerate(zip(pairs, first, second, strict=True)):
        case = f"{prior[0]}/{prior[1]} meets {new[0]}/{new[1]}"
        rule, outcome = _expected(prior, new)
        tally.check(f"{case}: the first is written", isinstance(was, Written) and was.replaced is None)
        tally.same(case, _decided(now), (rule, outcome))
        tally.same(
            f"{case}: stands", standing[f"slot {number}"][:9], "the other" if outcome == "replaced" else "the first"
        )
    asked = sum(isinstance(outcome, AskUser) for outcome in second)
    tally.same("one question for each pair of own words", len(memory.questions()), asked)


def _said(subject: str, body: str, side: tuple[str, str]) -> Statement:
    return Statement(
        body=body, subject=subject, category=Category.PREFERENCE, origin=Origin(side[0]), label=Label(side[1])
    )


def _decided(outcome: WriteOutcome) -> tuple[str, str]:
    if isinstance(outcome, Refused):
        return outcome.rule, "kept" if outcome.reason.value == "conflict-kept-existing" else outcome.reason.value
    if isinstance(outcome, AskUser):
        return outcome.rule.value, "asked"
    assert isinstance(outcome, Written)  # the suite's words look like nothing sensitive
    return (outcome.rule.value, "replaced") if outcome.rule and outcome.replaced else ("none", "written")


def _no_conflict(tally: Tally, iris: Iris) -> None:
    """Only one category, one kind of scope and one subject make two statements meet."""
    memory = _consenting(iris, "apart")
    notebook = NotebookScope(user_id="apart", notebook_id="n1")
    memory.remember("tea in the morning", category="preference", subject="drink")
    for case, outcome in (
        ("another category", memory.remember("water", category="goal", subject="drink")),
        ("another subject", memory.remember("juice", category="preference", subject="breakfast drink")),
        ("no subject", memory.remember("milk", category="preference")),
        ("another kind of scope", memory.remember("soup", category="preference", subject="drink", scope=notebook)),
    ):
        tally.same(f"{case} is no conflict", _decided(outcome), ("none", "written"))
    for subject in ("DRINK", " drink ", "\uff44\uff52\uff49\uff4e\uff4b"):  # the last is full-width
        outcome = memory.remember("coffee in the morning", category="preference", subject=subject)
        tally.same("a subject is compared folded", _decided(outcome)[1], "asked")


def _same_words(tally: Tally, iris: Iris) -> None:
    """The same words again change nothing, unless the person now says what was only inferred."""
    memory = _consenting(iris, "again")
    inferred = memory.remember("walks to work", subject="way", origin="model-inferred", label="assistant")
    tally.check("inferred first", isinstance(inferred, Written))
    repeated = memory.remember("Walks  to WORK", subject="way", origin="model-inferred", label="assistant")
    stated = memory.remember("walks to work", subject="way")
    again = memory.remember("walks to work", subject="way", origin="model-inferred", label="assistant")
    found = [
        (one.entry.revision, one.entry.origin.value) for one in (repeated, stated, again) if isinstance(one, Written)
    ]
    tally.same("the same words", found, [(1, "model-inferred"), (2, "user-stated"), (2, "user-stated")])


def _answers(tally: Tally, iris: Iris) -> None:
    for decision, bodies in (("keep", {"left"}), ("replace", {"right"}), ("both", {"left", "right"})):
        memory = _consenting(iris, f"answers {decision}")
        memory.remember("left", subject="side")
        asked = memory.remember("right", subject="side")
        tally.check(f"{decision}: asked", isinstance(asked, AskUser))
        tally.same(f"{decision}: the draft is not recalled", _recalled(memory), {"left"})
        (question,) = memory.questions()
        wrong = raises(ContractError, memory.answer, question.question_id, decision, digest="0" * 64)
        tally.check(f"{decision}: another text's digest is no answer (POI-8)", wrong)
        memory.answer(question.question_id, decision, digest=question.digest)
        tally.same(f"{decision}: recalled", _recalled(memory), bodies)
        active = {entry.body for entry in memory.list().entries if entry.lifecycle is Lifecycle.ACTIVE}
        tally.same(f"{decision}: stands", active, bodies)
        tally.same(
            f"{decision}: nothing waits", (len(memory.questions()), len(memory.list().entries)), (0, len(bodies))
        )
        twice = raises(UnknownMemoryError, memory.answer, question.question_id, "replace", digest=question.digest)
        tally.check(f"{decision}: answered once", twice)


def _unanswered(tally: Tally, place: Stage, iris: Iris) -> None:
    """A question nobody answers for 30 days keeps what was there and lets the draft go: never a silent overwrite."""
    memory = _consenting(iris, "silent")
    memory.remember("left", subject="side")
    asked = memory.remember("right", subject="side")
    assert isinstance(asked, AskUser)
    digest = memory.questions()[0].digest
    place.clock.advance(days=30, seconds=-1)
    hourly(iris.instruments)
    tally.same("a second before 30 days it waits", len(memory.questions()), 1)
    place.clock.advance(seconds=1)
    late = raises(UnknownMemoryError, memory.answer, asked.question_id, "replace", digest=digest)
    tally.check("at 30 days an answer is too late", late)
    hourly(iris.instruments)
    left = [(entry.body, entry.lifecycle.value) for entry in memory.list().entries]
    tally.same("at 30 days what was there stays", left, [("left", "active")])
    tally.check("and the draft is gone", raises(UnknownMemoryError, memory.show, asked.entry.logical_id))
    tally.same("the words may be said again", memory.remember("right", subject="side").outcome, "ask-user")
    tally.check("all of it is in the chain", iris.verify_audit(tenant="acme").ok)


def _clusters(tally: Tally) -> None:
    """At recall authority wins before recency, so a fresh inference hides no stated fact (POI-12); or the newest, where
    a deployment wants the literal rule."""
    for dedupe in Dedupe:
        pipeline = RecallPipeline(RecallOptions(dedupe=dedupe))
        for one, other in product(_AUTHORITY, _AUTHORITY):
            older = entry_of("a", subject="seat", body="older", origin=Origin(one))
            newer = entry_of("b", subject="seat", body="newer", origin=Origin(other), updated_at=DAWN.replace(hour=9))
            apart = entry_of("c", body="apart", origin=Origin(one))
            request = RecallRequest(
                tenant_id="acme", user_id="ada", scope=ProfileScope(user_id="ada"), now=DAWN.replace(day=9)
            )
            result = pipeline.resolve([older, newer, apart], request)
            hides = dedupe is Dedupe.AUTHORITY and _AUTHORITY[one] > _AUTHORITY[other]
            wanted = {"a", "c"} if hides else {"b", "c"}
            case = f"{dedupe}: {one} before {other}"
            tally.same(case, {hit.entry.id for hit in result.hits}, wanted)
            tally.same(f"{case}: counted", result.audit_envelope.deduplicated_count, 1)


def _consenting(iris: Iris, user: str) -> PersonMemory:
    memory = iris.for_user(tenant="acme", user=user)
    memory.consent.grant(*BASE, terms=TERMS)
    return memory


def _recalled(memory: PersonMemory) -> set[str]:
    return {hit.entry.body for hit in memory.recall("left right").hits}
