"""The release-gating suites pass, and each of them fails as soon as what it watches over is broken."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from iris_memory.contracts.inference import PromotionReason
from iris_memory.contracts.inspection import InspectionState
from iris_memory.errors import SettingError
from iris_memory.evals import inspection as inspection_suite
from iris_memory.evals import masking_cases, registry
from iris_memory.evals import poisoning as poisoning_suite
from iris_memory.evals.attacks import TRANSFORMATIONS
from iris_memory.evals.owner import USER_MD
from iris_memory.evals.registry import SUITES, run
from iris_memory.evals.stage import DAWN, Draws, StageIds, stage
from iris_memory.evals.tally import Tally
from iris_memory.flows import (
    asking,
    cascade,
    cascading,
    composing,
    forget,
    forgetting,
    fulfil,
    hand_off,
    inspect,
    inspected,
    inspection_records,
    namespace,
    operator_notes,
    promote,
    remember,
    summarize,
    sweep,
)
from iris_memory.gates import admission
from iris_memory.gates import inspection as gate_of_inspection
from iris_memory.gates.crisis import CRISIS
from iris_memory.gates.facts import Gate
from iris_memory.gates.reach import SCOPE_REACH
from iris_memory.gates.recall_order import RECALL_ORDER
from iris_memory.gates.sensitive import SENSITIVE
from iris_memory.gates.tenant import TENANT
from iris_memory.masking import render, scan, streaming
from iris_memory.masking.corpus import extract
from iris_memory.masking.crowds import Crowd
from iris_memory.recall import pipeline, weighing
from iris_memory.rules import actors, compaction, conflict, continuity, deadlines, integrity, rights
from iris_memory.rules import inspection as moves_of_inspection
from iris_memory.rules.consent import Cut
from iris_memory.rules.promotion import PromotionDecision
from iris_memory.rules.screening import Screening
from iris_memory.sources import extra
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.tables import limits
from iris_memory.tables.guards import DEFAULT_ONTOLOGY_KINDS
from iris_memory.tables.inspectors import TRANSITIONS

NAMES = [
    "determinism",
    "leakage",
    "cross-tenant",
    "sensitive-gating",
    "crisis",
    "conflict",
    "decay",
    "forget",
    "masking",
    "consent",
    "continuation",
    "promotion",
    "poisoning",
    "multi-actor",
    "rights",
    "drift",
    "operator-notes",
    "inspection",
]
Patch = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_passes_and_has_looked_at_many_cases(name: str) -> None:
    found = run([name])
    (suite,) = found["suites"]
    assert (suite["name"], suite["failed"], found["ok"]) == (name, 0, True), suite
    assert suite["cases"] >= 100
    assert suite["detail"]


def test_no_suite_is_left_out() -> None:
    assert list(SUITES) == NAMES


def _open(gate: Gate) -> Patch:
    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        lets_by = replace(gate, check=lambda facts, asked: None)
        order = tuple(lets_by if each is gate else each for each in RECALL_ORDER)
        assert order != RECALL_ORDER
        monkeypatch.setattr(pipeline, "RECALL_ORDER", order)

    return patch


def _storage_gate_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "storage", lambda *asked, **more: None)


def _newest_always_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    decided = conflict.ConflictDecision(conflict.ConflictRule.MOST_RECENT_WINS, conflict.ConflictOutcome.REPLACE)
    monkeypatch.setattr(conflict, "decide", lambda **sides: decided)


def _questions_last_a_day_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "QUESTION_LIFETIME", limits.QUESTION_LIFETIME + timedelta(days=1))


def _newest_wins_at_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    real = pipeline._dedupe
    monkeypatch.setattr(
        pipeline, "_dedupe", lambda columns, passed, *, by_authority: real(columns, passed, by_authority=False)
    )


def _thirty_days_are_a_half_life(monkeypatch: pytest.MonkeyPatch) -> None:
    ages = np.arange(627_200)
    halved = np.floor(np.exp(-math.log(2) * ages / 43_200) * 1_000_000 + 0.5).astype(np.int64)
    monkeypatch.setattr(weighing, "table", lambda: halved)


def _one_millionth_off(monkeypatch: pytest.MonkeyPatch) -> None:
    off = weighing.table().copy()
    off[1_000:] = np.maximum(off[1_000:] - 1, 0)
    monkeypatch.setattr(weighing, "table", lambda: off)


def _order_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates keep the order they come in, and their place adds to their score."""
    real, places = pipeline.score_columns, itertools.count()

    def score(columns: Any, **how: Any) -> Any:
        scored = real(columns, **how)
        return scored._replace(scores=scored.scores + np.argsort(np.argsort(columns.keys)))

    monkeypatch.setattr(pipeline, "_canonical_order", lambda entry: (next(places), ""))
    monkeypatch.setattr(pipeline, "score_columns", score)


def _nothing_is_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteStore, "scrub", lambda self: True)


def _forgotten_words_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composing.Composer, "refuse_forgotten", lambda self, body: None)


def _keys_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def destroy(instruments: Any, person: Any, going: Any) -> Any:
        return instruments.store.write(lambda tx: forgetting._complete(instruments, tx, going.intent, 1), durable=True)

    monkeypatch.setattr(forgetting, "destroy", destroy)
    from iris_memory.flows import forget

    monkeypatch.setattr(forget, "destroy", destroy)


def _encodings_are_not_seen_through(monkeypatch: pytest.MonkeyPatch) -> None:
    real = scan.readings
    monkeypatch.setattr(scan, "readings", lambda text: list(real(text))[:1])


def _weak_hits_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "together", list)
    monkeypatch.setattr(Crowd, "together", lambda crowd, *, window: crowd)


def _typed_tokens_are_not_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "with_escapes", lambda text, edits, found, *, exchange: list(edits))


def _nothing_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "horizon", lambda text, *, reach: len(text))


def _sessions_end_without_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "condense", lambda *what: None)


def _summaries_never_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "expiry", lambda *what, **when: None)


def _categories_are_mixed_in_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_name", lambda group: group.scope.text())
    monkeypatch.setattr(summarize, "screen", lambda text: Screening((), False, ()))


def _any_state_follows_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "is_transition_allowed", lambda before, after: True)


def _months_have_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "add_months", lambda start, months: start + timedelta(days=30 * months))


def _holds_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (forgetting, forget, fulfil):
        monkeypatch.setattr(path, "held_among", lambda *what, now: frozenset())


def _withdrawals_take_nothing_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "cut_of", lambda names: Cut(frozenset(), interactions=False))


def _nobody_asks_what_it_was_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remember, "refuse_of_gone", lambda *given: None)


def _every_promotion_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = PromotionDecision(True, PromotionReason.EXPLICIT)
    monkeypatch.setattr(promote, "evaluate_session_profile_promotion", lambda **facts: allowed)


def _no_label_has_a_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity, "above_ceiling", lambda label, origin, category: None)


def _a_handle_for_every_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (actors, namespace):
        monkeypatch.setattr(room, "folded_name", lambda name: name)


def _notes_are_not_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_notes, "quarantine_of", lambda value, *, label, now: None)


def _the_last_write_always_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(prior: continuity.Mark | None, new: continuity.Mark) -> continuity.Decision:
        at = new.at if prior is None else max(prior.at, new.at)
        return continuity.Decision(stands=True, at=at, told=None)

    monkeypatch.setattr(hand_off, "decide", decide)


def _places_outlive_their_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_off, "_may_cross", lambda token, snapshot, now: True)
    monkeypatch.setattr(cascading.Cascading, "take", lambda self, kind, rows: 0)


def _any_place_fits_any_surface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_off, "misplaced", lambda anchor, posture: None)


def _who_asks_may_grant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_of_inspection, "is_same_actor", lambda one, other: False)


def _any_signature_vouches(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = SimpleNamespace(registered_by="the desk")
    monkeypatch.setattr(inspect, "vouching_key", lambda *given, **how: desk)


def _grants_never_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (inspect, inspection_records):
        monkeypatch.setattr(room, "lapsed", lambda inspection, *, now: inspection)


def _looks_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspected, "_tell_look", lambda *given, **how: None)


def _a_denied_inspection_can_be_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = {**TRANSITIONS, InspectionState.DENIED: frozenset({InspectionState.GRANTED})}
    monkeypatch.setattr(moves_of_inspection, "TRANSITIONS", opened)


SABOTAGE: list[tuple[str, Patch]] = [
    ("continuation", _the_last_write_always_wins),
    ("continuation", _places_outlive_their_consent),
    ("continuation", _any_place_fits_any_surface),
    ("inspection", _who_asks_may_grant),
    ("inspection", _any_signature_vouches),
    ("inspection", _grants_never_end),
    ("inspection", _looks_leave_no_trace),
    ("inspection", _a_denied_inspection_can_be_granted),
    ("promotion", _every_promotion_is_allowed),
    ("poisoning", _no_label_has_a_ceiling),
    ("multi-actor", _a_handle_for_every_spelling),
    ("operator-notes", _notes_are_not_screened),
    ("consent", _withdrawals_take_nothing_along),
    ("consent", _nobody_asks_what_it_was_made_from),
    ("rights", _any_state_follows_any),
    ("rights", _months_have_thirty_days),
    ("rights", _holds_hold_nothing),
    ("determinism", _order_decides),
    ("leakage", _open(SCOPE_REACH)),
    ("leakage", _open(SENSITIVE)),
    ("cross-tenant", _open(TENANT)),
    ("sensitive-gating", _open(SENSITIVE)),
    ("sensitive-gating", _storage_gate_open),
    ("crisis", _open(CRISIS)),
    ("conflict", _newest_always_wins),
    ("conflict", _questions_last_a_day_longer),
    ("conflict", _newest_wins_at_recall),
    ("decay", _thirty_days_are_a_half_life),
    ("decay", _one_millionth_off),
    ("forget", _nothing_is_scrubbed),
    ("forget", _forgotten_words_return),
    ("forget", _keys_are_kept),
    ("masking", _encodings_are_not_seen_through),
    ("masking", _weak_hits_all_count),
    ("masking", _typed_tokens_are_not_escaped),
    ("masking", _nothing_is_held_back),
    ("drift", _open(SENSITIVE)),
    ("drift", _sessions_end_without_a_summary),
    ("drift", _summaries_never_end),
    ("drift", _categories_are_mixed_in_a_summary),
]


@pytest.mark.parametrize(("name", "sabotage"), SABOTAGE, ids=[f"{name} {n}" for n, (name, _) in enumerate(SABOTAGE)])
def test_a_suite_fails_when_what_it_watches_over_is_broken(
    monkeypatch: pytest.MonkeyPatch, name: str, sabotage: Patch
) -> None:
    monkeypatch.setattr(inspection_suite, "REQUESTS", 5_000)  # what is broken shows in fewer
    planted = poisoning_suite._planted()
    monkeypatch.setattr(poisoning_suite, "_planted", lambda: {"own": planted["own"]})
    sabotage(monkeypatch)
    found = run([name])
    assert found["ok"] is False
    (suite,) = found["suites"]
    assert suite["failed"] > 0
    assert "broke off" not in suite["detail"], suite["detail"]


def test_every_suite_is_sabotaged() -> None:
    assert {name for name, _ in SABOTAGE} == set(SUITES)


def test_without_its_extra_masking_has_failed_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package_of_iris",))
    (suite,) = run(["masking"])["suites"]
    assert (suite["cases"], suite["failed"]) == (1, 1)
    assert "install iris-memory[masking]" in suite["detail"]


def test_recall_is_told_by_kind_and_disguise() -> None:
    """PII-15: each kind meets each disguise that is for it, and every way of writing it is found."""
    corpus = extract({"USER.md": USER_MD}, ontology_kinds=DEFAULT_ONTOLOGY_KINDS).corpus
    rows = masking_cases.recall(corpus)
    assert {(row.kind, row.disguise) for row in rows} == {
        (kind, how.name) for how in TRANSFORMATIONS for kind in how.kinds
    }
    assert [row for row in rows if row.found != row.ways or not row.ways] == []


def test_an_unknown_suite_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(SettingError) as caught:
        run(["decay", "no-such-suite"])
    assert all(name in str(caught.value) for name in NAMES)
    assert "no-such-suite" not in str(caught.value)


def test_a_suite_that_breaks_off_has_failed_and_the_others_still_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(tally: Tally) -> str:
        tally.check("one", holds=True)
        raise RuntimeError("secret words")

    def works(tally: Tally) -> str:
        tally.same("one", 1, 1)
        return "one case"

    monkeypatch.setattr(registry, "SUITES", {"breaks": breaks, "works": works})
    found = run()
    assert found == {
        "ok": False,
        "suites": [
            {
                "name": "breaks",
                "cases": 2,
                "failed": 1,
                "detail": "broke off with RuntimeError (not all was looked at)",
            },
            {"name": "works", "cases": 1, "failed": 0, "detail": "one case"},
        ],
    }


def test_only_what_is_named_is_run_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def suite(name: str) -> Callable[[Tally], str]:
        def look(tally: Tally) -> str:
            ran.append(name)
            tally.same("one", 1, 2)
            return "one case"

        return look

    monkeypatch.setattr(registry, "SUITES", {name: suite(name) for name in ("a", "b", "c")})
    found = run(["c", "a", "c"])
    assert ran == ["c", "a"]
    assert [(each["name"], each["failed"]) for each in found["suites"]] == [("c", 1), ("a", 1)]


def test_a_tally_tells_the_first_cases_that_went_wrong() -> None:
    tally = Tally()
    for place in range(20):
        tally.same(f"case {place}", place % 2, 0)
    assert (tally.cases, tally.failed, tally.first) == (20, 10, [f"case {place}" for place in (1, 3, 5, 7, 9)])


def test_the_stage_is_the_same_every_time() -> None:
    def drawn() -> list[object]:
        draws, ids = Draws("seed"), StageIds()
        return [
            draws.below(1_000),
            draws.one("abc"),
            draws.some("abcdef", of=2),
            draws.shuffled(range(9)),
            ids.entry_id(DAWN),
            ids.secret(40),
        ]

    assert drawn() == drawn()
    assert sorted(Draws("x").shuffled(range(50))) == list(range(50))
    assert Draws("x").shuffled(range(50)) != Draws("y").shuffled(range(50))
    ids = StageIds()
    made = [ids.entry_id(DAWN) for _ in range(500)]
    assert made == sorted(set(made))
    with stage() as place:
        folder = place.folder
        assert folder.is_dir()
    assert not folder.exists()
